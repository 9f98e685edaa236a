import FrostglassStills
import FrostglassServer
import Glibc
import Testing

/// Clients that take their time are closed at their limit, while others are served.
@Suite struct SlowClientTests {
  private let server: TestServer

  init() throws {
    server = try TestServer {
      $0.connections.headSeconds = 1
      $0.connections.bodySeconds = 1
      $0.connections.answerSeconds = 2
    }
  }

  /// Sends a text and then a byte again and again, until the connection is closed.
  private func drip(_ start: String, _ byte: String) async throws -> Bool {
    try await onThread { [port = server.port] in
      let client = try RawClient(port: port, seconds: 1)
      client.send(start)
      for _ in 0..<40 {
        client.send(byte)
        usleep(250_000)
        if client.isClosedByNow { return true }
      }
      return false
    }
  }

  @Test func aHeadByTheByteIsClosed() async throws {
    async let slow = drip("GET /health/live HTTP/1.1\r\nHost: a\r\nX: ", "a")
    #expect(try await server.get("/health/live").status == 200)
    #expect(try await slow)
  }

  @Test func aFirstLineByTheByteIsClosed() async throws {
    #expect(try await drip("GET /", "a"))
  }

  @Test func silenceIsClosed() async throws {
    #expect(try await drip("", ""))
  }

  @Test func aBodyByTheByteIsClosed() async throws {
    async let slow = drip(
      "POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", "a")
    let others = try await server.post("/v1/blur?sigma=2", try Sample.file())
    #expect(others.status == 200)
    #expect(try await slow)
    #expect(await eventually { server.server.service.gate.bytes == 0 })
  }

  @Test func chunksByTheByteAreClosed() async throws {
    #expect(
      try await drip(
        "POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "1\r\na\r\n"))
  }

  @Test func manyOfThemHoldNobody() async throws {
    let port = server.port
    let slow = try await onThread {
      try (0..<100).map { _ in
        let client = try RawClient(port: port)
        client.send("POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        return client
      }
    }
    #expect(try await server.post("/v1/blur?sigma=2", try Sample.file()).status == 200)
    withExtendedLifetime(slow) {}
  }
}
