import FrostglassStills
import FrostglassCore
import FrostglassServer
import Testing

@Suite struct RecordTests {
  private func members(_ line: String) throws -> [String: JSONValue.Content] {
    guard case .object(let members) = try JSONValue(text: line).content else { return [:] }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.content) })
  }

  @Test func aRequestIsALine() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    let reply = try await server.post("/v1/blur?sigma=2&signature=secret", picture)
    #expect(await eventually { server.log.count == 1 })
    let line = try #require(server.log.first)
    let members = try members(line)
    #expect(members["id"] == .string(reply["x-request-id"] ?? ""))
    #expect(members["route"] == .string("/v1/blur"))
    #expect(members["status"] == .number(200))
    #expect(members["received"] == .number(Double(picture.count)))
    #expect(members["sent"] == .number(Double(reply.body.count)))
    #expect(members["backend"] == .string("fast"))
    #expect(members["peer"] == .string("127.0.0.1"))
    #expect(!line.contains("secret"), "queries are not logged: they let in who reads the log")
    #expect(!line.contains("\n"))
  }

  @Test func aRefusalSaysWhy() async throws {
    let server = try TestServer()
    _ = try await server.post("/v1/blur?sigma=%0A%22x", try Sample.file())
    #expect(await eventually { server.log.count == 1 })
    let members = try members(try #require(server.log.first))
    #expect(members["status"] == .number(400))
    guard case .object? = members["problem"] else {
      Issue.record("no problem in \(server.log)")
      return
    }
  }

  @Test func clientsThatLeaveAreLines() async throws {
    let server = try TestServer()
    try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send("POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
    }
    #expect(await eventually { server.log.count == 1 })
    #expect(try members(try #require(server.log.first))["status"] == .number(499))
  }

  @Test func probesAreNotLogged() async throws {
    let server = try TestServer()
    for page in ["/health/live", "/metrics", "/docs"] { _ = try await server.get(page) }
    #expect(server.log.count == 1)
  }

  @Test func requestsAreCounted() async throws {
    let server = try TestServer()
    _ = try await server.post("/v1/blur?sigma=2", try Sample.file())
    _ = try await server.post("/v1/blur?sigma=x", try Sample.file())
    #expect(await eventually { server.log.count == 2 })
    let text = try await server.get("/metrics").text
    #expect(text.contains("frostglass_requests_total{route=\"/v1/blur\",status=\"200\"} 1\n"))
    #expect(text.contains("frostglass_requests_total{route=\"/v1/blur\",status=\"400\"} 1\n"))
    #expect(text.contains("frostglass_stage_seconds_count{stage=\"execute\"} 1\n"))
    #expect(text.contains("frostglass_request_seconds_bucket{route=\"/v1/blur\",le=\"+Inf\"} 2\n"))
    #expect(text.contains("frostglass_jobs_waiting 0.0\n"))
    // Every line is a comment, or a name with labels and a number.
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      #expect(words.count == 2 && Double(words[1]) != nil, "\(line)")
    }
  }
}
