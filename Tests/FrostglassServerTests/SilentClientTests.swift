import FrostglassServer
import FrostglassStills
import Testing

/// Clients that open connections and send nothing block no other client.
@Suite struct SilentClientTests {
  private static let health = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Connections that say nothing, in the order in which the service takes them.
  private func silent(_ count: Int, at server: TestServer) async throws -> [RawClient] {
    try await onThread { [port = server.port] in
      try (0..<count).map { _ in try RawClient(port: port) }
    }
  }

  private func status(_ text: String, on client: RawClient) async throws -> Int {
    try await onThread {
      client.send(text)
      return try client.reply().status
    }
  }

  /// More than can be served: they wait for nothing, and take no place.
  @Test func theyTakeNoPlace() async throws {
    let server = try TestServer { $0.connections.connections = 4 }
    let clients = try await silent(8, at: server)
    #expect(await eventually { server.server.service.connections() == 8 })
    #expect(try await server.get("/health/live").status == 200)
    #expect(try await server.post("/v1/blur?sigma=2", try Sample.file()).status == 200)
    #expect(clients.allSatisfy { !$0.isClosedByNow })
  }

  /// As many as may be open: whoever comes takes the place of the one that has waited longest, and of no
  /// other.
  @Test func theLongestSilentMakesRoom() async throws {
    let limits = ConnectionLimits(connections: 32)
    let server = try TestServer { $0.connections.connections = limits.connections }
    let clients = try await silent(limits.mostOpen, at: server)
    #expect(await eventually { server.server.service.connections() == limits.mostOpen })
    #expect(clients.allSatisfy { !$0.isClosedByNow })
    // Their limit is minutes away: nobody but this request makes them go.
    #expect(try await server.get("/health/live").status == 200)
    #expect(await eventually { clients[0].isClosedByNow })
    #expect(await eventually { server.server.service.connections() == limits.mostOpen - 1 })
    let more = try await silent(4, at: server)
    #expect(await eventually { clients[1...3].allSatisfy(\.isClosedByNow) })
    #expect(await eventually { server.server.service.connections() == limits.mostOpen })
    #expect(clients[4...].allSatisfy { !$0.isClosedByNow })
    #expect(more.allSatisfy { !$0.isClosedByNow })
    #expect(try await status(Self.health, on: clients[4]) == 200, "and who speaks is heard")
  }

  /// However many come, one after another and all at once.
  @Test func aFloodOfThemKeepsNobodyOut() async throws {
    let limits = ConnectionLimits(connections: 2)
    let server = try TestServer { $0.connections.connections = limits.connections }
    var floods: [[RawClient]] = []
    for _ in 0..<4 {
      floods.append(try await silent(50, at: server))
      #expect(try await server.get("/health/live").status == 200)
    }
    #expect(await eventually { server.server.service.connections() <= limits.mostOpen })
    let open = floods.joined().filter { !$0.isClosedByNow }
    #expect(open.count <= limits.mostOpen && !open.isEmpty)
  }

  /// A head that comes by the byte is none yet.
  @Test func halfAHeadIsNoBetterThanNone() async throws {
    let limits = ConnectionLimits(connections: 1)
    let server = try TestServer { $0.connections.connections = limits.connections }
    let clients = try await silent(limits.mostOpen, at: server)
    try await onThread { clients[0].send("GET /health/live HTTP/1.1\r\nHost: a\r\nX: ") }
    #expect(await eventually { server.server.requestCount == 1 })
    #expect(try await server.get("/health/live").status == 200)
    #expect(await eventually { clients[0].isClosedByNow && server.server.requestCount == 0 })
    #expect(clients[1...].allSatisfy { !$0.isClosedByNow })
  }

  /// Between two requests a connection waits like others, from its last answer on.
  @Test func whoHasAskedLatelyStaysLongest() async throws {
    let limits = ConnectionLimits(connections: 1)
    let server = try TestServer { $0.connections.connections = limits.connections }
    let clients = try await silent(limits.mostOpen, at: server)
    #expect(await eventually { server.server.service.connections() == limits.mostOpen })
    #expect(try await status(Self.health, on: clients[0]) == 200)
    #expect(await eventually { server.server.requestCount == 0 })
    let more = try await silent(limits.mostOpen - 1, at: server)
    #expect(await eventually { clients[1...].allSatisfy(\.isClosedByNow) })
    #expect(try await status(Self.health, on: clients[0]) == 200)
    #expect(await eventually { server.server.requestCount == 0 })
    let last = try await silent(1, at: server)
    #expect(await eventually { more[0].isClosedByNow })
    #expect(!clients[0].isClosedByNow && !last[0].isClosedByNow)
  }

  /// A body that comes slowly has a time of its own: none of them ends it.
  @Test func aSlowUploadIsLeftAlone() async throws {
    let limits = ConnectionLimits(connections: 1)
    let server = try TestServer { $0.connections.connections = limits.connections }
    let request = TestServer.request("/v1/blur?sigma=2", try Sample.file())
    let upload = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send(Array(request.dropLast(20)))
      return client
    }
    #expect(await eventually { server.server.service.gate.bytes > 0 })
    let clients = try await silent(3 * limits.mostOpen, at: server)
    #expect(await eventually { clients.count(where: \.isClosedByNow) > 2 * limits.mostOpen })
    #expect(try await server.get("/health/live").status == 200)
    let reply = try await onThread { () -> RawClient.Reply in
      upload.send(Array(request.suffix(20)))
      return try upload.reply()
    }
    #expect(reply.status == 200, "\(reply.text)")
  }

  /// Fewer connections may be open if the system has too few descriptors.
  @Test func descriptorsAreEnough() {
    var limits = ConnectionLimits(connections: 256)
    #expect(limits.mostOpen == 1024 && limits.mostTaken > limits.mostOpen)
    limits.room = 700
    #expect(limits.mostTaken == 700 && limits.mostOpen < 700)
    limits.room = 0
    #expect(limits.mostOpen == 1)
  }
}
