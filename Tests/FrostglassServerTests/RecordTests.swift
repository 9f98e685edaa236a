import FrostglassStills
import FrostglassCore
import FrostglassServer
import TestSupport
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

  /// The client, request id and trace that a trusted proxy sends are in the log line. Those of other peers are
  /// ignored.
  @Test func aProxyNamesTheClientAndTheRequest() async throws {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    let said = [
      "X-Forwarded-For: 203.0.113.7", "X-Request-Id: edge-1.a_B", "traceparent: \(trace)",
    ]
    let server = try TestServer {
      $0.connections.proxies = TrustedProxies(text: "127.0.0.1") ?? TrustedProxies()
      $0.logsPaths = true
    }
    let reply = try await server.get("/v1/filters?signature=secret", said)
    #expect(reply["x-request-id"] == "edge-1.a_B")
    #expect(await eventually { server.log.count == 1 })
    let line = try members(try #require(server.log.first))
    #expect(line["client"] == .string("203.0.113.7") && line["peer"] == .string("127.0.0.1"))
    #expect(line["id"] == .string("edge-1.a_B") && line["traceparent"] == .string(trace))
    #expect(line["path"] == .string("/v1/filters"))
    let forged = try await server.get("/v1/filters", ["X-Request-Id: a\"b", "traceparent: x"])
    #expect(forged["x-request-id"]?.count == 16)
    let open = try TestServer()
    #expect(try await open.get("/v1/filters", said)["x-request-id"] != "edge-1.a_B")
    #expect(await eventually { open.log.count == 1 })
    let other = try members(try #require(open.log.first))
    #expect(other["client"] == nil && other["path"] == nil)
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
    #expect(text.contains("frostglass_jobs_waiting 0\n"))
    #expect(text.contains("frostglass_decoded_pixels_total \(24 * 16)\n"))
    #expect(text.contains("frostglass_encoded_pixels_total \(24 * 16)\n"))
    // Every line is a comment, or a name with labels and a number.
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      #expect(words.count == 2 && Double(words[1]) != nil, "\(line)")
    }
  }

  /// Unknown routes are counted as "other".
  @Test func whatIsNoRouteIsCalledOther() async throws {
    let server = try TestServer()
    let twoHosts = "GET /docs HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
    #expect(try await server.get("/nothing").status == 404)
    #expect(try await server.get("/" + String(repeating: "a", count: 9000)).status == 414)
    #expect(try await server.ask(twoHosts).status == 400)
    #expect(await eventually { server.log.count == 3 })
    for line in server.log { #expect(try members(line)["route"] == .string("other"), "\(line)") }
    let text = try await server.get("/metrics").text
    for status in [400, 404, 414] {
      #expect(text.contains("frostglass_requests_total{route=\"other\",status=\"\(status)\"} 1\n"))
    }
    #expect(!text.contains("route=\"/docs\""))
  }

  /// All frames of what comes and of what goes; a placeholder and a plan make no image.
  @Test func pixelsAreCounted() async throws {
    let server = try TestServer { $0.limits.maxFrames = 10 }
    let picture = try Sample.file(width: 30, height: 20)
    for target in ["fill?size=40x50", "redact?region=1,1,5,5", "placeholder", "plan?sigma=2"] {
      #expect(try await server.post("/v1/\(target)", picture).status == 200, "\(target)")
    }
    let frames = StillMetadata(animation: .init(delays: [100, 100, 100], loop: 0))
    var tall = Image(zeros: Size(width: 8, height: 12), format: .rgb8)
    for index in tall.bytes.indices { tall.bytes[index] = UInt8(truncatingIfNeeded: index) }
    let animation = try StillEncoder().encode(tall, metadata: frames, as: .webp)
    #expect(try await server.post("/v1/blur?sigma=1", animation).status == 200)
    #expect(await eventually { server.log.count == 5 })
    let text = try await server.get("/metrics").text
    #expect(text.contains("frostglass_decoded_pixels_total \(2 * 600 + 96)\n"), "\(text)")
    #expect(text.contains("frostglass_encoded_pixels_total \(2000 + 600 + 96)\n"), "\(text)")
  }

  /// A worker's metrics are bounded, even if it lies.
  @Test func nonsenseIsNotCounted() async throws {
    let server = try TestServer(worker: Boaster())
    #expect(try await server.post("/v1/blur?sigma=5", try Sample.file()).status == 200)
    #expect(await eventually { server.log.count == 1 })
    let text = try await server.get("/metrics").text
    #expect(text.contains("frostglass_decoded_pixels_total 0\n"))
    #expect(text.contains("frostglass_encoded_pixels_total \(1 << 40)\n"))
    #expect(text.contains("frostglass_recoveries_total 0\n"))
  }

  private struct Boaster: Worker {
    func perform(_ order: WorkOrder) async -> WorkAnswer {
      WorkAnswer(
        status: 200, contentType: "image/png",
        fields: [
          Field("X-Frostglass-Decoded-Pixels", "-5"),
          Field("X-Frostglass-Encoded-Pixels", "\(Int.max)"),
          Field("X-Frostglass-Recoveries", "99999999999999999999"),
        ], body: [])
    }
  }

  /// Every metric is explained where operators look.
  @Test func everyMetricIsDocumented() async throws {
    let workers = try Workers(WorkerPool.Options(checking: 1))
    defer { workers.end() }
    let server = try TestServer(worker: workers)
    let names = try await server.get("/metrics").text.split(separator: "\n")
      .filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    #expect(names.count > 19 && Set(names).count == names.count, "\(names)")
    let page = try #require(Files.text(of: "\(Files.root)/docs/operate/service.md"))
    for name in names + ["frostglass_gpu_memory_bytes"] {
      #expect(page.contains("| `\(name)"), "\(name)")
    }
  }
}
