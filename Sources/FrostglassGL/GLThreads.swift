internal import Glibc
internal import Synchronization

/// Every GL thread of the process that nobody has joined yet.
///
/// Drivers unload themselves when the process exits, and free what they keep per thread. A thread
/// that is still in one, or that is leaving and so frees the same itself, would crash a process
/// that has done all its work. So threads are joined, and none runs while drivers go.
package enum GLThreads {
  private static let unjoined = Mutex<[GLThread]>([])
  /// How long the process's end may take where a driver hangs: 10 s, however many threads there are.
  private static let endOfPatience: timespec = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    time.tv_sec += 10
    return time
  }()

  /// Adds one that has started, and joins those that have left since, for their stacks.
  static func add(_ thread: GLThread) {
    unjoined.withLock { threads in
      threads.removeAll { $0.join(until: timespec()) }
      threads.append(thread)
    }
  }

  /// Ends every thread once all that was enqueued has run, and waits until the last is gone.
  ///
  /// For the end of a process, before `exit`: backends do nothing from then on. No thread is left
  /// then to care in which order drivers and the C library clean up.
  package static func end() {
    unjoined.withLock { threads in
      for thread in threads { thread.stop() }
      threads.removeAll { $0.join(until: endOfPatience) }
    }
  }

  /// Has every thread kept still when the process exits, where nobody calls `end`.
  ///
  /// Handlers run in reverse, and this one must run before a driver's: to be called after one was
  /// loaded, and before anybody who might exit hears of it. It takes a few bytes for good.
  static func guardExit() {
    atexit { GLThreads.hold() }
  }

  /// Lets every thread finish what it does, then keeps it still for the rest of the process; one
  /// that is leaving is waited for.
  private static func hold() {
    unjoined.withLock { threads in
      // A driver that gives up calls `exit` itself; its thread cannot be waited for then.
      for thread in threads where !thread.isCurrent { thread.hold(until: endOfPatience) }
      threads.removeAll { !$0.isCurrent && $0.join(until: timespec()) }
    }
  }
}
