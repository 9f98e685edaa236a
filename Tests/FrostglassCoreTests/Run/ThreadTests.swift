import FrostglassCore
import Glibc
import Synchronization
import Testing

/// Threads beside Swift's pool, and what they share.
@Suite struct ThreadTests {
  @Test func aThreadPoolGivesResultsAndErrors() async throws {
    struct Wrong: Error {}
    let pool = ThreadPool()
    #expect(try await pool.run { () throws(Wrong) in 3 } == 3)
    await #expect(throws: Wrong.self) { try await pool.run { () throws(Wrong) in throw Wrong() } }
  }

  /// As many as wait for each other run at once.
  @Test func aThreadPoolGrowsWithItsWork() async {
    let pool = ThreadPool()
    let present = Monitor(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          await pool.run {
            present.change { $0 += 1 }
            present.wait(until: { $0 == 40 }) { _ in }
          }
        }
      }
    }
    #expect(present.withLock { $0 } == 40)
  }

  /// If one of two concurrent works gets no thread, the other one still runs.
  @Test func aThreadThatIsNotToBeHadIsNobodyElses() {
    struct Made {
      var threads = 0
      var isSecondDone = false
      var isFirstDone = false
    }
    let made = Monitor(Made())
    let soon = ContinuousClock.now + .seconds(20)
    let pool = ThreadPool { body in
      let number = made.change { made in
        made.threads += 1
        return made.threads
      }
      guard number == 1 else { return BackgroundThread.start(body) }
      // The system takes its time to refuse it.
      _ = made.wait(upTo: soon) { $0.isSecondDone }
      return false
    }
    BackgroundThread.start {
      pool.start {
        // For ever, if the second were left to this one's thread.
        _ = made.wait(upTo: soon) { $0.isSecondDone }
        made.change { $0.isFirstDone = true }
      }
    }
    #expect(made.wait(upTo: soon) { $0.threads == 1 })
    pool.start { made.change { $0.isSecondDone = true } }
    #expect(made.wait(upTo: soon) { $0.isSecondDone && $0.isFirstDone })
    #expect(ContinuousClock.now < soon)
  }

  /// A wait for a thread ends when it is cancelled, while the thread still works.
  @Test(arguments: [true, false]) func waitingEndsWithACancellation(byDeadline: Bool) async throws {
    let pool = ThreadPool()
    let gate = Monitor(false)
    let cancellation = Cancellation(deadline: byDeadline ? .now + .milliseconds(5) : nil)
    let expected: BackendError = byDeadline ? .deadlineExceeded : .cancelled
    await #expect(throws: expected) {
      try await cancellation.whileTaskRuns(actsAtDeadline: true) { () async throws(BackendError) in
        try await pool.run(until: cancellation, { $0 }) { () throws(BackendError) in
          if !byDeadline { cancellation.cancel() }
          gate.wait(until: { $0 }) { _ in }
        }
      }
    }
    gate.change { $0 = true }
  }

  /// A deadline is kept even if all of Swift's own threads are busy.
  @Test func aDeadlineActsWhileAllTasksCompute() async {
    let isLate = Monitor(false)
    let cancellation = Cancellation(deadline: .now + .milliseconds(5))
    cancellation.onCancel { isLate.change { $0 = true } }
    await cancellation.whileTaskRuns(actsAtDeadline: true) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<200 {
          group.addTask { while !isLate.withLock({ $0 }) { sched_yield() } }
        }
      }
    }
    #expect(cancellation.isCancelled)
  }

  /// A task that prefers them has its steps done there.
  @Test func aThreadPoolRunsTasks() async {
    let pool = ThreadPool()
    let isThere = await Task(executorPreference: pool) {
      await Task.yield()
      return withUnsafeCurrentTask { $0?.unownedTaskExecutor == pool.asUnownedTaskExecutor() }
    }.value
    #expect(isThere)
  }

  @Test func waitingForAMonitorEndsInTime() {
    let value = Monitor(1)
    #expect(value.wait(upTo: .now - .seconds(1)) { $0 == 1 })
    #expect(!value.wait(upTo: .now + .milliseconds(2)) { $0 == 2 })
    BackgroundThread.start { value.change { $0 = 2 } }
    #expect(value.wait(upTo: .now + .seconds(1 << 40)) { $0 == 2 })
  }

  /// Nothing of a job stays in memory: what it would have done on cancellation goes with it.
  @Test func aCancellationEndsWithItsWork() async throws {
    weak var kept: Cancellation?
    do {
      let cancellation = Cancellation(deadline: .now + .seconds(600))
      kept = cancellation
      let value = try await ThreadPool().run(until: cancellation, { $0 }) {
        () throws(BackendError) in 7
      }
      #expect(value == 7)
    }
    for _ in 0..<2000 where kept != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(kept == nil)
  }

  /// Threads that wait keep nothing of what they have done, neither what they began with nor what came then.
  @Test func aThreadPoolForgetsItsWork() async throws {
    final class Kept: Sendable {}
    let pool = ThreadPool()
    for _ in 0..<3 {
      weak var kept: Kept?
      do {
        let value = Kept()
        kept = value
        await pool.run { withExtendedLifetime(value) {} }
      }
      for _ in 0..<2000 where kept != nil { try await Task.sleep(for: .milliseconds(5)) }
      #expect(kept == nil)
    }
  }

  @Test func aCancellationActsOnce() {
    let count = Mutex(0)
    let cancellation = Cancellation()
    cancellation.onCancel { count.withLock { $0 += 1 } }
    #expect(!cancellation.isCancelled && count.withLock { $0 } == 0)
    cancellation.cancel()
    cancellation.cancel()
    cancellation.onCancel { count.withLock { $0 += 10 } }
    #expect(cancellation.isCancelled && count.withLock { $0 } == 11)
    #expect(throws: BackendError.cancelled) { try cancellation.check() }
  }

  /// The handler runs if a cancellation comes during the wait, and not after it.
  @Test func waitingEndsWithATaskOrACancellation() async {
    let cancellation = Cancellation()
    let (ended, after) = (Monitor(0), Monitor(0))
    // A task that is cancelled cancels nothing else.
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await cancellation.whileWaiting(orElse: { ended.withLock { $0 += 1 } }) {}
    }
    await task.value
    #expect(ended.withLock { $0 } == 1 && !cancellation.isCancelled)
    await cancellation.whileWaiting(orElse: { after.withLock { $0 += 1 } }) {}
    await cancellation.whileWaiting(orElse: { ended.withLock { $0 += 1 } }) {
      cancellation.cancel()
    }
    #expect(ended.withLock { $0 } == 2 && after.withLock { $0 } == 0)
    await cancellation.whileWaiting(orElse: { ended.withLock { $0 += 1 } }) {}
    #expect(ended.withLock { $0 } == 3)
  }

  @Test func waitingEndsAtADeadline() async {
    let cancellation = Cancellation(deadline: .now + .milliseconds(5))
    let isLate = AsyncStream.makeStream(of: Void.self)
    await cancellation.whileWaiting(orElse: { isLate.continuation.finish() }) {
      for await _ in isLate.stream {}
    }
    #expect(cancellation.isCancelled)
  }

  /// Without a thread it is done by who asks, or not at all.
  @Test func whatNeedsNoThreadIsDoneWithoutOne() async throws {
    let pool = ThreadPool { _ in false }
    let done = try await pool.run(until: Cancellation(), { $0 }, orHere: true) {
      () throws(BackendError) in 7
    }
    #expect(done == 7)
    let refused = await #expect(throws: BackendError.self) {
      try await pool.run(until: Cancellation(), { $0 }) { () throws(BackendError) in 7 }
    }
    #expect(refused?.description.contains("no thread could be started") == true)
    let cancelled = Cancellation()
    cancelled.cancel()
    await #expect(throws: BackendError.cancelled) {
      try await pool.run(until: cancelled, { $0 }, orHere: true) { () throws(BackendError) in 7 }
    }
  }
}
