import FrostglassServer
import Testing

@Suite struct RoutingTests {
  private func route(
    _ method: String, _ target: String, pictures: Bool = true, playground: Bool = true
  ) throws -> RequestContext {
    var context = RequestContext(RequestHead(method: method, target: target), id: "1")
    try Routing(
      hasOrigins: pictures, hasImages: pictures, hasPlayground: playground, finds: true
    ).run(&context)
    return context
  }

  private func status(_ method: String, _ target: String) -> Int {
    do { _ = try route(method, target) } catch let error as Problem { return error.status } catch {
      return 0
    }
    return 200
  }

  @Test func everythingIsBehindAPrefix() throws {
    func route(_ path: String) -> Route? {
      var context = RequestContext(RequestHead(method: "GET", target: path), id: "1")
      do {
        try Routing(prefix: "/img", hasOrigins: true, hasImages: true, hasPlayground: true)
          .run(&context)
        return context.route
      } catch { return nil }
    }
    #expect(route("/img/v1/pictures/a.jpg?sigma=2") == .picture("a.jpg"))
    #expect(route("/img/") == .playground(.page) && route("/img/docs") == .docs)
    #expect(route("/img/playground/main.js") == .playground(.main))
    for path in ["/v1/pictures/a.jpg", "/", "/img", "/imgs/docs", "/docs", "/img/img/docs"] {
      #expect(route(path) == nil, "\(path)")
    }
    // Probes come to the service itself.
    for path in ["/health/live", "/health/ready", "/healthz", "/metrics"] {
      #expect(route(path) != nil && route("/img" + path) == route(path), "\(path)")
    }
  }

  @Test func aPrefixIsAPath() {
    #expect(Routing.prefix("/img") == "/img" && Routing.prefix("/img/") == "/img")
    #expect(
      Routing.prefix("/a//b/") == "/a/b" && Routing.prefix("/") == "" && Routing.prefix("") == "")
    for text in ["img", "/a/../b", "/a?b", "/ä", "/a b", "/./", "a/b"] {
      #expect(Routing.prefix(text) == nil, "\(text)")
    }
  }

  @Test(arguments: Operation.allCases) func operationsArePosted(_ operation: Operation) throws {
    #expect(try route("POST", "/v1/\(operation.rawValue)?a=b").route == .work(operation))
    #expect(status("GET", "/v1/\(operation.rawValue)") == 405)
  }

  @Test func imagesAreNamedByWhatIsBehind() throws {
    #expect(try route("GET", "/v1/pictures/a/b%20c.jpg").route == .picture("a/b c.jpg"))
    #expect(try route("HEAD", "/v1/pictures/%2e%2e/x").route == .picture("../x"))
    #expect(status("GET", "/v1/pictures/%zz") == 400)
    #expect(status("GET", "/v1/pictures/%00") == 400)
    #expect(status("GET", "/v1/pictures/%ff") == 400)
    #expect(status("POST", "/v1/pictures/a.jpg") == 405)
    #expect(throws: Problem.self) { try route("GET", "/v1/pictures/a.jpg", pictures: false) }
  }

  @Test func imagesAreThereWhereOriginsAre() throws {
    #expect(try route("GET", "/v1/images?src=a/b.jpg").route == .images)
    #expect(status("POST", "/v1/images") == 405)
    #expect(throws: Problem.self) { try route("GET", "/v1/images?src=a/b.jpg", pictures: false) }
  }

  @Test func pathsAreRefusedForWhatIsWrong() {
    for (path, words) in [("", "names no image"), ("a%00b", "zero bytes"), ("%ff", "UTF-8")] {
      let problem = #expect(throws: Problem.self, "\(path)") {
        try route("GET", "/v1/pictures/\(path)")
      }
      #expect(problem?.status == 400 && problem?.detail.contains(words) == true, "\(path)")
    }
  }

  @Test func elsewhereIsNothing() {
    for target in ["/v1", "/v1/", "/v1/blur/", "/v2/blur", "/V1/blur", "//v1/blur", "/admin"] {
      #expect(status("POST", target) == 404, "\(target)")
    }
  }

  @Test func queriesAreReadOnce() throws {
    let fields = try route("POST", "/v1/blur?filter=blur(2px)+a%26b&linear&region=1&region=2")
      .fields
    #expect(
      fields == [
        Field("filter", "blur(2px) a&b"), Field("linear", ""), Field("region", "1"),
        Field("region", "2"),
      ])
    for query in ["a=%", "a=%4", "a=%zz", "%00=1", "a=%c3%28"] {
      #expect(status("POST", "/v1/blur?\(query)") == 400, "\(query)")
    }
    #expect(status("POST", "/v1/blur?" + String(repeating: "a=1&", count: 300)) == 400)
  }

  @Test func refusalsNameWhatWouldBeRight() async throws {
    let server = try TestServer()
    let reply = try await server.get("/v1/blur")
    #expect(reply.status == 405)
    #expect(reply["allow"] == "POST")
    #expect(reply.problem == "method-not-allowed")
    let missing = try await server.get("/nothing")
    #expect(missing.status == 404)
    #expect(missing.problem == "no-such-route")
  }
}
