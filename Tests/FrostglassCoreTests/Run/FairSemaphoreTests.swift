import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// So many at once, in and out in order, and none that is cancelled in the way of others.
@Suite struct FairSemaphoreTests {
  private func start(
    _ name: Int, _ order: FairSemaphore, _ jobs: GatedJobs, until cancellation: Cancellation? = nil
  ) async -> Task<Void, any Error> {
    let before = order.inside + order.waiting
    let task = Task {
      try await order.inOrder(until: cancellation) { () async throws(BackendError) in
        await jobs.run(name)
      }
    }
    await until { order.inside + order.waiting > before }
    // Who is in begins.
    if order.waiting == 0 { await until { jobs.begun.contains(name) } }
    return task
  }

  @Test(arguments: [true, false]) func whoIsCancelledLeavesTheQueue(isTask: Bool) async throws {
    let (order, jobs, cancellation) = (FairSemaphore(1), GatedJobs(), Cancellation())
    var tasks: [Task<Void, any Error>] = []
    for name in 0..<4 {
      tasks.append(await start(name, order, jobs, until: name == 2 ? cancellation : nil))
    }
    #expect(order.inside == 1 && order.waiting == 3)
    if isTask { tasks[2].cancel() } else { cancellation.cancel() }
    await #expect(throws: BackendError.cancelled) { try await tasks[2].value }
    #expect(order.inside == 1 && order.waiting == 2)
    for name in [0, 1, 3] {
      await until { jobs.begun.last == name }
      jobs.end(name)
      try await tasks[name].value
    }
    #expect(jobs.begun == [0, 1, 3] && order.inside == 0 && order.waiting == 0)
  }

  /// The place that a cancelled one would have had is the next one's.
  @Test func noPlaceIsLost() async throws {
    let (order, jobs) = (FairSemaphore(2), GatedJobs())
    var tasks: [Task<Void, any Error>] = []
    for name in 0..<5 { tasks.append(await start(name, order, jobs)) }
    tasks[2].cancel()
    await #expect(throws: BackendError.cancelled) { try await tasks[2].value }
    jobs.end(0)
    // While the second is still in.
    await until { jobs.begun == [0, 1, 3] }
    try await tasks[0].value
    #expect(order.inside == 2 && order.waiting == 1)
    for name in [1, 3, 4] { jobs.end(name) }
    for name in [1, 3, 4] { try await tasks[name].value }
    #expect(jobs.begun == [0, 1, 3, 4] && order.inside == 0)
  }

  /// It is done and waits for those before it.
  @Test func whoIsCancelledBeforeLeavingMakesRoom() async throws {
    let (order, jobs) = (FairSemaphore(2), GatedJobs())
    var tasks: [Task<Void, any Error>] = []
    for name in 0..<4 { tasks.append(await start(name, order, jobs)) }
    jobs.end(1)
    tasks[1].cancel()
    await #expect(throws: BackendError.cancelled) { try await tasks[1].value }
    await until { jobs.begun == [0, 1, 2] }
    #expect(order.inside == 2 && order.waiting == 1)
    // The third is done before the first, and waits for it all the same.
    let left = Monitor<[Int]>([])
    let third = Task { [task = tasks[2]] in
      _ = await task.result
      left.withLock { $0.append(2) }
    }
    jobs.end(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(left.withLock { $0 }.isEmpty && order.inside == 2)
    for name in [0, 3] { jobs.end(name) }
    for name in [0, 2, 3] { try await tasks[name].value }
    await third.value
    #expect(order.inside == 0 && order.waiting == 0)
  }

  @Test func whoIsLateLeavesTheQueue() async throws {
    let (order, jobs) = (FairSemaphore(1), GatedJobs())
    let first = await start(0, order, jobs)
    for patience in [Duration.zero, .milliseconds(20)] {
      let late = Task {
        try await order.inOrder(until: Cancellation(deadline: .now + patience)) {
          () async throws(BackendError) in
          await jobs.run(1)
        }
      }
      await #expect(throws: BackendError.deadlineExceeded) { try await late.value }
    }
    #expect(jobs.begun == [0] && order.inside == 1 && order.waiting == 0)
    jobs.end(0)
    try await first.value
  }

  /// Before it comes to the queue, though there is room.
  @Test func whoIsCancelledBeforeIsNotLetIn() async throws {
    let (order, jobs) = (FairSemaphore(1), GatedJobs())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await order.inOrder(until: nil) { () async throws(BackendError) in
        await jobs.run(0)
      }
    }
    await #expect(throws: BackendError.cancelled) { try await task.value }
    #expect(jobs.begun.isEmpty && order.inside == 0 && order.waiting == 0)
  }

  /// Waiters are cancelled as their turn comes: no place is lost, and no waiter is resumed twice.
  @Test func turnsAndEndsMayComeTogether() async {
    let order = FairSemaphore(3)
    let running = Monitor((now: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task {
            try await order.inOrder(until: nil) { () async throws(BackendError) in
              running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
              await Task.yield()
              running.withLock { $0.now -= 1 }
            }
          }
          for _ in 0..<number % 7 { await Task.yield() }
          if number % 3 > 0 { task.cancel() }
          _ = await task.result
        }
      }
    }
    #expect(order.inside == 0 && order.waiting == 0)
    #expect(running.withLock { $0.now == 0 && $0.most <= 3 })
  }

  /// A way to stop a waiter.
  enum Stop: CaseIterable { case task, cancellation, deadline }

  @Test(arguments: Stop.allCases) func aStoppedWaiterLeavesTheQueue(_ stop: Stop) async throws {
    let places = FairSemaphore(1)
    let place = try #require(places.enterNow())
    #expect(places.enterNow() == nil)
    let cancellation = Cancellation(deadline: stop == .deadline ? .now + .milliseconds(50) : nil)
    let first = Task { try await places.enter(until: cancellation) }
    // At the deadline it may be gone before it is seen.
    if stop != .deadline { await until { places.waiting == 1 } }
    let second = Task { try await places.enter(until: Cancellation()) }
    switch stop {
    case .task: first.cancel()
    case .cancellation: cancellation.cancel()
    case .deadline: break
    }
    await #expect(throws: stop == .deadline ? BackendError.deadlineExceeded : .cancelled) {
      try await first.value
    }
    await until { places.waiting == 1 }
    places.leave(place)
    let next = try await second.value
    #expect(places.enterNow() == nil)
    places.leave(next)
    #expect(places.enterNow() != nil)
  }

  @Test func aCancelledRunDoesNotBeginToWait() async {
    let (places, cancellation) = (FairSemaphore(1), Cancellation())
    cancellation.cancel()
    await #expect(throws: BackendError.cancelled) { try await places.enter(until: cancellation) }
    #expect(places.enterNow() != nil)
  }

  /// Also in a cancelled task, which has to let go of what it holds.
  @Test func ticketsLeaveInOrder() async {
    let places = FairSemaphore(2)
    let left = Mutex<[Int]>([])
    let (first, second) = (await places.enter(), await places.enter())
    async let third = places.enter()
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await places.waitForEarlier(second)
      left.withLock { $0.append(second) }
      places.leave(second)
    }
    for _ in 0..<100 { await Task.yield() }
    left.withLock { $0.append(first) }
    places.leave(first)
    await late.value
    let last = await third
    #expect(left.withLock { $0 } == [0, 1] && last == 2)
    async let end: Void = places.drain(to: 0)
    places.leave(last)
    await end
    #expect(places.inside == 0)
  }
}
