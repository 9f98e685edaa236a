import Frostglass
import TestSupport
import Testing

/// So many jobs at once, within so much memory, in order.
@Suite struct AdmissionTests {
  private func start(
    _ name: Int, _ bytes: Int, _ admission: Admission, _ jobs: GatedJobs
  ) async -> Task<Void, any Error> {
    let before = admission.running + admission.waiting
    let task = Task {
      try await admission.run(bytes) { () async throws(FrostglassError) in await jobs.run(name) }
    }
    await until { admission.running + admission.waiting > before }
    return task
  }

  @Test func placesAndMemoryAreKept() async throws {
    let (admission, jobs) = (Admission(jobs: 3, memory: 100), GatedJobs())
    var tasks: [Task<Void, any Error>] = []
    for (name, bytes) in [40, 60, 0, 10, 50].enumerated() {
      tasks.append(await start(name, bytes, admission, jobs))
    }
    await until { jobs.begun.count == 3 }
    #expect(jobs.begun == [0, 1, 2] && admission.bytes == 100 && admission.waiting == 2)
    jobs.end(2)
    // There is a place, but no memory, and nobody overtakes.
    await until { admission.running == 2 }
    #expect(admission.waiting == 2)
    jobs.end(1)
    await until { jobs.begun.count == 5 }
    #expect(admission.bytes == 100)
    for name in 0..<5 { jobs.end(name) }
    for task in tasks { try await task.value }
    #expect(admission.running == 0 && admission.bytes == 0)
  }

  @Test func aLargeOneRunsAlone() async throws {
    let (admission, jobs) = (Admission(jobs: 4, memory: 100), GatedJobs())
    let small = await start(0, 1, admission, jobs)
    let large = await start(1, 5000, admission, jobs)
    let later = await start(2, 1, admission, jobs)
    #expect(admission.running == 1 && admission.waiting == 2)
    jobs.end(0)
    await until { jobs.begun == [0, 1] }
    #expect(admission.running == 1)
    jobs.end(1)
    await until { jobs.begun == [0, 1, 2] }
    jobs.end(2)
    for task in [small, large, later] { try await task.value }
  }

  /// Cancelled in the middle of a queue of three: it hears so at once, and the others have their turn.
  @Test func whoIsCancelledLeavesTheQueue() async throws {
    let (admission, jobs) = (Admission(jobs: 1, memory: 100), GatedJobs())
    var tasks: [Task<Void, any Error>] = []
    for name in 0..<4 { tasks.append(await start(name, 1, admission, jobs)) }
    tasks[2].cancel()
    #expect(await ending(of: tasks[2]) == .cancelled)
    #expect(admission.running == 1 && admission.waiting == 2 && admission.bytes == 1)
    for name in [0, 1, 3] {
      await until { jobs.begun.last == name }
      jobs.end(name)
      try await tasks[name].value
    }
    #expect(jobs.begun == [0, 1, 3])
    #expect(admission.running == 0 && admission.waiting == 0 && admission.bytes == 0)
  }

  /// Jobs behind a blocking one are admitted at once after it leaves.
  @Test func thoseBehindAreLetIn() async throws {
    let (admission, jobs) = (Admission(jobs: 3, memory: 100), GatedJobs())
    let first = await start(0, 60, admission, jobs)
    let large = await start(1, 80, admission, jobs)
    let small = await start(2, 40, admission, jobs)
    #expect(admission.waiting == 2)
    large.cancel()
    #expect(await ending(of: large) == .cancelled)
    await until { Set(jobs.begun) == [0, 2] }
    #expect(admission.bytes == 100)
    for name in [0, 2] { jobs.end(name) }
    for task in [first, small] { try await task.value }
    #expect(admission.running == 0 && admission.bytes == 0)
  }

  @Test func waitingEndsAtTheDeadline() async throws {
    let (admission, jobs) = (Admission(jobs: 1, memory: 100), GatedJobs())
    let first = await start(0, 1, admission, jobs)
    await until { jobs.begun == [0] }
    for deadline in [ContinuousClock.now, .now + .milliseconds(20)] {
      let late = Task {
        try await admission.run(1, until: deadline) { () async throws(FrostglassError) in
          await jobs.run(1)
        }
      }
      #expect(await ending(of: late) == .deadlineExceeded)
    }
    #expect(jobs.begun == [0] && admission.running == 1 && admission.waiting == 0)
    jobs.end(0)
    try await first.value
    // One that is in time has the place, as long as it likes.
    let next = Task {
      try await admission.run(1, until: .now + .seconds(600)) {
        () async throws(FrostglassError) in await jobs.run(2)
      }
    }
    await until { jobs.begun == [0, 2] }
    jobs.end(2)
    try await next.value
    #expect(admission.running == 0)
  }

  /// Before it comes to the queue, though there is a place.
  @Test func whoIsCancelledBeforeDoesNotRun() async throws {
    let (admission, jobs) = (Admission(jobs: 1, memory: 100), GatedJobs())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await admission.run(1) { () async throws(FrostglassError) in await jobs.run(0) }
    }
    #expect(await ending(of: task) == .cancelled)
    #expect(jobs.begun.isEmpty && admission.running == 0 && admission.waiting == 0)
  }

  /// Waiters are cancelled as their turn comes: no place is lost, and no waiter is resumed twice.
  @Test func turnsAndEndsMayComeTogether() async {
    let admission = Admission(jobs: 2, memory: 100)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task {
            try await admission.run(number % 70) { () async throws(FrostglassError) in
              await Task.yield()
            }
          }
          for _ in 0..<number % 7 { await Task.yield() }
          if number % 3 > 0 { task.cancel() }
          _ = await task.result
        }
      }
    }
    #expect(admission.running == 0 && admission.waiting == 0 && admission.bytes == 0)
  }
}
