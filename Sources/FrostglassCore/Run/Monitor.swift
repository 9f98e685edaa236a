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
    // Not by a clock that is put right now and then.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
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
  /// - Returns: whether the value was as wanted, which is looked at once at least.
  package func wait(
    upTo deadline: ContinuousClock.Instant, until holds: (State) -> Bool
  ) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !holds(state) {
      // Time that a machine sleeps counts for deadlines, and not for waiting threads.
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      var moment = timespec(in: left)
      pthread_cond_timedwait(changed, mutex, &moment)
    }
    return true
  }
}

extension timespec {
  /// By `CLOCK_MONOTONIC`, a thousand years ahead at most.
  fileprivate init(in duration: Duration) {
    self.init()
    clock_gettime(CLOCK_MONOTONIC, &self)
    let (seconds, attoseconds) = duration.components
    let nanoseconds = tv_nsec + Int(attoseconds / 1_000_000_000)
    tv_sec += Int(min(seconds, 31_556_952_000)) + nanoseconds / 1_000_000_000
    tv_nsec = nanoseconds % 1_000_000_000
  }
}
