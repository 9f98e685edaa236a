import FrostglassServer
import FrostglassStills
import Glibc
import Testing

/// The service with its work in child processes.
@Suite struct WorkerServiceTests {
  /// Has the child crash for one sigma, and do all else.
  private struct Crashing: Worker {
    let pool: WorkerPool

    func perform(_ order: WorkOrder) async -> WorkAnswer {
      guard order.fields.contains(Field("sigma", "13")) else { return await pool.perform(order) }
      return await pool.perform(
        WorkOrder("test-crash", fields: [Field("value", "segfault")], limits: order.limits))
    }
  }

  /// A crash in a decoder costs one request.
  @Test func aCrashCostsOneRequest() async throws {
    let pool = try CheckedPool(2)
    let server = try TestServer(worker: Crashing(pool: pool.pool))
    let picture = try Sample.photograph()
    let expected = try await server.post("/v1/blur?sigma=5", picture)
    #expect(expected.status == 200)
    for _ in 0..<3 {
      let reply = try await server.post("/v1/blur?sigma=13", picture)
      #expect(reply.status == 500 && reply.problem == "work-failed", "\(reply.text)")
      #expect(!reply.text.contains("signal") && reply["x-request-id"] != nil)
      let next = try await server.post("/v1/blur?sigma=5", picture)
      #expect(next.status == 200 && next.body == expected.body)
    }
    #expect(await pool.until { pool.ends == Array(repeating: .signaled(SIGSEGV), count: 3) })
  }

  /// The next request works after a child was killed.
  @Test func aKilledChildIsReplaced() async throws {
    let pool = try CheckedPool()
    let server = try TestServer(worker: pool.pool, jobs: 1)
    let picture = try Sample.file(.webp)
    #expect(try await server.post("/v1/blur?sigma=5&format=avif", picture).status == 200)
    for process in pool.pool.processes { kill(process, SIGKILL) }
    #expect(await pool.until { pool.started.count == 2 }, "\(pool.events)")
    #expect(try await server.post("/v1/blur?sigma=5&format=avif", picture).status == 200)
  }

  /// A client that leaves has its child ended.
  @Test func aClientThatLeavesEndsItsWork() async throws {
    let pool = try CheckedPool()
    let server = try TestServer(worker: Hanging(pool: pool.pool), jobs: 1)
    let picture = try Sample.file()
    #expect(await pool.until { pool.pool.ready == 1 })
    try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send(TestServer.request("/v1/blur?sigma=5", picture))
      // A client that leaves before is none that work was begun for.
      withExtendedLifetime(client) {
        for _ in 0..<24_000 where pool.pool.busy == 0 { usleep(5000) }
      }
    }
    #expect(await pool.until { pool.ends == [.cancelled] }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  /// Has the child hang, except where readiness is tried.
  private struct Hanging: Worker {
    let pool: WorkerPool

    func perform(_ order: WorkOrder) async -> WorkAnswer {
      guard !order.fields.contains(Field("sigma", "2")) else {
        return WorkAnswer(status: 200, contentType: "image/png", body: [])
      }
      return await pool.perform(WorkOrder("test-hang", limits: order.limits))
    }
  }
}
