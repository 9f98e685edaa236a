public import FrostglassCore

/// A plan that the fast backend has made ready for frame after frame: what is computed when is settled,
/// and rows have their memory.
///
/// From the caller's memory to the caller's memory nothing is planned or allocated per frame, as long as
/// all passes have row kernels; in floats median, cell and gather passes make small
/// pictures of the rows they read. Frames that come at once are computed one after another, each on all
/// threads.
public final class PreparedRows: PreparedPlan {
  /// The plan that it runs.
  public let plan: Plan
  private let engine: PerProcess<RowEngine>
  private let executor: PerProcess<StripExecutor>
  private let callers = ThreadPool()

  /// - Parameter plan: a valid one.
  init(_ plan: Plan, on engine: PerProcess<RowEngine>) {
    self.plan = plan
    self.engine = engine
    executor = PerProcess {
      let engine = engine.value
      return StripExecutor(engine.known(plan) ?? engine.made(plan), on: engine)
    }
  }

  /// Bytes of rows.
  public var memory: Int { executor.value.bytes }

  /// - Throws: `BackendError.failed` where there was no memory for the rows.
  func check() throws(BackendError) { try executor.value.check() }

  /// Runs the plan on the threads of the backend, as `Backend.run(_:_:)` does.
  ///
  /// - Throws: `BackendError`; then outputs hold nothing of use.
  public func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    var io = io
    let cancellation = io.cancellation ?? Cancellation()
    io.cancellation = cancellation
    return try await cancellation.whileTaskRuns { [io] () async throws(BackendError) in
      try await callers.run { () throws(BackendError) in try self.runNow(io) }
    }
  }

  /// Runs the plan in this thread and the backend's, without Swift concurrency.
  public func runNow(_ io: PixelIO) throws(BackendError) -> RunReport {
    try io.checkPlaces(plan)
    try io.cancellation?.check()
    let executor = executor.value
    try executor.check()
    try engine.value.run(executor, io)
    return RunReport(backend: "fast")
  }

  /// Runs a plan with one input and one result in this thread and the backend's, without Swift
  /// concurrency and without allocating.
  ///
  /// - Parameters:
  ///   - frame: as the plan's input is described.
  ///   - result: the frame's memory, or another that does not overlap it.
  public func runNow(
    _ frame: PixelMemory, into result: MutablePixelMemory, cancellation: Cancellation? = nil
  ) throws(BackendError) {
    guard plan.inputs.count == 1, plan.results.count == 1 else {
      throw .failed(backend: "fast", what: "one frame for a plan with several inputs or results")
    }
    try frame.check(plan.inputs[0])
    try result.check(plan.result)
    try cancellation?.check()
    let executor = executor.value
    try executor.check()
    try executor.run(frame, into: result, cancellation)
    try cancellation?.check()
  }
}
