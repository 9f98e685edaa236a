internal import FrostglassOptions

/// Places for fetches, so many at once, which clients share fairly.
///
/// An origin that is slow takes its own places and leaves the others theirs, and a client half of an origin's.
/// Who finds none waits; of a long line the client that has most in it is sent away.
final class FetchPlaces: Sendable {
  private let all = Gate(jobs: 192, perClient: 48, waiting: 512, bytes: 0)
  private let origins: [String: Gate]

  /// - Parameter names: the origins' names.
  init(_ names: [String]) {
    origins = names.reduce(into: [:]) {
      $0[$1] = Gate(jobs: 32, perClient: 16, waiting: 64, bytes: 0)
    }
  }

  /// Fetches that have a place, and those that wait for one.
  var counts: (running: Int, waiting: Int) {
    let running = all.running
    return (running, max(origins.values.reduce(0) { $0 + $1.jobs } - running, 0))
  }

  /// Waits for a place.
  ///
  /// - Returns: the places held; `nil` if the task is cancelled.
  /// - Throws: `Problem` with 429 where there is none until the end, or the line is long.
  func enter(
    _ origin: Origin, for client: String, until end: ContinuousClock.Instant
  ) async throws(Problem) -> [Gate.Place]? {
    do {
      // The origin's first: waiting for a slow origin takes no place from others.
      guard let own = try await origins[origin.name]?.enter(for: client, until: end),
        let place = try await all.enter(for: client, until: end)
      else { return nil }
      return [own, place]
    } catch {
      throw .overloaded(
        "too many images of the origin \(origin.name) are waited for; come back in a moment")
    }
  }
}
