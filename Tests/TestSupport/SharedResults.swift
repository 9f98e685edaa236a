internal import Synchronization

/// A cache of slow results that several tests share, such as the reference's result of a plan that every backend is
/// compared with. A result is computed when it is first needed, and kept.
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
