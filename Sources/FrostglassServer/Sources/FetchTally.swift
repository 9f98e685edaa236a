internal import FrostglassFetching
internal import Synchronization

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
