import FrostglassCore
import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// Scenes over HTTP: images come with them, and no file of the machine's is opened.
@Suite struct SceneTests {
  private func scene(_ name: String) throws -> [UInt8] {
    try #require(Files.bytes(of: "\(Files.root)/Examples/scenes/\(name)"))
  }

  private static let pictures = [
    "../../Tests/Fixtures/Photographs/chelsea.png", "../../Tests/Fixtures/Photographs/rocket.jpg",
  ]

  @Test func imagesComeWithTheScene() async throws {
    let server = try TestServer()
    let pictures = try Self.pictures.map { name in
      (name, try Sample.photograph(String(name.split(separator: "/").last ?? "")))
    }
    let form = TestServer.form(files: [("scene", try scene("live-bar.json"))] + pictures)
    let reply = try await server.post("/v1/scene?time=1", form.body, [form.header])
    #expect(reply.status == 200, "\(reply.text.prefix(300))")
    #expect(try Sample.decoded(reply.body).image.size == Size(width: 1170, height: 2532))
  }

  /// Paths in a scene that came over HTTP are names of parts, though the files are there.
  @Test func filesAreNotOpened() async throws {
    let server = try TestServer()
    let reply = try await server.post("/v1/scene?time=1", try scene("live-bar.json"))
    #expect(reply.status == 400, "\(reply.text)")
    #expect(
      reply.text.contains("there is no part ../../Tests/Fixtures/Photographs/"), "\(reply.text)")
  }

  @Test func hugeScenesAreRefused() async throws {
    let server = try TestServer { $0.limits.maxPixels = 1000 }
    let name = try #require(
      Files.names(in: "\(Files.root)/Examples/scenes").first { $0.hasSuffix(".json") })
    let reply = try await server.post("/v1/scene?time=0", try scene(name))
    #expect(reply.status == 413, "\(reply.text)")
  }

  @Test func mistakesAreNamedByTheirPlace() async throws {
    let server = try TestServer()
    let reply = try await server.post("/v1/scene", Array("{\"canvas\": 1,}".utf8))
    #expect(reply.status == 400)
    #expect(reply.text.contains("the scene:1:"), "\(reply.text)")
  }
}
