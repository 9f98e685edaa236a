internal import FrostglassFetching
internal import FrostglassOptions
internal import Synchronization

/// Places for fetches, so many at once, which clients share fairly.
///
/// An origin that is slow takes its own places and leaves the others theirs, and a client half of an origin's.
/// Who finds none waits; of a long line the client that has most in it is sent away.
final class FetchPlaces: Sendable {
  private let all = AdmissionQueue(jobs: 192, perClient: 48, waiting: 512, bytes: 0)
  private let origins: [String: AdmissionQueue]

  /// - Parameter names: the origins' names.
  init(_ names: [String]) {
    origins = names.reduce(into: [:]) {
      $0[$1] = AdmissionQueue(jobs: 32, perClient: 16, waiting: 64, bytes: 0)
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
  ) async throws(Problem) -> [AdmissionQueue.QueueSlot]? {
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

/// A guard before a server that fails: after several failures in a row it is left alone for a while, then one
/// request tries whether it works again.
package struct CircuitBreaker: Sendable {
  private enum State {
    case closed
    case open(until: ContinuousClock.Instant)
    case trying
  }

  private var state = State.closed
  /// In a row.
  private var failures = 0
  /// Times in a row that it was left alone.
  private var openings = 0

  /// Failures in a row after which a server is left alone.
  package static let mostFailures = 5

  package init() {}

  /// True if the server is not asked by everybody.
  package var isOpen: Bool { if case .closed = state { false } else { true } }

  /// The state's name, for people and metrics.
  package var word: String {
    switch state {
    case .closed: "closed"
    case .open: "open"
    case .trying: "half-open"
    }
  }

  /// Returns true if a request may ask the server; it says afterwards how that ended.
  package mutating func admits(at now: ContinuousClock.Instant) -> Bool {
    switch state {
    case .closed: return true
    case .trying: return false
    case .open(let end):
      guard now >= end else { return false }
      state = .trying
      return true
    }
  }

  /// Notes how a request ended that was admitted.
  ///
  /// - Parameter isGood: `nil` where it was given up before that was known.
  package mutating func note(isGood: Bool?, at now: ContinuousClock.Instant) {
    switch (state, isGood) {
    // Requests from before say nothing about now.
    case (.open, _): break
    case (.trying, nil): state = .open(until: now)
    case (.closed, nil): break
    case (_, true?): self = CircuitBreaker()
    case (.trying, false?): open(at: now)
    case (.closed, false?):
      failures += 1
      if failures >= Self.mostFailures { open(at: now) }
    }
  }

  /// Seconds until the next try, rounded up; 1 or more.
  package func secondsLeft(at now: ContinuousClock.Instant) -> Int {
    guard case .open(let end) = state else { return 1 }
    return max(Int((now.duration(to: end) / .seconds(1)).rounded(.up)), 1)
  }

  /// 10 seconds, then 20, … up to 160.
  private mutating func open(at now: ContinuousClock.Instant) {
    state = .open(until: now + .seconds(10 << min(openings, 4)))
    openings += 1
  }
}

/// Counters of fetches.
final class FetchTally: Sendable {
  /// The source of an image.
  enum Found: String, Sendable, CaseIterable {
    /// The cache, without a question.
    case hit
    /// The cache, after its server said that nothing has changed.
    case revalidated
    /// The cache, as its server failed.
    case stale
    /// Its server.
    case miss
  }

  private struct State {
    var fetches: [String: Int] = [:]
    var times: [String: Metrics.Histogram] = [:]
    var bytes: [String: Int] = [:]
    var found: [Found: Int] = [:]
  }

  private let state = Mutex(State())

  /// Counts one request to a server.
  func count(_ origin: Origin, _ answer: FetchAnswer, seconds: Double) {
    let outcome = answer.outcome == .answered ? "\(answer.status)" : answer.outcome.rawValue
    let label = "origin=\"\(origin.name)\""
    state.withLock { state in
      state.fetches["\(label),outcome=\"\(outcome)\"", default: 0] += 1
      state.times[label, default: Metrics.Histogram()].add(seconds)
      state.bytes[label, default: 0] += answer.body.count
    }
  }

  func count(_ found: Found) { state.withLock { $0.found[found, default: 0] += 1 } }

  /// The counters' current values.
  var families: [MetricFamily] {
    let state = state.withLock { $0 }
    func rows(_ all: [String: Int]) -> [MetricFamily.Row] {
      all.sorted { $0.key < $1.key }.map {
        MetricFamily.Row(labels: $0.key, value: Double($0.value))
      }
    }
    return [
      MetricFamily(
        "fetches_total", .counter,
        "Requests to origins by outcome: a status, or why there is none.",
        rows(state.fetches)),
      MetricFamily(
        "fetch_seconds", .histogram, "Duration of requests to origins.",
        state.times.sorted { $0.key < $1.key }.flatMap { $0.value.rows($0.key) }),
      MetricFamily("fetched_bytes_total", .counter, "Bytes from origins.", rows(state.bytes)),
      MetricFamily(
        "source_cache_total", .counter, "Images of origins by where they came from.",
        by: "result", Found.allCases.map { ($0.rawValue, state.found[$0] ?? 0) }),
    ]
  }
}
