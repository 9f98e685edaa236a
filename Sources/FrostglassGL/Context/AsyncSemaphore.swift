package import FrostglassCore
internal import Synchronization

/// A counting semaphore for tasks: lets a number of them in at a time, in the order they came.
///
/// Whoever is to stop while they wait leaves the queue at once, and those behind move up.
package final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var waiting: [Turn] = []
  }

  private let state: Mutex<State>

  /// - Parameter count: 1 or more.
  package init(_ count: Int) {
    state = Mutex(State(free: max(count, 1)))
  }

  /// How many wait.
  package var waiting: Int { state.withLock { $0.waiting.count } }

  /// Takes a place if one is free, without waiting; `await` the other one if not.
  package func takeNow() -> Bool {
    state.withLock { state in
      guard state.free > 0 else { return false }
      state.free -= 1
      return true
    }
  }

  /// Waits for a place and takes it.
  ///
  /// - Throws: `BackendError.cancelled` or `.deadlineExceeded` where the run or the task is to stop before there
  ///   is one; nothing was taken then.
  package func take(until cancellation: Cancellation) async throws(BackendError) {
    if Task.isCancelled { throw .cancelled }
    try cancellation.check()
    let turn: Turn? = state.withLock { state in
      guard state.free == 0 else {
        state.free -= 1
        return nil
      }
      let turn = Turn()
      state.waiting.append(turn)
      return turn
    }
    if let turn { try await turn.wait(until: cancellation) { [self] in giveUp(turn) } }
  }

  /// Runs `body` with a place, waited for as in `take`.
  package func whileTaken<Value: Sendable>(
    until cancellation: Cancellation, _ body: () async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    if !takeNow() { try await take(until: cancellation) }
    defer { leave() }
    return try await body()
  }

  /// Gives the place back. Whoever waits longest gets it.
  package func leave() {
    let next: Turn? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.tell(true)
  }

  /// Takes one out of the queue who waits; who has a place keeps it.
  private func giveUp(_ turn: Turn) {
    let isOut = state.withLock { state in
      let index = state.waiting.firstIndex { $0 === turn }
      return index.map { state.waiting.remove(at: $0) } != nil
    }
    if isOut { turn.tell(false) }
  }
}
