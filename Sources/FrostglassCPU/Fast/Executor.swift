internal import FrostglassCore

/// Runs a plan, for which all is made ready: what computes rows, in which order, and their memory.
protocol Executor: AnyObject, Sendable {
  var known: KnownPlan { get }
  /// Bytes of its rows.
  var bytes: Int { get }
  /// Bytes that passes take besides while it runs.
  var bytesBeside: Int { get }
  /// The reason why it cannot run; `nil` where there is memory for its rows.
  var shortage: BackendError? { get }

  /// Runs the plan in this thread and the workers'; others wait until it has.
  ///
  /// - Parameters:
  ///   - inputs: `nil` for the one whose rows come from the source.
  ///   - progress: told how much is done.
  func run(
    _ inputs: [InputRows?], _ source: (any RowSource)?, _ targets: [RowTarget],
    _ cancellation: Cancellation?, _ progress: ((Double) -> Void)?
  ) throws(BackendError)
}

extension Executor {
  /// - Throws: `BackendError.failed` where there was no memory for the rows.
  func check() throws(BackendError) { if let shortage { throw shortage } }
}

/// A destination of a result's rows.
enum RowTarget {
  case sink(any RowSink)
  /// They stay where they are computed.
  case memory(OutputRows)

  var isSink: Bool { if case .sink = self { true } else { false } }
}

/// Executors that wait for their plan to be run again.
struct IdleExecutors: Sendable {
  private var executors: [any Executor] = []

  /// At most so many wait, and all but the last one have at most so many bytes.
  private static let most = (count: 8, bytes: 16 << 20)

  /// What is known of a plan that one of them runs.
  func known(_ plan: Plan) -> KnownPlan? { executors.last { $0.known.plan == plan }?.known }

  /// Takes one out that runs a plan in the same way; where there is none, others make room for a new one.
  mutating func take<Kind: Executor>(
    _ known: KnownPlan, where fits: (Kind) -> Bool
  ) -> (found: Kind?, gone: [any Executor]) {
    let index = executors.lastIndex { executor in
      executor.known === known && (executor as? Kind).map(fits) ?? false
    }
    if let index { return (executors.remove(at: index) as? Kind, []) }
    var gone: [any Executor] = []
    while executors.reduce(0, { $0 + $1.bytes }) > Self.most.bytes {
      gone.append(executors.removeFirst())
    }
    return (nil, gone)
  }

  /// Puts one back.
  ///
  /// - Returns: one that is to go, not to be let go of under a lock.
  mutating func put(_ executor: any Executor) -> (any Executor)? {
    executors.append(executor)
    return executors.count > Self.most.count ? executors.removeFirst() : nil
  }
}
