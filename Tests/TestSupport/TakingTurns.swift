internal import Synchronization
package import Testing

/// Tests of which one runs at a time, and that wait for it without a place among those that run at once.
///
/// Contexts of a software renderer take turns: six tests that have one each would take all places, and
/// one core. With `.serialized`, they have one place together.
package struct TakingTurns: TestTrait, SuiteTrait, TestScoping {
  private static let turn = Turn()

  /// Around all of a suite or of a test's cases, and not around each case, which has its place by then.
  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? self : nil
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turn.begin()
    defer { Self.turn.end() }
    try await function()
  }
}

extension Trait where Self == TakingTurns {
  package static var takesTurns: Self { TakingTurns() }
}

private final class Turn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
