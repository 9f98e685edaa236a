import FrostglassServer
import Testing

/// Cancelled orders block no other order.
@Suite struct WorkQueueTests {
  /// More than a socket has room for in bytes.
  @Test func anOrderIsTakenHoweverManyWereCancelledBeforeIt() async throws {
    let pool = try CheckedPool()
    let blocked = Task { await pool.perform("test-hang", seconds: 600) }
    #expect(await pool.until { pool.pool.busy == 1 })
    let waiting = (0..<1000).map { _ in
      Task { await pool.perform("test-crash", ["abort"], seconds: 600).status }
    }
    #expect(await pool.until { pool.pool.waiting == 1000 })
    for task in waiting { task.cancel() }
    for task in waiting { #expect(await task.value == 503) }
    #expect(pool.pool.waiting == 0)
    blocked.cancel()
    _ = await blocked.value
    for _ in 0..<3 { #expect(await pool.process() != nil) }
    #expect(pool.ends == [.cancelled], "\(pool.events)")
  }

  /// One byte may tell of many orders.
  @Test func allThatWaitAreTaken() async throws {
    let pool = try CheckedPool()
    let blocked = Task { await pool.perform("test-hang", seconds: 600) }
    #expect(await pool.until { pool.pool.busy == 1 })
    let waiting = (0..<1000).map { _ in
      Task { await pool.perform("test-process", seconds: 600).status }
    }
    #expect(await pool.until { pool.pool.waiting == 1000 })
    blocked.cancel()
    _ = await blocked.value
    for task in waiting { #expect(await task.value == 200) }
  }

  /// Files of clients that left are not kept until a child comes by.
  @Test func anOrderThatIsGivenUpIsLetGo() async {
    let ticket = WorkTicket(
      WorkOrder("blur", parts: ["picture": [1, 2, 3]]), deadline: .now + .seconds(600))
    let answer = await ticket.answer {
      #expect(ticket.order?.parts == ["picture": [1, 2, 3]])
      ticket.giveUp(.cancelled)
    }
    #expect(answer.status == 503)
    #expect(ticket.order == nil)
  }

  @Test func anOrderThatNobodyWaitedForIsLetGo() {
    let ticket = WorkTicket(WorkOrder("blur"), deadline: .now)
    ticket.giveUp(.late)
    #expect(ticket.order == nil)
  }
}
