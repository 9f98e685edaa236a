import FrostglassStills
import FrostglassCore
import FrostglassServer
import Glibc
import TestSupport
import Testing

/// Header fields of every response, so that browsers neither guess types nor run anything.
@Suite struct AnswerTests {
  private func check(_ reply: RawClient.Reply, _ what: String) {
    #expect(reply["x-content-type-options"] == "nosniff", "\(what)")
    #expect(reply["content-security-policy"]?.hasPrefix("default-src 'none'") == true, "\(what)")
    #expect(reply["content-type"] != nil, "\(what)")
    #expect(reply["x-request-id"]?.utf8.count == 16, "\(what)")
    #expect(reply["server"] == nil, "\(what)")
    for name in ["content-type", "x-content-type-options", "content-security-policy"] {
      #expect(reply.headers.filter { $0.name.lowercased() == name }.count == 1, "\(what): \(name)")
    }
  }

  @Test func everyAnswerIsMarked() async throws {
    let server = try TestServer()
    let pages = [
      "/", "/docs", "/docs/style.css", "/openapi.json", "/v1/filters", "/v1/presets",
      "/health/live", "/metrics", "/nothing",
    ]
    for page in pages { check(try await server.get(page), page) }
    check(try await server.post("/v1/blur?sigma=2", try Sample.file()), "an image")
    check(try await server.post("/v1/blur?sigma=2", [1, 2, 3]), "no image")
    check(try await server.post("/v1/blur?sigma=x", try Sample.file()), "no number")
  }

  @Test func theTypeIsThatOfTheResult() async throws {
    let server = try TestServer()
    for format in StillFormat.allCases {
      let reply = try await server.post(
        "/v1/blur?sigma=2&format=\(format.fileExtension)", try Sample.file())
      #expect(reply["content-type"] == format.mediaType)
      #expect(try Sample.decoded(reply.body).format == format)
    }
    let json = try await server.post("/v1/placeholder", try Sample.file())
    #expect(json["content-type"] == "application/json")
  }

  /// A problem names its request, and neither a path nor a library.
  @Test func problemsSayNothingOfTheMachine() async throws {
    let server = try TestServer()
    var damaged = try Sample.photograph()
    damaged.removeLast(damaged.count / 2)
    let cut = Array(try Sample.file().dropLast(30))
    let bodies: [[UInt8]] = [damaged, cut, [0xFF, 0xD8, 0xFF, 0xE0, 1, 2]]
    for body in bodies {
      let reply = try await server.post("/v1/blur?sigma=2", body)
      #expect(reply.status == 422, "\(reply.text)")
      #expect(reply.problem == "damaged")
      #expect(reply.text.contains("\"requestId\":\"\(reply["x-request-id"] ?? "?")\""))
      for word in ["vips", "/", "jpeg", "png", "given bytes", "premature"] {
        #expect(!reply.text.lowercased().contains(word), "\(word) in \(reply.text)")
      }
    }
  }

  /// The title is the status's reason phrase.
  @Test func titlesAreReasonPhrases() async throws {
    let server = try TestServer()
    let long = try await server.get("/" + String(repeating: "a", count: 9000))
    #expect(long.status == 414 && long.text.contains("\"title\":\"URI Too Long\""), "\(long.text)")
    for status in [400, 403, 404, 405, 406, 413, 414, 415, 417, 422, 429] {
      #expect(!Problem(status, "a", "b").document().contains("\"Refused\""), "\(status)")
    }
  }

  /// Hyphens go from names of options, and from nothing else.
  @Test(
    arguments: [
      ("--min-score needs --regions FILE", "min-score needs regions FILE"),
      ("--edge is a--b; it must be one of c", "edge is a--b; it must be one of c"),
      ("--sigma is --5; it must be less", "sigma is --5; it must be less"),
      ("(--mask, --memory): --", "(mask, memory): --"), ("--sigmas ---edge", "--sigmas ---edge"),
      ("-- --allow-outside goes on", "-- allow-outside goes on"), ("", ""),
      ("give --preset FILE or --mask FILE", "give preset NAME or mask FILE"),
    ]) func optionsAreCalledFields(_ message: String, _ words: String)
  {
    #expect(Problem.inFieldWords(message) == words)
  }

  /// Elsewhere the field is called so.
  @Test func theFilesQualityIsPointedTo() async throws {
    let server = try TestServer()
    for (target, words) in [
      ("blur?sigma=2&quality=80", "the quality of the file is output-quality"),
      ("redact?region=1,1,5,5&quality=80", "did you mean output-quality?"),
      ("fill?aspect=1:1&quality=80", "did you mean output-quality?"),
    ] {
      let reply = try await server.post("/v1/\(target)", try Sample.file())
      #expect(reply.status == 400 && reply.text.contains(words), "\(reply.text)")
    }
    let right = try await server.post("/v1/blur?sigma=2&quality=fast", try Sample.file())
    #expect(right.status == 200)
  }

