import FrostglassStills
import FrostglassServer
import Glibc
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

  /// A socket that somebody else holds too, as systemd does, stays open: who comes now is served by the
  /// next service.
  @Test func aSocketThatIsHeldElsewhereIsLeftOpen() async throws {
    let listener = try Listener(.tcp(host: "127.0.0.1", port: 0))
    // A program that another test starts would keep it open.
    let held = fcntl(listener.socket, F_DUPFD_CLOEXEC, 0)
    guard case .tcp(_, let port) = listener.address else { fatalError("no port") }
    let first = try #require(
      HTTPDaemon(listener: listener.socket, limits: ConnectionLimits(), handler: Greeter("first")))
    #expect(try await onThread { try Self.greeting(try RawClient(port: port)) } == "first")
    first.quiesce()
    let early = try await onThread { () -> RawClient in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    first.stop()
    let second = try #require(
      HTTPDaemon(listener: held, limits: ConnectionLimits(), handler: Greeter("second")))
    #expect(try await onThread { try early.reply().text } == "second")
    second.stop()
    #expect(await eventually { (try? RawClient(port: port)) == nil })
  }

  private static func greeting(_ client: RawClient) throws -> String {
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    return try client.reply().text
  }

  private struct Greeter: RequestHandler {
    let word: String

    init(_ word: String) { self.word = word }

    func refusal(of head: RequestHead) -> Response { Response(429) }

    func begin(_ head: RequestHead) -> Reception {
      .answer(Response(200, type: "text/plain", word))
    }
    func end(_ exchange: any Exchange, isDelivered: Bool) {}
  }

  /// Nothing of a service is in a codec any more when its process may end.
  @Test func theTryOfReadinessEndsFirst() async throws {
    let worker = SlowToStop()
    let server = try TestServer(worker: worker)
    #expect(await eventually { worker.isAtWork.withLock { $0 } })
    #expect(await server.server.drain())
    #expect(!worker.isAtWork.withLock { $0 })
  }

  /// Works until it is cancelled, and a while longer.
  private final class SlowToStop: Worker {
    let isAtWork = Mutex(false)

    func perform(_ order: WorkOrder) async -> WorkAnswer {
      isAtWork.withLock { $0 = true }
      try? await Task.sleep(for: .seconds(600))
      usleep(200_000)
      isAtWork.withLock { $0 = false }
      return WorkAnswer(status: 503, contentType: "application/json", body: [])
    }
  }

  @Test func whatDoesNotEndIsStopped() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker) { $0.limits.seconds = 1 }
    let picture = try Sample.file()
    let stuck = Task { try await server.post("/v1/blur?sigma=5", picture).status }
    #expect(await eventually { worker.started == 1 })
    #expect(await server.server.drain())
    #expect(try await stuck.value == 200)
    #expect(worker.cancelled == 1)
  }
}
