import FrostglassStills
import FrostglassServer
import Synchronization
import Testing

@Suite struct ReadinessTests {
  private final class Switch: Worker {
    let works = Mutex(true)

    func perform(_ order: WorkOrder) async -> WorkAnswer {
      WorkAnswer(
        status: works.withLock { $0 } ? 200 : 500, contentType: "image/png",
        body: order.parts["picture"] ?? [])
    }
  }

  @Test func itIsReadyWhileWorkIsDone() async throws {
    let worker = Switch()
    let readiness = Readiness(worker, seconds: 1)
    #expect(!readiness.isReady, "before the first try")
    await readiness.probe()
    #expect(readiness.isReady)
    worker.works.withLock { $0 = false }
    await readiness.probe()
    #expect(!readiness.isReady)
    worker.works.withLock { $0 = true }
    await readiness.probe()
    #expect(readiness.isReady)
  }

  @Test func aRealImageIsBlurred() async throws {
    let server = try TestServer()
    var reply = try await server.get("/health/ready")
    for _ in 0..<2000 where reply.status != 200 {
      try await Task.sleep(for: .milliseconds(20))
      reply = try await server.get("/readyz")
    }
    #expect(reply.status == 200)
    #expect(reply.text.contains("\"backend\":\"fast\""))
    server.server.service.gate.isDraining = true
    let draining = try await server.get("/health/ready")
    #expect(draining.status == 503)
    #expect(draining.problem == "not-ready")
    #expect(try await server.get("/health/live").status == 200)
  }

  @Test func brokenWorkIsNotReady() async throws {
    let worker = Switch()
    worker.works.withLock { $0 = false }
    let server = try TestServer(worker: worker)
    let reply = try await server.get("/health/ready")
    #expect(reply.status == 503)
  }
}
