internal import Glibc

/// A thread of its own, for what must go on while every thread of the task pool works.
package enum BackgroundThread {
  /// Runs `body`; nobody waits for its end.
  ///
  /// - Returns: whether there is a thread for it; otherwise `body` never runs.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
