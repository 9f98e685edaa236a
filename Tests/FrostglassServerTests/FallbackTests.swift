import FrostglassCore
import FrostglassOptions
import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// An image in place of a problem, for pages.
@Suite struct FallbackTests {
  private let folder: Folder
  private let image: [UInt8]
  /// As browsers ask for `<img>`.
  private static let img =
    "Accept: image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"

  init() throws {
    folder = try Folder()
    try ImagesTests.fill(folder)
    image = try Sample.file(.webp)
    try folder.write("broken.webp", image)
  }

  private func server(status: Int? = nil) throws -> TestServer {
    try TestServer { [folder] in
      $0.pictures = folder.path + "/in"
      $0.fallback = folder.path + "/broken.webp"
      $0.fallbackStatus = status
    }
  }

  @Test func whoAsksForAnImageGetsOne() async throws {
    let server = try server()
    for (target, status, kind) in [
      ("nothing.png?sigma=2", 404, "no-such-picture"), ("a.png?sgma=2", 400, "bad-request"),
      ("text.png?sigma=2", 415, "not-a-picture"),
    ] {
      let reply = try await server.get("/v1/pictures/\(target)", [Self.img])
      #expect(reply.status == status && reply.body == image, "\(target)")
      #expect(reply["content-type"] == "image/webp")
      #expect(reply["x-frostglass-problem"] == "urn:frostglass:problem:\(kind)")
      // The next try may go well.
      #expect(reply["cache-control"] == "no-store")
      #expect(reply.headers.filter { $0.name.lowercased() == "content-type" }.count == 1)
    }
    // Whoever looks after it learns why.
    #expect(await eventually { server.log.count == 3 })
    #expect(server.log.allSatisfy { $0.contains("\"detail\":") }, "\(server.log)")
  }

  @Test func programsGetTheProblem() async throws {
    let server = try server()
    for headers in [[], ["Accept: */*"]] {
      let reply = try await server.get("/v1/pictures/nothing.png?sigma=2", headers)
      #expect(reply.status == 404 && reply.problem == "no-such-picture", "\(headers)")
    }
    for header in ["Accept: application/json", "Accept: image/png;q=0"] {
      let reply = try await server.get("/v1/pictures/nothing.png?sigma=2", [header])
      #expect(reply.status == 406 && reply.problem == "not-acceptable", "\(header)")
    }
    // What is posted is no `<img>`, and no page is an image.
    let posted = try await server.post("/v1/blur?sgma=2", try Sample.file(), [Self.img])
    #expect(posted.problem == "bad-request")
    #expect(try await server.get("/nothing", [Self.img]).problem == "no-such-route")
  }

  @Test func theStatusIsTheOperators() async throws {
    let reply = try await server(status: 200).get("/v1/pictures/nothing.png?sigma=2", [Self.img])
    #expect(reply.status == 200 && reply.body == image && reply["cache-control"] == "no-store")
  }

  @Test func whatIsNoImageIsRefusedAtTheStart() throws {
    try folder.write("text", "hello")
    for name in ["text", "nothing"] {
      #expect(throws: Failure.self) { try Fallback("\(folder.path)/\(name)", status: nil) }
    }
    var configuration = ServerConfiguration()
    configuration.listen = .tcp(host: "127.0.0.1", port: 0)
    configuration.fallback = "\(folder.path)/text"
    #expect(throws: Failure.self) { try Server.check(configuration) }
  }
}
