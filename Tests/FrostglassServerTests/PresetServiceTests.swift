import Frostglass
import FrostglassOptions
import FrostglassServer
import FrostglassSigning
import FrostglassStills
import Glibc
import Testing

/// Presets of the operator's, for any operation, and keys that are for some of them.
@Suite struct PresetServiceTests {
  private static let presets = [
    "soft": #"{"name": "Soft", "description": "Barely", "filter": "blur(2px)", "quality": "fast"}"#,
    "thumb": #"{"width": 12, "fit": "cover", "height": 12, "sigma": 1, "format": "png"}"#,
    "plate": """
    {"operation": "redact", "fill": "solid", "color": "red", "region": ["0,0,10,10", "20,0,5,5"],
     "format": "png", "grow": "0"}
    """,
    "story": #"{"operation": "fill", "size": "20x30", "format": "webp", "output-quality": 40}"#,
    "dear": #"{"filter": "bilateral(4px) blur(1px)", "format": "png"}"#,
  ]

  private static func folder() throws -> Folder {
    let folder = try Folder()
    mkdir("\(folder.path)/presets", 0o755)
    mkdir("\(folder.path)/in", 0o755)
    for (name, text) in presets { try folder.write("presets/\(name).json", text) }
    try folder.write("in/a.png", try Sample.file(width: 60, height: 40))
    return folder
  }

