import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

@Suite struct FormatCheckTests {
  /// Files that have been used to attack other services, and files that look like images.
  static let others: [(name: String, bytes: [UInt8])] = [
    (
      "SVG",
      Array(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"file:///etc/passwd\"/></svg>".utf8)
    ),
    ("XML", Array("<?xml version=\"1.0\"?><svg/>".utf8)),
    ("PDF", Array("%PDF-1.7\n".utf8)),
    ("PAM", Array("P7\nWIDTH 1\nHEIGHT 1\nabc".utf8)),
    ("MVG", Array("push graphic-context\nviewbox 0 0 640 480\nimage over 0,0 0,0 'x'\n".utf8)),
    ("BMP", Array("BM".utf8) + [UInt8](repeating: 0, count: 60)),
    ("ICO", [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 24, 0]),
    ("a WAVE file", Array("RIFF\0\0\0\0WAVEfmt ".utf8)),
    ("a video", [0, 0, 0, 0x18] + Array("ftypmp42\0\0\0\0".utf8)),
    ("text", Array("hello, world".utf8)),
    ("a byte", [0xFF]),
  ]

  @Test(arguments: others.indices) func otherFilesAreRefused(_ index: Int) async throws {
    let (name, bytes) = Self.others[index]
    let server = try TestServer()
    for type in ["image/jpeg", "image/svg+xml", "application/octet-stream"] {
      let reply = try await server.post("/v1/blur?sigma=2", bytes, ["Content-Type: \(type)"])
      #expect(reply.status == 415, "\(name) as \(type): \(reply.text)")
      #expect(reply.problem == "not-a-picture")
      #expect(reply["accept"]?.contains("image/webp") == true)
    }
  }

  @Test func aMaskIsLookedAtToo() async throws {
    let server = try TestServer()
    let form = TestServer.form(
      files: [("picture", try Sample.file()), ("mask", Array("<svg/>".utf8))],
      fields: [("sigma", "2")])
    #expect(try await server.post("/v1/blur", form.body, [form.header]).status == 415)
  }

  @Test(arguments: StillFormat.allCases)
  func listedFormatsAreKnownByTheirBeginning(_ format: StillFormat) throws {
    #expect(StillFormat(signature: try Sample.file(format)) == format)
  }

  @Test func whateverItsTypeAnImageIsAnImage() async throws {
    let server = try TestServer()
    let reply = try await server.post(
      "/v1/blur?sigma=2", try Sample.file(.webp), ["Content-Type: image/svg+xml"])
    #expect(reply.status == 200)
    #expect(reply["content-type"] == "image/webp")
  }
}
