import Frostglass
import FrostglassServer
import FrostglassStills
import Glibc
import Testing

/// Sizes that a browser says, where the operator asks browsers.
@Suite struct ClientHintsTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write("a.png", try Sample.file(width: 200, height: 100))
  }

  private func server(_ isAsked: Bool = true) throws -> TestServer {
    try TestServer {
      $0.pictures = folder.path
      $0.asksForHints = isAsked
    }
  }

  private static let all = "Sec-CH-DPR, DPR, Sec-CH-Width, Width"

  @Test(
    arguments: [
      ("", ["Sec-CH-Width: 50"], 50, all), ("", ["Width: 50", "DPR: 2"], 50, all),
      ("", ["Sec-CH-DPR: 2"], 200, all), ("", [], 200, all),
      ("", ["Sec-CH-Width: 0"], 200, all), ("", ["Width: wide", "DPR: nan"], 200, all),
      ("width=30", ["Sec-CH-DPR: 2", "Sec-CH-Width: 100"], 60, "Sec-CH-DPR, DPR"),
      ("width=30", ["DPR: 99"], 30, "Sec-CH-DPR, DPR"),
      ("width=30", ["Sec-CH-DPR: 1.5", "DPR: 3"], 45, "Sec-CH-DPR, DPR"),
      ("width=30&dpr=1", ["DPR: 3", "Width: 99"], 30, ""),
    ])
  func anAddressIsFirst(
    _ query: String, _ hints: [String], _ width: Int, _ vary: String
  ) async throws {
    let reply = try await server().get("/v1/pictures/a.png?sigma=2&\(query)", hints)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try StillDecoder().header(of: .bytes(reply.body)).size.width == width)
    #expect(reply["vary"] == "Accept" + (vary.isEmpty ? "" : ", " + vary))
    #expect(reply["accept-ch"] == Self.all)
  }

  /// Also where it is no number to divide by.
  @Test(arguments: ["0", "-0", "nan", "1e-20", "inf"])
  func aRatioThatIsNoneIsRefused(_ dpr: String) async throws {
    let server = try server()
    let reply = try await server.get("/v1/pictures/a.png?sigma=5&dpr=\(dpr)", ["Width: 100"])
    #expect(reply.status == 400 && reply.text.contains("dpr"), "\(reply.text)")
    #expect(try await server.get("/health/live").status == 200)
  }

  /// A blur of a preset would show more in a larger image.
  @Test func whatAPresetSettlesStays() async throws {
    try folder.write("small.json", #"{"name": "Small", "sigma": 6, "width": 60}"#)
    let server = try TestServer {
      $0.pictures = folder.path
      $0.presets = folder.path
      $0.asksForHints = true
    }
    let reply = try await server.get("/v1/pictures/a.png?preset=small", ["DPR: 3"])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try StillDecoder().header(of: .bytes(reply.body)).size.width == 60)
  }

  /// The answers differ, and so do their tags.
  @Test func tagsGoByTheHints() async throws {
    let server = try server()
    func tag(_ hints: [String]) async throws -> String? {
      try await server.get("/v1/pictures/a.png?sigma=2&width=30", hints)["etag"]
    }
    let two = try await tag(["DPR: 2"])
    #expect(two != nil)
    #expect(try await tag(["DPR: 3"]) != two)
    #expect(try await tag(["Sec-CH-DPR: 2"]) == two)
  }

  @Test func nobodyIsAskedUnlessTheOperatorWants() async throws {
    let reply = try await server(false).get(
      "/v1/pictures/a.png?sigma=2", ["DPR: 2", "Width: 50"])
    #expect(try StillDecoder().header(of: .bytes(reply.body)).size.width == 200)
    #expect(reply["accept-ch"] == nil && reply["vary"] == "Accept")
    let fill = try await server().get("/v1/pictures/a.png?operation=fill&size=9x9", ["Width: 50"])
    #expect(fill.status == 200 && fill["accept-ch"] == nil, "\(fill.text)")
  }
}
