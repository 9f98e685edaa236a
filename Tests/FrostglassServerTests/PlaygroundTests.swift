import FrostglassCore
import FrostglassServer
import FrostglassSigning
import Testing

/// The page at `/`, as it is served; Tests/FrostglassCLITests/PlaygroundBrowserTests.swift uses it.
@Suite struct PlaygroundTests {
  @Test func everyFileOfThePageIsServed() async throws {
    let server = try TestServer()
    for file in Playground.File.allCases {
      let reply = try await server.get(file.path)
      #expect(reply.status == 200 && !reply.body.isEmpty, "\(file)")
      #expect(reply["x-content-type-options"] == "nosniff", "\(file)")
    }
    #expect(
      try await server.get("/playground/main.js")["content-type"]?.hasPrefix("text/javascript")
        == true)
    #expect(try await server.get("/playground/nothing.js").status == 404)
    #expect(
      try await server.ask("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n").status
        == 405)
  }

  /// A browser would refuse what the policy does not allow; what is not there it would ask for in vain.
  @Test func thePageRefersToItsOwnFilesOnly() async throws {
    let server = try TestServer()
    let page = try await server.get("/")
    let policy = try #require(page["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
    #expect(!policy.contains("unsafe"))
    let known = Set(
      Playground.File.allCases.flatMap { [$0.path.dropFirst(), "/\($0.rawValue)"] }
        + ["docs", "openapi.json", "v1/blur", "v1/scene", "playground/${name}.webp", "path"])
    var texts = [page.text]
    for file in Playground.File.allCases where file.rawValue.hasSuffix(".js") {
      texts.append(try await server.get(file.path).text)
    }
    let named = texts.flatMap {
      $0.matches(of: #/(?:src="|href="|from '.|\bfetch\(['`]|\bask\(['`])([^"'#`?]*)/#).map {
        String($0.1)
      }
    }
    #expect(named.count > 8)
    // Behind a path prefix nothing is where it is without one.
    #expect(!named.contains { $0.hasPrefix("/playground") || $0.hasPrefix("/v1") })
    #expect(Set(named.map { $0[...] }).subtracting(known).isEmpty)
    #expect(!page.text.contains("style=\"") && !page.text.contains("<style"))
    #expect(page.text.matches(of: #/<script(?![^>]*src=)/#).isEmpty)
  }

  @Test func anOperatorTurnsItOff() async throws {
    let server = try TestServer { $0.hasPlayground = false }
    let page = try await server.get("/")
    #expect(page.status == 200 && !page.text.contains("<script"))
    #expect(try await server.get("/docs").text == page.text)
    for path in ["/playground/main.js", "/playground/service.json"] {
      #expect(try await server.get(path).status == 404, "\(path)")
    }
  }

  @Test func itKnowsWhatTheOperatorTakes() async throws {
    let open = try await TestServer { $0.mostBytes = 1234 }.get("/playground/service.json").text
    let facts = try JSONValue(text: open)
    func member(_ name: String) -> JSONValue.Content? {
      guard case .object(let members) = facts.content else { return nil }
      return members.first { $0.name == name }?.value.content
    }
    #expect(member("mostBytes") == .number(1234))
    #expect(member("isSigned") == .bool(false))
    #expect(member("presetsOnly") == .bool(false))
    let signed = try TestServer { $0.keys = try? SigningKeys(text: "k:0123456789abcdef") }
    // The page itself needs no signature.
    #expect(try await signed.get("/").text.contains("playground/main.js"))
    #expect(try await signed.get("/playground/service.json").text.contains("\"isSigned\":true"))
  }
}