  private static func server(
    _ folder: Folder, _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> TestServer {
    try TestServer {
      $0.presets = folder.path + "/presets"
      $0.pictures = folder.path + "/in"
      change(&$0)
    }
  }

  private func image(_ reply: RawClient.Reply) throws -> Still {
    try #require(reply.status == 200, "\(reply.text)")
    return try StillDecoder().decode(.bytes(reply.body))
  }

  @Test func aPresetHoldsAnyOperation() async throws {
    let folder = try Self.folder()
    let server = try Self.server(folder)
    let thumb = try image(await server.get("/v1/pictures/a.png?preset=thumb"))
    #expect(thumb.format == .png && thumb.image.size == Size(width: 12, height: 12))
    let plate = try image(await server.get("/v1/pictures/a.png?preset=plate")).image
    for (x, y, isCovered) in [(3, 3, true), (22, 2, true), (15, 3, false), (3, 20, false)] {
      let isRed =
        plate.sample(x: x, y: y, channel: 0) == 1 && plate.sample(x: x, y: y, channel: 1) == 0
      #expect(isRed == isCovered, "\(x), \(y)")
    }
    let story = try image(await server.get("/v1/pictures/a.png?preset=story"))
    #expect(story.format == .webp && story.image.size == Size(width: 20, height: 30))
    // The same with the operation's own route.
    let file = try Sample.file(width: 60, height: 40)
    #expect(
      try image(await server.post("/v1/redact?preset=plate", file)).image.bytes == plate.bytes)
    #expect(
      try await server.post("/v1/plan?preset=thumb", file).text.contains(
        "\"width\":12,\"height\":12"))
    for path in ["/v1/blur?preset=plate", "/v1/redact?preset=soft", "/v1/fill?preset=thumb"] {
      let reply = try await server.post(path, file)
      #expect(reply.status == 400 && reply.text.contains("is for"), "\(reply.text)")
    }
    let elsewhere = try await server.get("/v1/pictures/a.png?preset=plate&operation=blur")
    #expect(elsewhere.status == 400 && elsewhere.text.contains("for redact, not for blur"))
  }

  @Test func aRequestMaySayMore() async throws {
    let folder = try Self.folder()
    let server = try Self.server(folder)
    let file = try Sample.file(width: 60, height: 40)
    let other = try image(await server.post("/v1/blur?preset=thumb&width=20&format=jpg", file))
    #expect(other.format == .jpeg && other.image.size == Size(width: 20, height: 12))
    for query in ["preset=thumb&sigma=3", "preset=soft&style=light", "preset=soft&filter=invert()"]
    {
      let reply = try await server.post("/v1/blur?\(query)", file)
      #expect(reply.status == 400 && reply.text.contains("exclude each other"), "\(reply.text)")
    }
    // What the operator covers stays covered.
    let both = try image(await server.post("/v1/redact?preset=plate&region=40,20,5,5", file)).image
    for (x, y) in [(3, 3), (22, 2), (42, 22)] {
      #expect(both.sample(x: x, y: y, channel: 0) == 1 && both.sample(x: x, y: y, channel: 2) == 0)
    }
  }

  /// A cached answer is one of the preset as it is.
  @Test func anotherPresetIsAnotherAnswer() async throws {
    let folder = try Self.folder()
    func tag() async throws -> String? {
      try await Self.server(folder).get("/v1/pictures/a.png?preset=thumb")["etag"]
    }
    let first = try await tag()
    let again = try await tag()
    #expect(first != nil && again == first)
    try folder.write("presets/thumb.json", #"{"width": 13, "sigma": 1}"#)
    #expect(try await tag() != first)
  }

  @Test func presetsAreAllThatIsTaken() async throws {
    let folder = try Self.folder()
    let server = try Self.server(folder) { $0.presetsOnly = true }
    for query in [
      "preset=thumb", "preset=plate", "preset=story&format=jpg", "preset=soft&v=3&filename=a",
    ] {
      let reply = try await server.get("/v1/pictures/a.png?\(query)")
      #expect(reply.status == 200, "\(query): \(reply.text)")
    }
    for query in [
      "sigma=2", "operation=redact&region=0,0,5,5", "operation=fill&size=5x5",
      "preset=thumb&width=9",
      "preset=plate&region=1,1,5,5", "", "operation=placeholder",
    ] {
      let reply = try await server.get("/v1/pictures/a.png?\(query)")
      #expect(reply.status == 403 && reply.problem == "presets-only", "\(query): \(reply.text)")
    }
  }

  /// Limits of filters are for those who ask, and not for the operator.
  @Test func aPresetMayHoldWhatRequestsMayNot() async throws {
    let folder = try Self.folder()
    let server = try Self.server(folder) {
      $0.limits.refusedFilters = ["bilateral"]
      $0.limits.maxFilters = 1
    }
    let file = try Sample.file()
    #expect(try await server.post("/v1/blur?preset=dear", file).status == 200)
    let own = try await server.post("/v1/blur?filter=bilateral(4px)", file)
    #expect(own.status == 422 && own.problem == "no-such-filter")
  }

  @Test func keysAreForSomePresetsAndOperations() async throws {
    let folder = try Self.folder()
    func reply(_ uses: String, _ query: String) async throws -> RawClient.Reply {
      let keys = try SigningKeys(text: "k \(uses):0123456789abcdef")
      let target = "/v1/pictures/a.png?\(query)"
      return try await Self.server(folder) { $0.keys = keys }.get(
        SignedTarget.signed(target, method: "GET", keys: keys, expires: 4_000_000_000))
    }
    for (uses, query) in [
      ("", "sigma=2"), ("presets=thumb/plate", "preset=plate"), ("operations=blur", "sigma=2"),
      ("operations=redact", "preset=plate"),
    ] { #expect(try await reply(uses, query).status == 200, "\(uses) \(query)") }
    for (uses, query, problem) in [
      ("presets=thumb", "sigma=2", "not-for-this-key"),
      ("presets=thumb", "preset=soft", "not-for-this-key"),
      ("presets=thumb", "preset=thumb&width=500", "presets-only"),
      ("operations=blur", "operation=fill&size=9x9", "not-for-this-key"),
      ("operations=blur", "preset=plate", "not-for-this-key"),
      ("operations=redact presets=thumb", "preset=thumb", "not-for-this-key"),
    ] {
      let reply = try await reply(uses, query)
      #expect(reply.status == 403 && reply.problem == problem, "\(uses) \(query): \(reply.text)")
    }
    // What does not exist is told as the service starts.
    for uses in ["presets=nothing", "operations=nothing"] {
      #expect(throws: (any Error).self, "\(uses)") {
        let keys = try ServerConfiguration.keys("k \(uses):0123456789abcdef", "keys")
        _ = try Self.server(folder) { $0.keys = keys }
      }
    }
  }

  @Test(
    arguments: [
      ("{", "1:2"), ("[]", "a preset is an object"), ("{}", "has no filter"),
      (#"{"operation": "blurr"}"#, "did you mean blur?"),
      (#"{"sigma": 2, "fillet": 3}"#, "1:14: a preset for blur has no fillet"),
      (#"{"operation": "redact", "sgima": 2}"#, "did you mean sigma?"),
      (#"{"sigma": -2}"#, "sigma is -2"), (#"{"filter": "blr(2px)"}"#, "blr"),
      (#"{"sigma": true}"#, "must be a text or a number"),
      (#"{"sigma": 2, "linear": "yes"}"#, "true or false"),
      (#"{"sigma": ["1", "2"]}"#, "has one value"), (#"{"sigma": 1, "sigma": 2}"#, "twice"),
      (#"{"operation": "redact", "region": ["1,1,1"]}"#, "region"),
      (#"{"operation": "redact", "region": [1]}"#, "must hold texts"),
      (#"{"operation": "fill", "size": "wide"}"#, "size is wide"),
      (#"{"sigma": 2, "format": "psd"}"#, "psd"), (#"{"sigma": 2, "mask": "a.png"}"#, "no mask"),
      (#"{"sigma": 2, "output-quality": 0}"#, "output-quality is 0"),
      (#"{"sigma": 2, "fit": "cover"}"#, "needs a size"),
    ])
  func aBrokenPresetIsToldWithItsFile(_ text: String, _ words: String) throws {
    let folder = try Folder()
    try folder.write("broken.json", text)
    do throws(Failure) {
      _ = try Presets(folder: folder.path)
      Issue.record("\(text) is taken")
    } catch {
      #expect(error.message.contains("\(folder.path)/broken.json"), "\(error.message)")
      #expect(error.message.contains(words), "\(error.message)")
      #expect(!error.message.contains("--"), "\(error.message)")
    }
  }
}
