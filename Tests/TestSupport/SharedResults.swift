internal import Synchronization

/// A cache of slow results that several tests share, such as the reference's result of a plan that every backend is
/// compared with. A result is computed when it is first needed, and kept.
package final class SharedResults<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let made = Mutex<[Key: Task<Value, any Error>]>([:])
  private let most: Int

  /// - Parameter most: the largest number of results kept; the cache is cleared when it is exceeded.
  package init(most: Int = .max) { self.most = most }

  /// - Parameters:
  ///   - key: the key of the result in this cache.
  ///   - make: runs once for a key; concurrent callers wait for it.
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
