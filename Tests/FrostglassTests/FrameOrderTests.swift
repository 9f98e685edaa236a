import Frostglass
import FrostglassCore
import Testing

/// Frames in flight: so many at once, in and out in order, and none that is cancelled in the way of others.
@Suite struct FrameOrderTests {
  private func start(
    _ name: Int, _ order: FrameOrder, _ jobs: GatedJobs, until cancellation: Cancellation? = nil
  ) async -> Task<RunReport, any Error> {
    let before = order.inside + order.waiting
    let task = Task {
      try await order.inOrder(until: cancellation) { () async throws(BackendError) in
        await jobs.run(name)
        return RunReport(backend: "test")
      }
    }
    await until { order.inside + order.waiting > before }
    // Who is in begins.
    if order.waiting == 0 { await until { jobs.begun.contains(name) } }
    return task
  }

  @Test(arguments: [true, false]) func whoIsCancelledLeavesTheQueue(isTask: Bool) async throws {
    let (order, jobs, cancellation) = (FrameOrder(atOnce: 1), GatedJobs(), Cancellation())
    var tasks: [Task<RunReport, any Error>] = []
    for name in 0..<4 {
      tasks.append(await start(name, order, jobs, until: name == 2 ? cancellation : nil))
    }
    #expect(order.inside == 1 && order.waiting == 3)
    if isTask { tasks[2].cancel() } else { cancellation.cancel() }
    #expect(await ending(of: tasks[2]) == .cancelled)
    #expect(order.inside == 1 && order.waiting == 2)
    for name in [0, 1, 3] {
      await until { jobs.begun.last == name }
      jobs.end(name)
      #expect(await ending(of: tasks[name]) == .done)
    }
    #expect(jobs.begun == [0, 1, 3] && order.inside == 0 && order.waiting == 0)
  }

  /// The place that a cancelled one would have had is the next one's.
  @Test func noPlaceIsLost() async throws {
    let (order, jobs) = (FrameOrder(atOnce: 2), GatedJobs())
    var tasks: [Task<RunReport, any Error>] = []
    for name in 0..<5 { tasks.append(await start(name, order, jobs)) }
    tasks[2].cancel()
    #expect(await ending(of: tasks[2]) == .cancelled)
    jobs.end(0)
    // While the second is still in.
    await until { jobs.begun == [0, 1, 3] }
    #expect(await ending(of: tasks[0]) == .done)
    #expect(order.inside == 2 && order.waiting == 1)
    for name in [1, 3, 4] { jobs.end(name) }
    for name in [1, 3, 4] { #expect(await ending(of: tasks[name]) == .done) }
    #expect(jobs.begun == [0, 1, 3, 4] && order.inside == 0)
  }

  /// It is done and waits for those before it.
  @Test func whoIsCancelledBeforeLeavingMakesRoom() async throws {
    let (order, jobs) = (FrameOrder(atOnce: 2), GatedJobs())
    var tasks: [Task<RunReport, any Error>] = []
    for name in 0..<4 { tasks.append(await start(name, order, jobs)) }
    jobs.end(1)
    tasks[1].cancel()
    #expect(await ending(of: tasks[1]) == .cancelled)
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
    for name in [0, 2, 3] { #expect(await ending(of: tasks[name]) == .done) }
    await third.value
    #expect(order.inside == 0 && order.waiting == 0)
  }

  @Test func whoIsLateLeavesTheQueue() async throws {
    let (order, jobs) = (FrameOrder(atOnce: 1), GatedJobs())
    let first = await start(0, order, jobs)
    for patience in [Duration.zero, .milliseconds(20)] {
      let late = Task {
        try await order.inOrder(until: Cancellation(deadline: .now + patience)) {
          () async throws(BackendError) in
          await jobs.run(1)
          return RunReport(backend: "test")
        }
      }
      #expect(await ending(of: late) == .deadlineExceeded)
    }
    #expect(jobs.begun == [0] && order.inside == 1 && order.waiting == 0)
    jobs.end(0)
    #expect(await ending(of: first) == .done)
  }

  /// Before it comes to the queue, though there is room.
  @Test func whoIsCancelledBeforeIsNotLetIn() async throws {
    let (order, jobs) = (FrameOrder(atOnce: 1), GatedJobs())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await order.inOrder(until: nil) { () async throws(BackendError) in
        await jobs.run(0)
        return RunReport(backend: "test")
      }
    }
    #expect(await ending(of: task) == .cancelled)
    #expect(jobs.begun.isEmpty && order.inside == 0 && order.waiting == 0)
  }

  /// Cancelled as their turn comes, again and again: no place is lost, and nobody is told twice.
  @Test func turnsAndEndsMayComeTogether() async {
    let order = FrameOrder(atOnce: 3)
    let running = Monitor((now: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task {
            try await order.inOrder(until: nil) { () async throws(BackendError) in
              running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
              await Task.yield()
              running.withLock { $0.now -= 1 }
              return RunReport(backend: "test")
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
}
