internal import Synchronization

/// Asks a run to stop: at once, or at a certain time.
///
/// Runs look at it for every few rows, tile and submission, and stop within some ten milliseconds
/// with `BackendError.cancelled` or `.deadlineExceeded`. A run whose `Task` is cancelled stops by
/// itself.
///
///     let cancellation = Cancellation(deadline: .now + .seconds(2))
public final class Cancellation: Sendable {
  /// When a run that is not done stops; `nil` for never.
  public let deadline: ContinuousClock.Instant?
  private let flag = Atomic(false)
  private let actions = Mutex<[@Sendable () -> Void]>([])

  /// Not cancelled.
  ///
  /// - Parameter deadline: when work is given up if it is not done; `nil` for never.
  public init(deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }

  /// Stops the run.
  public func cancel() {
    flag.store(true, ordering: .relaxed)
    act()
  }

  /// Whether the run should stop, for either reason.
  public var isCancelled: Bool {
    flag.load(ordering: .relaxed) || deadline.map { $0 <= .now } ?? false
  }

  /// - Throws: `BackendError.cancelled` or `.deadlineExceeded` where the run should stop.
  public func check() throws(BackendError) {
    if flag.load(ordering: .relaxed) { throw .cancelled }
    if let deadline, deadline <= .now { throw .deadlineExceeded }
  }

  /// Has something done once the run should stop; at once where it should already.
  ///
  /// Of a deadline it learns in `whileTaskRuns(actsAtDeadline:_:)`.
  package func onCancel(_ action: @escaping @Sendable () -> Void) {
    actions.withLock { $0.append(action) }
    if isCancelled { act() }
  }

  private func act() {
    let due = actions.withLock { actions in
      defer { actions = [] }
      return actions
    }
    for action in due { action() }
  }

  /// Runs `body`, and cancels this when the task is cancelled meanwhile.
  ///
  /// - Parameter actsAtDeadline: whether what is to be done once it should stop is also done at the deadline,
  ///   by a thread that waits for it: Swift's own would be late where all of them are busy. Where there is no
  ///   thread to be had, work goes on until it looks.
  package func whileTaskRuns<Value: Sendable, Failure: Error>(
    actsAtDeadline: Bool = false, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let isOver = deadline.flatMap { actsAtDeadline ? alarm(at: $0) : nil }
    defer { isOver?.change { $0 = true } }
    let result = await withTaskCancellationHandler {
      do throws(Failure) { return Result<Value, Failure>.success(try await body()) } catch {
        return .failure(error)
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// - Returns: what ends the alarm when it becomes true.
  private func alarm(at deadline: ContinuousClock.Instant) -> Monitor<Bool> {
    let isOver = Monitor(false)
    BackgroundThread.start {
      if !isOver.wait(upTo: deadline, until: { $0 }) { self.act() }
    }
    return isOver
  }
}