  /// The location and the thumbnail of an image are not passed on.
  @Test func metadataIsDroppedUnlessKept() async throws {
    let server = try TestServer()
    let picture = Self.withPlace(try Sample.file(.jpeg))
    let marks = [Array("Exif".utf8), Array("SECRET PLACE".utf8)]
    func has(_ bytes: [UInt8], _ mark: [UInt8]) -> Bool {
      bytes.indices.contains { bytes[$0...].starts(with: mark) }
    }
    #expect(marks.allSatisfy { has(picture, $0) })
    for operation in ["blur?sigma=2", "redact?region=0,0,4,4", "fill?aspect=1:1"] {
      let reply = try await server.post("/v1/" + operation, picture)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(!has(reply.body, Array("SECRET PLACE".utf8)), "\(operation)")
    }
    let kept = try await server.post("/v1/blur?sigma=2&keep-metadata", picture)
    #expect(has(kept.body, Array("SECRET PLACE".utf8)))
  }

  /// A JPEG with an EXIF block whose description is a place.
  private static func withPlace(_ jpeg: [UInt8]) -> [UInt8] {
    let text = Array("SECRET PLACE\0".utf8)
    // Big-endian TIFF, one entry: ImageDescription, ASCII, behind the directory.
    let tiff: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x0E, 0, 2, 0, 0, 0, UInt8(text.count)]
      + [0, 0, 0, 26, 0, 0, 0, 0] + text
    let content = Array("Exif\0\0".utf8) + tiff
    let length = content.count + 2
    return Array(jpeg[..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + content
      + Array(jpeg[2...])
  }

  @Test func anAuditComesInTheHeadOrAsAPart() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    let head = try await server.post("/v1/redact?region=2,2,5,5&audit=header", picture)
    let audit = try #require(head["x-frostglass-audit"])
    guard case .object(let members) = try JSONValue(text: audit).content else {
      Issue.record("no object: \(audit)")
      return
    }
    #expect(members.contains { $0.name == "regions" })
    let part = try await server.post("/v1/redact?region=2,2,5,5&audit=part", picture)
    let type = try #require(part["content-type"])
    let boundary = try #require(MultipartForm.boundary(of: type))
    let parts = try MultipartForm(part.body, boundary: boundary).parts
    try #require(parts.map(\.name) == ["audit", "picture"])
    #expect(try Sample.decoded(Array(parts[1].content)).format == .png)
    #expect(try await server.post("/v1/redact?region=2,2,5,5&audit=x", picture).status == 400)
    #expect(try await server.post("/v1/redact", picture).status == 400)
  }

  /// A limit is no doubt that a field allows.
  @Test func aPolygonOfTooManyCornersIsToldItsLimit() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    func redacted(_ corners: Int) async throws -> RawClient.Reply {
      let points = (0..<corners).map { corner in
        let angle = 2 * Double.pi * Double(corner) / Double(corners)
        return "[\(12 + 6 * cos(angle)), \(8 + 6 * sin(angle))]"
      }
      let regions = "{\"regions\": [{\"polygon\": [\(points.joined(separator: ", "))]}]}"
      let form = TestServer.form(files: [("picture", picture), ("regions", Array(regions.utf8))])
      return try await server.post("/v1/redact", form.body, [form.header])
    }
    #expect(try await redacted(5000).status == 200)
    for corners in [5001, 20_000] {
      let reply = try await redacted(corners)
      #expect(reply.status == 400, "\(reply.text)")
      #expect(
        reply.text.contains("\(corners) corners; it must be 3 to 5000 corners"), "\(reply.text)")
      #expect(!reply.text.contains("outside") && !reply.text.contains("allow"), "\(reply.text)")
    }
  }

  /// Redactions that may leave something visible are refused with a reason, unless a field allows them.
  @Test func doubtIsRefusedUnlessAllowed() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    let fields = "redact?region=2,2,5,5&region=900,0,5,5"
    let refused = try await server.post("/v1/\(fields)", picture)
    #expect(refused.status == 422, "\(refused.text)")
    #expect(refused.text.contains("region 2, a rectangle"), "\(refused.text)")
    #expect(refused.text.contains("allow-outside goes on"), "\(refused.text)")
    #expect(!refused.text.contains("--"), "\(refused.text)")
    let allowed = try await server.post("/v1/\(fields)&allow-outside", picture)
    #expect(allowed.status == 200, "\(allowed.text)")
    #expect(allowed["x-frostglass-note"]?.contains("region 2") == true)
    let blurred = try await server.post("/v1/blur?sigma=2&region=2,2,5,5&region=900,0,5,5", picture)
    #expect(blurred.status == 200 && blurred["x-frostglass-note"]?.contains("warning") == true)
  }
}
