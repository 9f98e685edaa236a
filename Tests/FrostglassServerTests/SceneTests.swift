import FrostglassServer
import TestSupport
import Testing

/// Scenes over HTTP: pictures come with them, and no file of the machine's is opened.
@Suite struct SceneTests {
  private func scene(_ name: String) throws -> [UInt8] {
    try #require(Files.bytes(of: "\(Files.root)/Examples/scenes/\(name)"))
  }

  @Test func filesAreNotOpened() async throws {
    let server = try TestServer()
    let names = Files.names(in: "\(Files.root)/Examples/scenes").filter { $0.hasSuffix(".json") }
    #expect(!names.isEmpty)
    for name in names {
      let text = String(decoding: try scene(name), as: UTF8.self)
      guard text.contains("\"picture\"") || text.contains(".jpg") || text.contains(".png") else {
        continue
      }
      let reply = try await server.post("/v1/scene?time=0", try scene(name))
      #expect(reply.status == 400 || reply.status == 200, "\(name): \(reply.text)")
      if reply.status == 400 { #expect(reply.text.contains("no part"), "\(name): \(reply.text)") }
    }
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
