internal import Synchronization

/// What happened to children of worker pools, counted from the service's start on.
final class WorkerTally: Sendable {
  private struct Counts {
    var started = 0
    var ended: [WorkerEnd.Kind: Int] = [:]
    var notStarted = 0
  }

  private let counts = Mutex(Counts())

  func count(_ event: WorkerEvent) {
    counts.withLock { counts in
      switch event {
      case .started: counts.started += 1
      case .ended(_, let reason): counts.ended[reason.kind, default: 0] += 1
      case .notStarted: counts.notStarted += 1
      }
    }
  }

  var families: [MetricFamily] {
    let counts = counts.withLock { $0 }
    return [
      MetricFamily(
        "worker_starts_total", .counter, "Workers that were started.", counts.started),
      MetricFamily(
        "worker_ends_total", .counter, "Workers that are gone, by why.", by: "reason",
        WorkerEnd.Kind.allCases.map { ($0.rawValue, counts.ended[$0] ?? 0) }),
      MetricFamily(
        "worker_start_failures_total", .counter, "Workers that could not be started.",
        counts.notStarted),
    ]
  }
}
