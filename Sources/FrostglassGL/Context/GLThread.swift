internal import CGLES
package import FrostglassCore
internal import Glibc
internal import Synchronization

/// The one thread that a context belongs to, as the executor of the actor that owns the context.
///
/// OpenGL ties a context to the thread it is current on. This thread makes it current once and
/// keeps it for life, so no other code ever switches contexts.
///
/// Threads run one at a time until `runsBesideOthers`, see there.
///
/// The thread keeps this object alive until `stop`. Whoever calls that need not wait: the thread is
/// joined later, by `GLThreads`, which also keeps it from running into drivers that unload.
package final class GLThread: SerialExecutor, @unchecked Sendable {
  /// Held by the one thread that may be in such a driver.
  private static let driver = Mutex<Void>(())

  private enum Work {
    case job(UnownedJob)
    case closure(() -> Void)
  }

  private struct State {
    var queue: [Work] = []
    var isBusy = false
    var isStopping = false
    var isHeld = false
    var hasLeftEGL = false
    var runsAlone = true
  }

  private let state = Monitor(State())
  // Written before anyone else knows this object: hence the unchecked conformance.
  private var thread = pthread_t()

  /// Starts the thread.
  package init() throws(BackendError) {
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
    GLThreads.add(self)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  /// Ends the thread once all that was enqueued has run.
  package func stop() {
    state.change { $0.isStopping = true }
  }

  /// Lets this thread run while others do: its driver keeps contexts apart.
  ///
  /// Mesa's llvmpipe does not: to find out whether a texture is in use, it walks the unfinished
  /// scenes of every context of the display, which their threads may be freeing (seen to crash in
  /// 22.3). It computes on all cores anyway, so that costs nothing there.
  func runsBesideOthers() {
    state.change { $0.runsAlone = false }
  }

  /// Runs the function that sets the context up, before there is an actor.
  ///
  /// The function captures values only and its result is handed over whole, so the result may be
  /// an object that must not be shared.
  package func start<Success, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    let handover = await withCheckedContinuation {
      (continuation: CheckedContinuation<Handover<Success, Failure>, Never>) in
      add(
        .closure {
          // Before as well, for a process that exits while a driver starts.
          GLThreads.guardExit()
          let handover = Handover { () throws(Failure) in try body() }
          // Before the result is delivered, as the waiting thread may then exit.
          GLThreads.guardExit()
          continuation.resume(returning: handover)
        })
    }
    return try handover.result.get()
  }

  /// A result on its way from one thread to another, used by one of them at a time.
  private struct Handover<Success, Failure: Error>: @unchecked Sendable {
    nonisolated(unsafe) let result: Result<Success, Failure>

    init(_ body: () throws(Failure) -> sending Success) {
      do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
    }
  }

  private func add(_ work: Work) {
    state.change { $0.queue.append(work) }
  }

  private func work() {
    while let works = next() {
      for work in works {
        exclusively {
          switch work {
          case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
          case .closure(let closure): closure()
          }
        }
      }
    }
    // EGL keeps state per thread, which would leak.
    exclusively { _ = eglReleaseThread() }
    state.change { state in
      state.isBusy = false
      state.hasLeftEGL = true
    }
  }

  private func exclusively(_ body: () -> Void) {
    if state.withLock({ $0.runsAlone }) { GLThread.driver.withLock { _ in body() } } else { body() }
  }

  /// Waits for work; `nil` when there is none left and none will come. Busy from then on.
  private func next() -> [Work]? {
    state.change { $0.isBusy = false }
    return state.wait(until: { !$0.isHeld && (!$0.queue.isEmpty || $0.isStopping) }) { state in
      state.isBusy = true
      defer { state.queue = [] }
      return state.queue.isEmpty ? nil : state.queue
    }
  }
}

// What `GLThreads` asks of a thread.
extension GLThread {
  /// True if the caller runs on this thread.
  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Lets the thread finish what it does, then gives it nothing more to do, not even to leave.
  func hold(until deadline: ContinuousClock.Instant) {
    state.change { $0.isHeld = true }
    _ = state.wait(upTo: deadline) { !$0.isBusy }
  }

  /// Waits until the thread is gone, if it is done with EGL in time; whether it was.
  ///
  /// Once per thread, as after that the system may give its number to another.
  func join(until deadline: ContinuousClock.Instant) -> Bool {
    state.wait(upTo: deadline) { $0.hasLeftEGL } && pthread_join(thread, nil) == 0
  }
}

/// Every GL thread of the process that nobody has joined yet.
///
/// Drivers unload themselves when the process exits, and free what they keep per thread. A thread
/// that is still in one, or that is leaving and so frees the same itself, would crash a process
/// that has done all its work. So threads are joined, and none runs while drivers go.
package enum GLThreads {
  private static let unjoined = Mutex<[GLThread]>([])
  /// With the first thread, that all of them end before a process that uses `ProcessEnd`.
  private static let endsWithProcess: Void = ProcessEnd.expect { end() }
  /// The deadline for all threads at the process's end if a driver hangs: 10 s.
  private static let endOfPatience = ContinuousClock.now + .seconds(10)

  /// Adds one that has started, and joins those that have left since, for their stacks.
  static func add(_ thread: GLThread) {
    _ = endsWithProcess
    unjoined.withLock { threads in
      threads.removeAll { $0.join(until: .now) }
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
      threads.removeAll { !$0.isCurrent && $0.join(until: .now) }
    }
  }
}
