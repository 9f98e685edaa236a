import FrostglassServer
import FrostglassSigning
import Testing

/// Pages of other sites, as browsers speak for them.
@Suite struct CrossOriginTests {
  private static let site = "https://a.example"

  private func server(_ origins: String?, worker: (any Worker)? = nil) throws -> TestServer {
    try TestServer(worker: worker) { $0.crossOrigin.origins = origins.flatMap(CrossOrigin.origins) }
  }

  private func ask(
    _ server: TestServer, _ method: String, _ target: String, _ origin: String? = site
  ) async throws -> RawClient.Reply {
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: a"] + (origin.map { ["Origin: \($0)"] } ?? [])
    return try await server.ask(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  @Test func aBrowserThatAsksBeforehandIsTold() async throws {
    let server = try server("https://b.example, \(Self.site)")
    let reply = try await ask(server, "OPTIONS", "/v1/blur?sigma=2")
    #expect(reply.status == 204 && reply.body.isEmpty)
    #expect(reply["access-control-allow-origin"] == Self.site)
    #expect(reply["access-control-allow-methods"] == "POST")
    #expect(reply["access-control-allow-headers"] == "*")
    #expect(reply["access-control-allow-credentials"] == nil)
    #expect(try await ask(server, "OPTIONS", "/nothing").status == 404)
    let pages = try await ask(server, "OPTIONS", "/v1/filters")
    #expect(pages["access-control-allow-methods"] == "GET, HEAD")
  }

  /// A preflight request is not the request itself, so it has no signature.
  @Test func noSignatureIsNeededForThat() async throws {
    let signed = try TestServer {
      $0.keys = try? .init(text: "k:0123456789abcdef")
      $0.crossOrigin.origins = ["*"]
    }
    #expect(try await ask(signed, "OPTIONS", "/v1/blur?sigma=2").status == 204)
    #expect(try await ask(signed, "POST", "/v1/blur?sigma=2").status == 403)
  }

  /// A script reads why something failed as well.
  @Test func answersAndErrorsMayBeRead() async throws {
    let server = try server(Self.site)
    for target in ["/v1/filters", "/nothing", "/v1/blur"] {
      let reply = try await ask(server, "GET", target)
      #expect(reply["access-control-allow-origin"] == Self.site, "\(target)")
      #expect(reply["vary"]?.contains("Origin") == true, "\(target)")
      let exposed = try #require(reply["access-control-expose-headers"])
      #expect(exposed.contains("X-Frostglass-Note") && exposed.contains("ETag"))
    }
    let picture = try await server.post(
      "/v1/blur?sigma=2", try Sample.file(), ["Origin: \(Self.site)", "Accept: image/png"])
    #expect(picture.status == 200 && picture["vary"] == "Accept, Origin")
    #expect(picture["access-control-allow-origin"] == Self.site)
  }

  @Test(arguments: [
    nil, "https://evil.example", "http://a.example", "https://a.example:444", "null",
  ])
  func othersReadNothing(_ origin: String?) async throws {
    let reply = try await ask(try server(Self.site), "GET", "/v1/filters", origin)
    #expect(reply.status == 200 && reply["access-control-allow-origin"] == nil)
    // A cache keeps it apart from answers to those who may.
    #expect(reply["vary"]?.contains("Origin") == true)
  }

  @Test func anySiteMayWhereTheOperatorSaysSo() async throws {
    let reply = try await ask(try server("*"), "GET", "/v1/filters", "https://c.example")
    #expect(reply["access-control-allow-origin"] == "*")
    #expect(reply["vary"]?.contains("Origin") != true)
  }

  @Test func nobodyMayUnlessTheOperatorSaysSo() async throws {
    let server = try server(nil)
    #expect(try await ask(server, "OPTIONS", "/v1/blur").status == 405)
    let reply = try await ask(server, "GET", "/v1/filters")
    #expect(reply["access-control-allow-origin"] == nil)
  }

  /// Also what is said before any step has run.
  @Test func refusedConnectionsAreToldTheSame() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker) {
      $0.connections.connections = 1
      $0.crossOrigin.origins = ["*"]
    }
    let picture = try Sample.file()
    let first = Task { try await server.post("/v1/blur?sigma=3", picture).status }
    #expect(await eventually { worker.started == 1 })
    let reply = try await server.post("/v1/blur?sigma=3", picture, ["Origin: \(Self.site)"])
    #expect(reply.status == 429 && reply.problem == "overloaded")
    #expect(reply["access-control-allow-origin"] == "*" && reply["retry-after"] == "1")
    worker.open()
    #expect(try await first.value == 200)
  }

  /// Images may be shown anywhere, or where the operator says; everything else is for its own pages.
  @Test func imagesAreShownWhereTheyMayBe() async throws {
    let open = try TestServer()
    #expect(
      try await open.post("/v1/blur?sigma=2", try Sample.file())["cross-origin-resource-policy"]
        == "cross-origin")
    #expect(
      try await open.get("/playground/main.js")["cross-origin-resource-policy"] == "same-origin")
    let closed = try TestServer { $0.crossOrigin.policy = .sameSite }
    #expect(
      try await closed.post("/v1/blur?sigma=2", try Sample.file())["cross-origin-resource-policy"]
        == "same-site")
  }

  @Test func originsAreSchemesAndHosts() {
    #expect(CrossOrigin.origins(text: " * ") == ["*"])
    #expect(
      CrossOrigin.origins(text: "https://A.example , http://[::1]:3000")
        == ["https://a.example", "http://[::1]:3000"])
    for text in [
      "", ",", "a.example", "https://a.example/", "https://a.example/x", "*,https://a.example",
      "https://*.example", "null", "https://a b", "https://",
    ] {
      #expect(CrossOrigin.origins(text: text) == nil, "\(text)")
    }
  }
}
