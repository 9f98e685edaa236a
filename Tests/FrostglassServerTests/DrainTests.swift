import FrostglassStills
import FrostglassServer
import Synchronization
import Testing

/// The service ends without losing a request that it has accepted.
@Suite struct DrainTests {
  @Test func acceptedRequestsAreAnsweredAndNewOnesAreNotTaken() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker)
    let picture = try Sample.file()
    let port = server.port
    // One whose work has begun, and one of which half the body has come.
    let begun = Task { try await server.post("/v1/blur?sigma=5", picture).status }
    #expect(await eventually { worker.started == 1 })
    let half = try await onThread { () -> RawClient in
      let client = try RawClient(port: port)
      let bytes = TestServer.request("/v1/blur?sigma=5", picture)
      client.send(Array(bytes[..<(bytes.count - 20)]))
      return client
    }
    #expect(await eventually { server.server.requestCount == 2 })
    let drain = Task { await server.server.drain() }
    #expect(await eventually { server.server.service.gate.isDraining })
    let isRefused = await eventually { (try? RawClient(port: port)) == nil }
    #expect(isRefused, "no more connections")
    worker.open()
    let second = try await onThread { () -> RawClient.Reply in
      half.send(Array(picture.suffix(20)))
      return try half.reply()
    }
    #expect(second.status == 200)
    #expect(try await begun.value == 200)
    #expect(await drain.value)
  }

  @Test func anIdleServiceEndsAtOnce() async throws {
    let server = try TestServer()
    _ = try await server.post("/v1/blur?sigma=2", try Sample.file())
    let idle = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.reply()
      return client
    }
    #expect(await server.server.drain())
    #expect(try await onThread { idle.rest().isClosed })
  }

  @Test func whatDoesNotEndIsStopped() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker) { $0.limits.seconds = 0.2 }
    let picture = try Sample.file()
    let stuck = Task { try await server.post("/v1/blur?sigma=5", picture).status }
    #expect(await eventually { worker.started == 1 })
    #expect(await server.server.drain())
    #expect(try await stuck.value == 200)
    #expect(worker.cancelled == 1)
  }
}
