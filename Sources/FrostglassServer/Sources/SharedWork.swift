internal import Synchronization

/// Work that is done once for all who ask for it at the same time.
///
/// It ends when all of them have been cancelled, and not before.
final class SharedWork<Value: Sendable>: Sendable {
  private struct Work {
    let number: Int
    let task: Task<Value, Never>
    var waiting = 1
  }

  private struct State {
    var works: [String: Work] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// Returns what comes of the work with a key: of that which is under way, or else of `body`; and which it was.
  func value(
    _ key: String, _ body: @escaping @Sendable () async -> Value
  ) async -> (value: Value, isOwn: Bool) {
    let (work, isOwn) = state.withLock { state -> (Work, Bool) in
      if let work = state.works[key] {
        state.works[key]?.waiting += 1
        return (work, false)
      }
      state.last += 1
      let number = state.last
      let task = Task {
        let value = await body()
        forget(key, number)
        return value
      }
      let work = Work(number: number, task: task)
      state.works[key] = work
      return (work, true)
    }
    let value = await withTaskCancellationHandler {
      await work.task.value
    } onCancel: {
      leave(key, work.number)
    }
    return (value, isOwn)
  }

  private func forget(_ key: String, _ number: Int) {
    state.withLock { if $0.works[key]?.number == number { $0.works[key] = nil } }
  }

  private func leave(_ key: String, _ number: Int) {
    let abandoned = state.withLock { state -> Task<Value, Never>? in
      guard let work = state.works[key], work.number == number else { return nil }
      state.works[key]?.waiting -= 1
      guard work.waiting == 1 else { return nil }
      // Whoever comes now begins anew.
      state.works[key] = nil
      return work.task
    }
    abandoned?.cancel()
  }
}
