internal import Synchronization

/// What takes long to make and is wanted by several tests, such as what the reference makes of a plan for
/// every backend that is held against it: made when it is first asked for, and kept.
package final class SharedResults<Value: Sendable>: Sendable {
  private let made = Mutex<[String: Value]>([:])

  package init() {}

  /// - Parameters:
  ///   - name: of the result, among those that are kept here.
  ///   - make: may run more than once where tests ask at the same time.
  package func value(
    _ name: String, _ make: () async throws -> Value
  ) async throws -> Value {
    if let value = made.withLock({ $0[name] }) { return value }
    let value = try await make()
    made.withLock { $0[name] = value }
    return value
  }
}
