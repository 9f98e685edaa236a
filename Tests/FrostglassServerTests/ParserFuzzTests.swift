import FrostglassServer
import FrostglassSigning
import Glibc
import TestSupport
import Testing

/// Readers of what strangers send: nothing that is sent crashes them, and what they take makes sense.
///
/// With FROSTGLASS_FUZZ_TIMES=1000 in the environment a thousand times as much is tried, and with
/// FROSTGLASS_FUZZ_SEED something else.
@Suite struct ParserFuzzTests {
  private static let times = variable("FROSTGLASS_FUZZ_TIMES") ?? 1
  private static let seed = UInt64(variable("FROSTGLASS_FUZZ_SEED") ?? 0)

  private static func variable(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  private static let words = [
    "&", "=", "%", "+", "%00", "%41", "%C3%A9", "%ff", ";", "\"", "\\", "\r\n", "--", "--cut",
    "--cut--", "Content-Disposition: form-data; name=\"a\"", "Content-Type: image/png",
    "filename=\"x\"", "signature=", "&signature=", "expires=1", "key=k", "sigma=2", "/v1/blur?",
    "a", "é", "\u{1F600}", " ", "\t", "q=0.5", "*/*", "image/webp", ",", "0",
    "18446744073709551616",
    "-1", "chunked", "Content-Length", ":", "boundary=cut", "multipart/form-data", "region=",
  ]

  private func text(_ random: inout SplitMix) -> String {
    (0..<Int.random(in: 0..<24, using: &random)).map { _ in
      Self.words.randomElement(using: &random) ?? ""
    }.joined()
  }

  @Test func readersHold() throws {
    var random = SplitMix(state: Self.seed &+ 14)
    let keys = try SigningKeys(text: "k:0123456789abcdef")
    for _ in 0..<20_000 * Self.times {
      let text = text(&random)
      if let fields = try? QueryText.fields(text[...]) {
        #expect(fields.count <= QueryText.mostFields)
        #expect(fields.allSatisfy { !$0.value.contains("\0") && !$0.name.contains("\0") })
      }
      #expect(throws: SignedTarget.Refusal.self) {
        try SignedTarget.check(text, method: "GET", keys: keys, now: 0)
      }
      #expect(AcceptedRange.list(text).allSatisfy { (0...1).contains($0.quality) })
      if let boundary = MultipartForm.boundary(of: text) {
        #expect((1...70).contains(boundary.utf8.count))
      }
      _ = HTTPDate.seconds(text)
      _ = ListenAddress(text: text)
    }
  }

  @Test func formsHold() throws {
    var random = SplitMix(state: Self.seed &+ 15)
    for _ in 0..<20_000 * Self.times {
      let body = Array(("--cut" + text(&random)).utf8)
      if let form = try? MultipartForm(body, boundary: "cut") {
        #expect(form.parts.reduce(0) { $0 + $1.content.count } <= body.count)
      }
    }
  }

  /// Parts come out as they went in, whatever is in them but the boundary.
  @Test func formsKeepTheirParts() throws {
    var random = SplitMix(state: Self.seed &+ 16)
    for _ in 0..<500 * Self.times {
      let files = (0..<Int.random(in: 1..<5, using: &random)).map { index in
        let count = Int.random(in: 0..<200, using: &random)
        let bytes = (0..<count).map { _ in
          [13, 10, 45, 99].randomElement(using: &random)
            ?? UInt8.random(in: 0...255, using: &random)
        }
        return ("file\(index)", bytes)
      }
      let form = TestServer.form(files: files, fields: [("sigma", "2")])
      let parts = try MultipartForm(form.body, boundary: "cut").parts
      #expect(parts.map(\.name) == ["sigma"] + files.map(\.0))
      #expect(parts.dropFirst().map { Array($0.content) } == files.map(\.1))
      #expect(parts.dropFirst().allSatisfy { $0.fileName == "a;b\".jpg" })
    }
  }

  @Test func theGuardHolds() {
    var random = SplitMix(state: Self.seed &+ 17)
    for _ in 0..<20_000 * Self.times {
      let headers = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        Field(
          ["Content-Length", "content-length", "Transfer-Encoding", "Host", text(&random)]
            .randomElement(using: &random) ?? "", text(&random))
      }
      let head = RequestHead(method: "POST", target: "/" + text(&random), headers: headers)
      var context = RequestContext(head, id: "1")
      guard (try? FrameGuard().run(&context)) != nil else { continue }
      // What is let through says once, and plainly, where it ends.
      #expect(head.all("content-length").count + head.all("transfer-encoding").count <= 1)
      #expect(head.all("content-length").allSatisfy { Int($0) ?? -1 >= 0 })
      #expect(head.all("transfer-encoding").allSatisfy { $0.lowercased() == "chunked" })
    }
  }

  /// Bytes that are no request at all.
  @Test func socketsTakeAnything() async throws {
    let server = try TestServer { $0.connections.headSeconds = 1 }
    try await onThread { [port = server.port] in
      var random = SplitMix(state: Self.seed &+ 18)
      for _ in 0..<200 {
        let client = try RawClient(port: port)
        let count = Int.random(in: 1..<400, using: &random)
        client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        client.send(
          "POST /v1/blur?" + Self.words.shuffled(using: &random).joined() + " HTTP/1.1\r\n\r\n")
      }
    }
    #expect(try await server.get("/health/live").status == 200)
    #expect(await eventually { server.server.requestCount == 0 })
  }
}
