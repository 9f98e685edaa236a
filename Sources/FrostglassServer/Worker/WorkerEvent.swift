package import FrostglassConfinement
internal import Synchronization

/// An event in a child's life, for the log. Clients never see it.
package enum WorkerEvent: Sendable, Hashable, CustomStringConvertible {
  /// It is confined, and takes orders.
  case started(process: Int32, walls: Walls)
  /// It is gone; another takes its place.
  case ended(process: Int32, reason: WorkerEnd)
  /// None could be started; it will be tried again.
  case notStarted(reason: String)

  /// True if something went wrong, which an operator should be told.
  package var isNews: Bool {
    switch self {
    case .started: false
    case .ended(_, let reason): reason.isFailure
    case .notStarted: true
    }
  }

  package var description: String {
    switch self {
    case .started(let process, let walls): "worker \(process) works behind \(walls)"
    case .ended(let process, let reason): "worker \(process) \(reason)"
    case .notStarted(let reason): "a worker cannot be started: \(reason)"
    }
  }
}

/// Why a child is gone.
package enum WorkerEnd: Sendable, Hashable, CustomStringConvertible {
  /// It exited with this code, during an order or while idle.
  case exited(code: Int32)
  /// A signal ended it: a crash, the kernel for lack of memory, or another process.
  case signaled(Int32)
  /// It said something that no worker says.
  case lied(String)
  /// It was killed for an order that took too long.
  case late
  /// It was killed because its order was cancelled.
  case cancelled
  /// It has done its share of orders.
  case served(orders: Int)
  /// It kept too much memory.
  case grew(bytes: Int)
  /// The pool has ended.
  case dismissed

  package var description: String {
    switch self {
    case .exited(let code): "ended by itself with code \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    case .lied(let what): "was killed for its answer: \(what)"
    case .late: "was killed for work that took too long"
    case .cancelled: "was killed for work that nobody wants any more"
    case .served(let orders): "was replaced after \(orders) orders"
    case .grew(let bytes): "was replaced for keeping \(bytes >> 20) MiB"
    case .dismissed: "was dismissed"
    }
  }

  /// The reason's name in metrics.
  enum Kind: String, CaseIterable {
    case crashed, lied, late, cancelled, served, grew, dismissed
  }

  var kind: Kind {
    switch self {
    case .exited, .signaled: .crashed
    case .lied: .lied
    case .late: .late
    case .cancelled: .cancelled
    case .served: .served
    case .grew: .grew
    case .dismissed: .dismissed
    }
  }

  /// True if something went wrong.
  package var isFailure: Bool {
    switch kind {
    case .crashed, .lied, .late: true
    case .cancelled, .served, .grew, .dismissed: false
    }
  }
}

/// Counters of events in children's lives since the service's start.
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
