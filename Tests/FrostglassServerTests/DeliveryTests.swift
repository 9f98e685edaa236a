import FrostglassServer
import FrostglassStills
import Glibc
import Testing

/// Fields that decide how a response is delivered, and change nothing in it.
@Suite struct DeliveryTests {
  private let folder: Folder
  private let server: TestServer

  init() throws {
    let folder = try Folder()
    self.folder = folder
    try folder.write("a.png", try Sample.file())
    server = try TestServer { $0.pictures = folder.path }
  }

  @Test(
    arguments: [
      ("attachment", "attachment"),
      ("attachment=false&filename=a.png", #"inline; filename="a.png""#),
      ("filename=a", #"inline; filename="a.png""#),
      ("filename=a.jpg&attachment=1", #"attachment; filename="a.png""#),
      ("filename=a.b", #"inline; filename="a.b.png""#),
      ("filename=a%22b%5Cc", ""),
      ("filename=a%22b", #"inline; filename="a_b.png"; filename*=UTF-8''a%22b.png"#),
      (
        "filename=Gr%C3%BC%C3%9Fe%20%E2%82%AC",
        #"inline; filename="Gr__e _.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%E2%82%AC.png"#
      ),
      ("filename=50%25", #"inline; filename="50_.png"; filename*=UTF-8''50%25.png"#),
      ("v=7", nil),
    ] as [(String, String?)])
  func browsersAreToldTheName(_ query: String, _ expected: String?) async throws {
    let target = "/v1/pictures/a.png?sigma=2&format=png&\(query)"
    let reply = try await server.get(target)
    if expected == "" {
      #expect(reply.status == 400, "\(reply.text)")
      return
    }
    #expect(reply.status == 200, "\(reply.text)")
    #expect(reply["content-disposition"] == expected)
    // It is another address and the same image.
    let plain = try await server.get("/v1/pictures/a.png?sigma=2&format=png")
    #expect(reply.body == plain.body && reply["etag"] == plain["etag"])
    let post = try await server.post("/v1/blur?sigma=2&format=png&\(query)", try Sample.file())
    #expect(post["content-disposition"] == expected)
  }

  @Test(arguments: [
    "a%0D%0AX-Evil:%201", "a%0Ab", "%00", "a%7F", "a/b", "..%2Fa", "..", ".", "", "a%5Cb",
    "a%C2%85b", "photo%E2%80%AEgpj.exe", "a%E2%80%A8b", String(repeating: "a", count: 201),
  ])
  func noNameLeavesItsField(_ name: String) async throws {
    let reply = try await server.get("/v1/pictures/a.png?sigma=2&filename=\(name)")
    #expect(reply.status == 400 && reply["content-disposition"] == nil, "\(reply.text)")
    #expect(reply["x-evil"] == nil)
  }

  @Test func eachIsGivenOnce() async throws {
    for query in ["v=1&v=2", "filename=a&filename=b", "attachment=1&attachment=1", "attachment=2"] {
      #expect(try await server.get("/v1/pictures/a.png?sigma=2&\(query)").status == 400)
    }
  }

  @Test func errorsHaveNoName() async throws {
    let reply = try await server.get("/v1/pictures/b.png?sigma=2&filename=a")
    #expect(reply.status == 404 && reply["content-disposition"] == nil)
  }

  @Test func cachesAreToldMore() async throws {
    let folder = folder
    let server = try TestServer {
      $0.pictures = folder.path
      ($0.staleSeconds, $0.areResultsImmutable) = (60, true)
    }
    #expect(
      try await server.get("/v1/pictures/a.png?sigma=2")["cache-control"]
        == "public, max-age=3600, stale-while-revalidate=60, immutable")
    #expect(try await server.get("/v1/pictures/b.png?sigma=2")["cache-control"] == "no-store")
  }

  @Test func aPrefixIsInAllThatIsSaidOfAddresses() async throws {
    let folder = folder
    let server = try TestServer {
      $0.pictures = folder.path
      $0.pathPrefix = "/img"
    }
    #expect(try await server.get("/img/v1/pictures/a.png?sigma=2").status == 200)
    #expect(try await server.get("/v1/pictures/a.png?sigma=2").status == 404)
    #expect(try await server.post("/img/v1/blur?sigma=2", try Sample.file()).status == 200)
    #expect(try await server.get("/img/openapi.json").text.contains(#""servers":[{"url":"/img"}]"#))
    let docs = try await server.get("/img/docs").text
    #expect(docs.contains("localhost:8080/img/v1/blur") && docs.contains("href=\"docs/style.css\""))
    #expect(try await server.get("/img/docs/style.css").status == 200)
    #expect(try await server.get("/health/live").status == 200)
  }
}
