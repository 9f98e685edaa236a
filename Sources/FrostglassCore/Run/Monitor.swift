package import Glibc

/// A value that threads share, and can wait for to change.
///
/// For threads that may wait: tasks of Swift's cooperative pool should not.
package final class Monitor<State>: @unchecked Sendable {
  private var state: State
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(changed)
    mutex.deallocate()
    changed.deallocate()
  }

  /// Reads or changes the value, and wakes nobody.
  package func withLock<Value>(_ body: (inout State) -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Changes the value, and wakes all that wait.
  package func change<Value>(_ body: (inout State) -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until the value is as wanted.
  ///
  /// - Parameter body: gets the value before anybody else can change it. What it changes wakes nobody.
  package func wait<Value>(
    until holds: (State) -> Bool, then body: (inout State) -> Value
  ) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !holds(state) { pthread_cond_wait(changed, mutex) }
    return body(&state)
  }

  /// Waits until the value is as wanted, or until it is too late.
  ///
  /// - Parameter deadline: by `CLOCK_REALTIME`.
  /// - Returns: whether the value was as wanted, which is looked at once at least.
  package func wait(upTo deadline: timespec, until holds: (State) -> Bool) -> Bool {
    var deadline = deadline
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !holds(state) {
      guard pthread_cond_timedwait(changed, mutex, &deadline) == 0 else { return holds(state) }
    }
    return true
  }
}
