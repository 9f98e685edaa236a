internal import Synchronization

/// An order on its way: waiting for a child, with one, or over.
///
/// Whoever comes first, the child's answer, the deadline or a cancellation, ends it; the others come
/// too late.
final class WorkTicket: Sendable {
  let order: WorkOrder
  /// When it is given up.
  let deadline: ContinuousClock.Instant
  private let state = Mutex(State.new)

  private enum State {
    case new
    case waiting(CheckedContinuation<WorkAnswer, Never>)
    case running(CheckedContinuation<WorkAnswer, Never>, ChildProcess)
    case over(Ending)
  }

  /// Why nobody waits for an answer any more.
  enum Ending: Sendable {
    case answered
    case cancelled
    case late
  }

  init(_ order: WorkOrder, deadline: ContinuousClock.Instant) {
    self.order = order
    self.deadline = deadline
  }

  /// Waits for the answer.
  ///
  /// - Parameter enqueue: called once the order may be taken.
  func answer(_ enqueue: () -> Void) async -> WorkAnswer {
    let alarm = Task.detached { [weak self, deadline] in
      try? await Task.sleep(until: deadline, clock: .continuous)
      self?.giveUp(.late)
    }
    defer { alarm.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard case .new = state else { return true }
          state = .waiting(continuation)
          return false
        }
        if isOver { continuation.resume(returning: .cancelled) } else { enqueue() }
      }
    } onCancel: {
      giveUp(.cancelled)
    }
  }

  /// Takes the order for a child.
  ///
  /// - Returns: false where it is over.
  func begin(on child: ChildProcess) -> Bool {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation, child)
      return true
    }
  }

  /// Answers.
  func finish(_ answer: WorkAnswer) { end(.answered)?.0.resume(returning: answer) }

  /// Stops the work: kills the child that does it.
  func giveUp(_ reason: Ending) {
    guard let (continuation, child) = end(reason) else { return }
    child?.kill()
    continuation.resume(returning: reason == .late ? .late : .cancelled)
  }

  /// Why it is over; `nil` while it is not.
  var ending: Ending? {
    state.withLock { if case .over(let reason) = $0 { reason } else { nil } }
  }

  /// - Returns: who waits, and what is at work, the first time.
  private func end(
    _ reason: Ending
  ) -> (CheckedContinuation<WorkAnswer, Never>, ChildProcess?)? {
    state.withLock { state in
      switch state {
      case .over: return nil
      case .new:
        state = .over(reason)
        return nil
      case .waiting(let continuation):
        state = .over(reason)
        return (continuation, nil)
      case .running(let continuation, let child):
        state = .over(reason)
        return (continuation, child)
      }
    }
  }
}

extension WorkAnswer {
  /// The child died of the work, or answered what no child may.
  static let crashed = Problem(
    500, "work-failed", "the work failed; the request is at fault, or we are"
  )
  .answer
  static let late = Problem(
    503, "out-of-time", "the work was not done in time", headers: [Field("Retry-After", "5")]
  ).answer
  static let cancelled = Problem(503, "given-up", "the work was given up").answer
}
