import FrostglassServer
import Testing

/// Requests with ambiguous framing are rejected, and their connection is closed.
@Suite struct FrameGuardTests {
  private static let picture = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Heads that smuggle, or try to, and what comes back.
  static let attacks: [(name: String, request: String, status: Int)] = [
    (
      "length and chunks",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "0\r\n\r\n", 400
    ),
    (
      "chunks and length",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
        + "0\r\n\r\n", 400
    ),
    (
      "two lengths",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      400
    ),
    (
      "the same length twice",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      400
    ),
    (
      "a list of lengths",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello", 400
    ),
    (
      "a length with a sign",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello", 400
    ),
    (
      "a negative length",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\nhello", 400
    ),
    (
      "a hexadecimal length",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello", 400
    ),
    (
      "an unknown coding",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400
    ),
    (
      "a second coding",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400
    ),
    (
      "two codings",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400
    ),
    (
      "identity",
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\nhello", 400
    ),
    (
      "chunks of HTTP/1.0",
      "POST /v1/blur HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
    ),
    ("two hosts", "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("no host", "GET /health/live HTTP/1.1\r\n\r\n", 400),
    ("a space before the colon", "GET /health/live HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    ("a zero in the target", "GET /health/live\0x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("no path", "GET health HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("another server's address", "GET http://b/health/live HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("a byte beyond ASCII", "GET /health/\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    (
      "a long target",
      "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414
    ),
    (
      "a head of 200 KB",
      "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 200_000))\r\n\r\n", 431
    ),
  ]

  @Test(arguments: attacks.indices) func isRefusedAndClosed(_ index: Int) async throws {
    let attack = Self.attacks[index]
    let server = try TestServer()
    let (reply, isClosed, rest) = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      // A request behind it must not be answered.
      client.send(attack.request + Self.picture)
      let reply = try client.reply()
      let end = client.rest()
      return (reply, end.isClosed, String(decoding: end.bytes, as: UTF8.self))
    }
    #expect(reply.status == attack.status, "\(attack.name): \(reply.text)")
    #expect(isClosed, "\(attack.name)")
    #expect(!rest.contains("200 OK"), "\(attack.name): \(rest)")
    // What libmicrohttpd refuses by itself, heads that are too long and lengths that are no numbers, has its head twice.
    guard attack.status != 431, !(4...7).contains(index) else { return }
    #expect(reply.problem != nil && !rest.contains("HTTP/1.1 "), "\(attack.name): \(rest)")
  }

  @Test func wellFramedRequestsAreAnsweredOneAfterAnother() async throws {
    let server = try TestServer()
    let body = try Sample.file()
    let statuses = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      var statuses: [Int] = []
      client.send(Self.picture + Self.picture)
      for _ in 0..<2 { statuses.append(try client.reply().status) }
      client.send(TestServer.request("/v1/blur?sigma=1", body))
      statuses.append(try client.reply().status)
      client.send(
        "POST /v1/blur?sigma=1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
          + String(body.count, radix: 16) + "\r\n")
      client.send(body + Array("\r\n0\r\n\r\n".utf8))
      statuses.append(try client.reply().status)
      client.send(Self.picture)
      statuses.append(try client.reply().status)
      return statuses
    }
    #expect(statuses == [200, 200, 200, 200, 200])
  }

  @Test func oddNamesAndValuesAreNoHeaders() {
    for field in [Field("a b", "c"), Field("", "c"), Field("a", "c\u{1}"), Field("a", "\u{7F}")] {
      var context = RequestContext(
        RequestHead(method: "GET", target: "/", headers: [field]), id: "1")
      #expect(throws: Problem.self) { try FrameGuard().run(&context) }
    }
  }
}
