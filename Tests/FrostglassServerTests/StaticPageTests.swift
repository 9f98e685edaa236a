import FrostglassCore
import FrostglassServer
import Glibc
import Testing

/// Pages that stay as they are are sent small, and once.
@Suite struct StaticPageTests {
  private static let gzip = "Accept-Encoding: gzip, deflate, br"

  @Test(
    arguments: [
      "/", "/playground/main.js", "/playground/service.json", "/docs", "/docs/style.css",
      "/openapi.json", "/v1/filters",
    ]) func whoHasAPageIsNotSentItAgain(_ path: String) async throws
  {
    let server = try TestServer()
    let plain = try await server.get(path)
    let small = try await server.get(path, [Self.gzip])
    #expect(plain["content-encoding"] == nil && plain["cache-control"] == "no-cache")
    #expect(small.body.count < plain.body.count || small["content-encoding"] == nil)
    for (first, headers) in [(plain, []), (small, [Self.gzip])] {
      let tag = try #require(first["etag"])
      let statuses = try await onThread { [port = server.port] in
        let client = try RawClient(port: port)
        // The connection goes on.
        return try (0..<2).map { _ in
          client.send(
            (["GET \(path) HTTP/1.1", "Host: a", "If-None-Match: \(tag)"] + headers)
              .joined(separator: "\r\n") + "\r\n\r\n")
          let reply = try client.reply()
          #expect(reply["content-length"] == "\(first.body.count)" && reply["etag"] == tag)
          return reply.status
        }
      }
      #expect(statuses == [304, 304])
    }
  }

  /// A cache that keeps both keeps them apart.
  @Test func bothFormsAreTheSamePage() async throws {
    let server = try TestServer()
    let plain = try await server.get("/openapi.json")
    let small = try await server.get("/openapi.json", [Self.gzip])
    #expect(small["content-encoding"] == "gzip" && small.body.count * 5 < plain.body.count)
    #expect(small["vary"] == "Accept-Encoding" && plain["vary"] == "Accept-Encoding")
    #expect(small["etag"] != plain["etag"])
    let folder = try Folder()
    try folder.write("page.gz", small.body)
    try folder.write("page", plain.body)
    let result = await ThreadPool().run { [path = folder.path] in
      popen("gzip -dc \(path)/page.gz | cmp - \(path)/page", "r").map { pclose($0) }
    }
    #expect(result == 0)
  }

  @Test(
    arguments: [
      ("gzip", true), ("GZIP;q=0.5", true), ("br, *", true), ("identity", false), ("", false),
      ("gzip;q=0", false), ("gzip; q=0.0, *", false), ("x-gzip", false),
    ]) func theCodingIsWhatIsAccepted(_ accepted: String, _ isGzip: Bool) async throws
  {
    let reply = try await TestServer().get("/docs", ["Accept-Encoding: \(accepted)"])
    #expect((reply["content-encoding"] == "gzip") == isGzip)
  }

  /// Compressed files are sent as they are.
  @Test func imagesOfThePageAreLeftAlone() async throws {
    let reply = try await TestServer().get("/playground/coffee.webp", [Self.gzip])
    #expect(reply["content-encoding"] == nil && reply["vary"] == nil && reply["etag"] != nil)
  }

  @Test func anotherPresetIsAnotherPage() async throws {
    let folder = try Folder()
    try folder.write("a.json", "{\"filter\": \"blur(2px)\"}")
    let server = try TestServer { $0.presets = folder.path }
    let before = try #require(try await server.get("/v1/presets")["etag"])
    try folder.write("b.json", "{\"filter\": \"blur(3px)\"}")
    var configuration = ServerConfiguration()
    configuration.presets = folder.path
    try server.server.reload(configuration)
    let after = try await server.get("/v1/presets", ["If-None-Match: \(before)"])
    #expect(after.status == 200 && after["etag"] != before)
  }
}
