internal import Synchronization

/// Work that is done once for all who ask for it at the same time.
///
/// It is cancelled when all of them have been, and not before; each of them goes as soon as it is cancelled.
package final class SharedWork<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<(value: Value?, isOwn: Bool), Never>

  private struct Work {
    /// The number of who began it.
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: Waiter] = [:]
  }

  private struct State {
    var works: [String: Work] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Returns what comes of the work with a key: of that which is under way, or else of `body`; and which it was.
  ///
  /// - Returns: no value where the task that asks is cancelled.
  package func value(
    _ key: String, _ body: @escaping @Sendable () async -> Value
  ) async -> (value: Value?, isOwn: Bool) {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { join(key, number, $0, body) }
    } onCancel: {
      leave(key, number)
    }
  }

  private func join(
    _ key: String, _ number: Int, _ waiter: Waiter, _ body: @escaping @Sendable () async -> Value
  ) {
    state.withLock { state in
      // Canceled before it was registered.
      guard !Task.isCancelled else { return waiter.resume(returning: (nil, false)) }
      if state.works[key] == nil {
        state.works[key] = Work(number: number, task: Task { finish(key, number, await body()) })
      }
      state.works[key]?.waiters[number] = waiter
    }
  }

  private func finish(_ key: String, _ number: Int, _ value: Value) {
    let waiters = state.withLock { state -> [Int: Waiter] in
      guard state.works[key]?.number == number else { return [:] }
      return state.works.removeValue(forKey: key)?.waiters ?? [:]
    }
    for (each, waiter) in waiters { waiter.resume(returning: (value, each == number)) }
  }

  private func leave(_ key: String, _ number: Int) {
    let (waiter, abandoned) = state.withLock { state -> (Waiter?, Work?) in
      let waiter = state.works[key]?.waiters.removeValue(forKey: number)
      // After the last client has left, the next one starts over.
      let isLast = waiter != nil && state.works[key]?.waiters.isEmpty == true
      return (waiter, isLast ? state.works.removeValue(forKey: key) : nil)
    }
    abandoned?.task.cancel()
    waiter?.resume(returning: (nil, false))
  }
}
