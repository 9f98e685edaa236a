internal import CGLES
internal import FrostglassCore
internal import Glibc

/// The one thread that a context belongs to, as the executor of the actor that owns the context.
///
/// OpenGL ties a context to the thread it is current on. This thread makes it current once and
/// keeps it for life, so no other code ever switches contexts.
///
/// Nobody joins the thread; it keeps this object alive until `stop`. At the process's exit it is
/// kept from running into drivers that are being unloaded: see `waitAtExit`.
final class GLThread: SerialExecutor, @unchecked Sendable {
  private enum Work {
    case job(UnownedJob)
    case closure(() -> Void)
  }

  // Shared with the thread, and guarding all that follows: hence the unchecked conformance.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var queue: [Work] = []
  private var isBusy = false
  private var isStopping = false
  private var isExiting = false
  private var thread: pthread_t?
  /// The thread's folder in `/proc` once nothing is left to do but to leave.
  private var leaving: String?

  /// Starts the thread.
  init() throws(BackendError) {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<GLThread>.fromOpaque(argument).takeRetainedValue().work()
        return nil
      }, retained.toOpaque())
    guard status == 0 else {
      retained.release()
      throw .unavailable(
        backend: "gl", reason: "no thread could be started (error \(status))",
        remedy: "raise the limit on threads")
    }
    pthread_detach(thread)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  /// Ends the thread once all that was enqueued has run.
  func stop() {
    locked { isStopping = true }
  }

  /// Runs the function that sets the context up, before there is an actor.
  ///
  /// The function captures values only and its result is handed over whole, so the result may be
  /// an object that must not be shared.
  func start<Success, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    let handover = await withCheckedContinuation {
      (continuation: CheckedContinuation<Handover<Success, Failure>, Never>) in
      add(
        .closure {
          defer { self.guardExit() }
          do throws(Failure) {
            continuation.resume(returning: Handover(result: .success(try body())))
          } catch {
            continuation.resume(returning: Handover(result: .failure(error)))
          }
        })
    }
    return try handover.result.get()
  }

  /// A result on its way from one thread to another, used by one of them at a time.
  private struct Handover<Success, Failure: Error>: @unchecked Sendable {
    nonisolated(unsafe) let result: Result<Success, Failure>
  }

  private func add(_ work: Work) {
    locked { queue.append(work) }
  }

  /// Changes the state and wakes whoever waits for it.
  private func locked(_ change: () -> Void) {
    pthread_mutex_lock(mutex)
    change()
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }

  private func work() {
    locked { thread = pthread_self() }
    while let works = next() {
      for work in works {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        }
      }
    }
  }

  /// Waits for work; `nil` when there is none left and none will come.
  private func next() -> [Work]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isBusy = false
    pthread_cond_broadcast(changed)
    while queue.isEmpty || isExiting {
      if isStopping, !isExiting {
        // EGL keeps a state per thread, which would leak.
        eglReleaseThread()
        leaving = GLThread.ownFolder
        return nil
      }
      pthread_cond_wait(changed, mutex)
    }
    defer { queue = [] }
    isBusy = true
    return queue
  }

  /// Registers `waitAtExit`. After a driver was loaded, as handlers run in reverse and this one
  /// must run before the driver's.
  ///
  /// A registration cannot be taken back, so a few hundred bytes stay per thread ever started.
  private func guardExit() {
    on_exit(
      { _, argument in
        guard let argument else { return }
        Unmanaged<GLThread>.fromOpaque(argument).takeUnretainedValue().waitAtExit()
      }, Unmanaged.passRetained(self).toOpaque())
  }

  /// Lets the thread finish what it does, then keeps it still for the rest of the process.
  ///
  /// Drivers unload themselves when the process exits. A thread that is still in one, or that runs
  /// a driver's destructors while it leaves, would crash a process that has done all its work.
  private func waitAtExit() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isExiting = true
    // A driver that gives up calls `exit` itself; nothing is to be waited for then.
    guard thread.map({ pthread_equal($0, pthread_self()) == 0 }) ?? true else { return }
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += 10
    while isBusy, pthread_cond_timedwait(changed, mutex, &deadline) == 0 {}
    guard let leaving else { return }
    for _ in 0..<1000 where access(leaving, F_OK) == 0 { usleep(1000) }
  }

  /// The calling thread's folder in `/proc`.
  private static var ownFolder: String {
    let target = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { max(0, readlink("/proc/thread-self", $0, 64)) } ?? 0
      }
    }
    return "/proc/" + String(decoding: target, as: UTF8.self)
  }
}
