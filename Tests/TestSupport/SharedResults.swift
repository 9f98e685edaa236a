internal import Synchronization

/// What takes long to make and is wanted by several tests, such as what the reference makes of a plan for
/// every backend that is held against it: made when it is first asked for, and kept.
package final class SharedResults<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let made = Mutex<[Key: Task<Value, any Error>]>([:])
  private let most: Int

  /// - Parameter most: how many are kept; where there are more, those so far are forgotten.
  package init(most: Int = .max) { self.most = most }

  /// - Parameters:
  ///   - key: what the result is of, among those that are kept here.
  ///   - make: runs once; who asks meanwhile waits for it.
  package func value(
    _ key: Key, _ make: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = made.withLock { made in
      if let task = made[key] { return task }
      if made.count >= most { made = [:] }
      let task = Task { try await make() }
      made[key] = task
      return task
    }
    return try await task.value
  }
}
