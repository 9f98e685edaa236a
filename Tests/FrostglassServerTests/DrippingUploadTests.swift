import FrostglassServer
import FrostglassStills
import Testing

/// Uploads that come a byte at a time block no other client, however many there are.
@Suite struct DrippingUploadTests {
  private static let head =
    "POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n"

  /// Uploads that have begun, one after another.
  private func uploads(
    _ count: Int, at server: TestServer, _ body: [UInt8] = [], from client: String = "10.0.0.1"
  ) async throws -> [RawClient] {
    try await onThread { [port = server.port] in
      try (0..<count).map { _ in
        let upload = try RawClient(port: port)
        upload.send(Array("\(Self.head)X-Forwarded-For: \(client)\r\n\r\n".utf8) + body)
        return upload
      }
    }
  }

  private func server(
    rate: Int, perClient: Int? = nil, connections: Int = 4, patience: Double = 5
  ) throws -> TestServer {
    try TestServer {
      $0.connections.patience = patience
      $0.connections.connections = connections
      $0.connections.perClient = perClient
      $0.connections.bodyRate = rate
      $0.connections.proxies = TrustedProxies(text: "127.0.0.1") ?? TrustedProxies()
    }
  }

  /// More of them than connections that are served: who comes takes the place of the one that is furthest behind.
  @Test func theOneFurthestBehindMakesRoom() async throws {
    // They end for others alone, and not by their rate.
    let server = try server(rate: 1_000_000, perClient: 4, patience: 10_000)
    var all: [RawClient] = []
    for count in 1...12 {
      all += try await uploads(1, at: server)
      let expected = min(count, 4)
      #expect(await eventually { server.server.service.connections() == expected })
    }
    let first = Array(all.prefix(8))
    let areClosed = await eventually { first.allSatisfy { $0.isClosedByNow } }
    #expect(areClosed)
    #expect(all.suffix(4).allSatisfy { !$0.isClosedByNow })
    let picture = try Sample.file()
    for _ in 0..<3 {
      let other = ["X-Forwarded-For: 10.0.0.2"]
      #expect(try await server.post("/v1/blur?sigma=2", picture, other).status == 200)
    }
    #expect(all.suffix(3).allSatisfy { !$0.isClosedByNow }, "one place was enough for all three")
  }

  /// An upload that keeps up is left alone, and whoever comes is told so; health and metrics are for everybody.
  @Test func uploadsThatKeepUpStay() async throws {
    let server = try server(rate: 1, perClient: 4)
    let all = try await uploads(4, at: server, [UInt8](repeating: 1, count: 100_000))
    #expect(await eventually { server.server.service.gate.bytes == 400_000 })
    let refused = try await server.post("/v1/blur?sigma=2", try Sample.file())
    #expect(refused.status == 429 && refused.text.contains("too many connections"))
    for page in ["/metrics", "/health/live"] {
      #expect(try await server.get(page).status == 200, "\(page)")
    }
    #expect(all.allSatisfy { !$0.isClosedByNow })
  }

  /// One client has half of the places, whatever it does there.
  @Test func oneClientLeavesPlacesToOthers() async throws {
    let server = try server(rate: 1)
    let all = try await uploads(2, at: server, [UInt8](repeating: 1, count: 100_000))
    #expect(await eventually { server.server.service.gate.bytes == 200_000 })
    let picture = try Sample.file()
    let same = ["X-Forwarded-For: 10.0.0.3, 10.0.0.1"]
    #expect(try await server.post("/v1/blur?sigma=2", picture, same).status == 429)
    let other = ["X-Forwarded-For: 10.0.0.1, 10.0.0.3"]
    #expect(try await server.post("/v1/blur?sigma=2", picture, other).status == 200)
    withExtendedLifetime(all) {}
  }

  /// Its time is far away, and its rate ends it.
  @Test func aBodyThatDoesNotKeepUpIsClosed() async throws {
    let server = try server(rate: 1_000_000)
    let slow = try await uploads(1, at: server, [1, 2, 3])
    #expect(await eventually { slow[0].isClosedByNow && server.server.requestCount == 0 })
    #expect(await eventually { server.server.service.gate.bytes == 0 })
  }

  /// Memory is taken by received bytes, not by announced ones.
  @Test func announcementsTakeNoMemory() throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 1, bytes: 100)
    let body = BodyCollector(mostBytes: 1 << 50, expected: 1 << 50, room: AdmissionQueue.Room(gate))
    let isTaken = [UInt8]([1, 2, 3]).withUnsafeBytes { body.add($0) }
    #expect(isTaken && gate.bytes == 3)
    #expect(try body.take().count == 3)
  }
}

/// The identity of a client.
@Suite struct TrustedProxiesTests {
  private func client(_ proxies: String?, _ peer: String, _ forwarded: String...) -> String {
    let trusted = proxies.flatMap { TrustedProxies(text: $0) } ?? TrustedProxies()
    var head = RequestHead(
      method: "GET", target: "/", headers: forwarded.map { Field("X-Forwarded-For", $0) },
      peer: peer)
    head.address = trusted.address(of: head)
    return head.client
  }

  @Test func onlyTrustedProxiesAreBelieved() {
    #expect(client(nil, "127.0.0.1", "1.2.3.4") == "127.0.0.1")
    #expect(client("10.0.0.0/8", "127.0.0.1", "1.2.3.4") == "127.0.0.1")
    #expect(client("127.0.0.1", "127.0.0.1", "1.2.3.4") == "1.2.3.4")
    #expect(client("unix", "unix", "1.2.3.4") == "1.2.3.4")
    #expect(client("127.0.0.1", "unix", "1.2.3.4") == "unix")
    #expect(client("::1", "::1", "1.2.3.4") == "1.2.3.4")
    #expect(client("127.0.0.0/8", "::ffff:127.0.0.9", "1.2.3.4") == "1.2.3.4")
  }

  /// Addresses that the client wrote itself come before the one that the proxy adds.
  @Test func theLastAddressThatIsNoProxysCounts() {
    #expect(client("127.0.0.1", "127.0.0.1", "6.6.6.6, 1.2.3.4") == "1.2.3.4")
    #expect(client("127.0.0.1", "127.0.0.1", "6.6.6.6", "1.2.3.4") == "1.2.3.4")
    #expect(client("127.0.0.1,10.0.0.0/8", "127.0.0.1", "1.2.3.4,10.1.1.1") == "1.2.3.4")
    #expect(client("127.0.0.1", "127.0.0.1", "1.2.3.4, nonsense") == "127.0.0.1")
    #expect(client("127.0.0.1", "127.0.0.1") == "127.0.0.1")
  }

  /// A home has all addresses of its network.
  @Test func networksOfIPv6AreOneClient() {
    let one = client(nil, "2001:db8:1:2::1")
    #expect(one == client(nil, "2001:db8:1:2:ffff::9"))
    #expect(one != client(nil, "2001:db8:1:3::1"))
  }

  @Test(arguments: ["", "nginx", "10.0.0.0/33", "10.0.0.0/", "1.2.3.4/x", "127.0.0.1,x"])
  func anythingElseIsNone(_ text: String) { #expect(TrustedProxies(text: text) == nil) }
}
