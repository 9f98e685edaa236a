internal import Synchronization

/// What somebody in a queue waits for: to be told that it is their turn, or that they are out of it.
///
/// Who tells it takes it out of the queue before, with the queue's lock, so that nobody else finds it there: a
/// turn that comes as somebody gives up is either theirs to give back, or the next one's.
package final class Turn: Sendable {
  private enum State {
    /// Nobody waits yet.
    case coming
    case awaited(CheckedContinuation<Bool, Never>)
    case told(Bool)
  }

  private let state = Mutex(State.coming)

  /// Nobody is told anything yet.
  package init() {}

  /// Tells whether it is their turn.
  package func tell(_ isTurn: Bool) {
    let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
      defer { state = .told(isTurn) }
      guard case .awaited(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume(returning: isTurn)
  }

  /// Waits until it is told.
  ///
  /// - Returns: whether it is their turn.
  @discardableResult
  package func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      let told: Bool? = state.withLock { state in
        if case .told(let isTurn) = state { return isTurn }
        state = .awaited(continuation)
        return nil
      }
      if let told { continuation.resume(returning: told) }
    }
  }

  /// Waits until it is told, and no longer than until the task or the run is to stop.
  ///
  /// - Parameter giveUp: takes this out of the queue and tells it so; does nothing where it is not there any
  ///   more.
  /// - Throws: `BackendError.cancelled` or `.deadlineExceeded` for who is out of the queue.
  package func wait(
    until cancellation: Cancellation, orElse giveUp: @escaping @Sendable () -> Void
  ) async throws(BackendError) {
    let isTurn = await cancellation.whileWaiting(orElse: giveUp) { await wait() }
    guard !isTurn else { return }
    try cancellation.check()
    // Only the task was.
    throw .cancelled
  }
}
