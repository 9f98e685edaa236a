import FrostglassServer
import FrostglassSigning
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// Everything that services like this one have been attacked with, one after another against the built
/// service; then it is the same process, no worker has crashed, and it answers as before.
@Suite struct AttackTests {
  /// Bytes sent on a connection of their own, and the allowed statuses; 0 is an end without a response.
  private struct Attack: Sendable {
    var name: String
    var bytes: [UInt8]
    var statuses: Set<Int>
    /// True if nothing more follows; otherwise the client waits.
    var ends = false

    init(_ name: String, _ bytes: [UInt8], _ statuses: Set<Int>, ends: Bool = false) {
      self.name = name
      self.bytes = bytes
      self.statuses = statuses
      self.ends = ends
    }

    init(_ name: String, _ text: String, _ statuses: Set<Int>, ends: Bool = false) {
      self.init(name, Array(text.utf8), statuses, ends: ends)
    }
  }

  private static let post = "POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\n"

  /// Requests with ambiguous framing.
  private static let framing =
    FrameGuardTests.attacks.map { Attack($0.name, $0.request, [$0.status]) }

  /// Heads that are longer than any is.
  private static let heads = [
    Attack(
      "ten thousand fields",
      post + (0..<10_000).map { "X-\($0): a\r\n" }.joined() + "\r\n", [431]),
    Attack(
      "a field's name of 100 KB",
      post + String(repeating: "a", count: 100_000) + ": a\r\n\r\n", [431]),
    Attack(
      "a method of 100 KB", String(repeating: "A", count: 100_000) + " / HTTP/1.1\r\n\r\n",
      [0, 400, 414, 431]),
    Attack(
      "three hundred fields of a query",
      "POST /v1/blur?" + String(repeating: "sigma=2&", count: 300)
        + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", [400]),
    Attack("another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [0, 400, 505]),
    Attack("TLS", [22, 3, 1, 0, 5, 1, 0, 0, 1, 3, 13, 10, 13, 10], [0, 400], ends: true),
    Attack("zeros", [UInt8](repeating: 0, count: 4096), [0, 400, 414], ends: true),
  ]

  /// Bodies that are not as long as they are said to be.
  private static func lengths(_ picture: [UInt8]) -> [Attack] {
    func request(_ length: String, _ body: [UInt8]) -> [UInt8] {
      Array((post + "Content-Length: \(length)\r\n\r\n").utf8) + body
    }
    return [
      Attack("a terabyte is announced", request("1000000000000", picture), [413]),
      Attack("more than 64 bits", request("99999999999999999999", picture), [400, 413]),
      Attack(
        "one byte too many announced", request("\(picture.count + 1)", picture), [0], ends: true),
      // The rest is a request of its own, and no good one.
      Attack("half is announced", request("\(picture.count / 2)", picture), [400, 422]),
      Attack("nothing is announced", post + "\r\n", [400]),
      Attack("nothing at all is sent", request("0", []), [400]),
      Attack(
        "a chunk of 2⁶⁸ bytes",
        post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
        [0, 400, 413],
        ends: true),
      Attack(
        "a negative chunk", post + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        [0, 400], ends: true),
      Attack(
        "a chunk that is no number",
        post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n", [0, 400], ends: true),
      // libmicrohttpd says 500 where it has no room for a line, and hangs up.
      Attack(
        "an endless extension of a chunk",
        post + "Transfer-Encoding: chunked\r\n\r\n5;" + String(repeating: "a", count: 200_000),
        [0, 400, 413, 431, 500],
        ends: true),
      Attack(
        "chunks that do not end",
        Array((post + "Transfer-Encoding: chunked\r\n\r\n10\r\n").utf8) + picture.prefix(16), [0],
        ends: true),
    ]
  }

  /// Small files that become large, and such as are no images.
  private static func files(_ picture: [UInt8]) -> [Attack] {
    let bombs = [30_000, 9_000].flatMap { side in
      let bomb = PNGBomb.file(width: side, height: side)
      return ["blur?sigma=2", "placeholder", "plan?sigma=2", "fill?aspect=1:1"].map {
        Attack("\(side)² pixels to \($0)", TestServer.request("/v1/\($0)", bomb), [413])
      }
    }
    let form = TestServer.form(
      files: [("picture", picture), ("mask", PNGBomb.file(width: 9000, height: 9000))])
    let mask = Attack(
      "a mask of 9000² pixels",
      TestServer.request("/v1/blur?sigma=2", form.body, [form.header]), [422])
    let types = FormatCheckTests.others.map { name, bytes in
      Attack(
        name, TestServer.request("/v1/blur?sigma=2", bytes, ["Content-Type: image/jpeg"]), [415])
    }
    let cut = [0.1, 0.5, 0.9].map { part in
      Attack(
        "\(part) of an image",
        TestServer.request(
          "/v1/blur?sigma=2", Array(picture.prefix(Int(Double(picture.count) * part)))),
        [422])
    }
    return bombs + [mask] + types + cut
  }

  /// Forms that are none, or too much of one.
  private static func forms(_ picture: [UInt8]) -> [Attack] {
    func part(_ name: String, _ content: String, file: String? = nil) -> String {
      let file = file.map { "; filename=\"\($0)\"" } ?? ""
      return
        "--cut\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n\(content)\r\n"
    }
    let texts = [
      ("no end", "--cut\r\nContent-Disposition: form-data; name=\"picture\"\r\n\r\nx"),
      ("no head", "--cut\r\n\r\nx\r\n--cut--"), ("nothing", ""), ("only an end", "--cut--"),
      ("no name", "--cut\r\nContent-Disposition: form-data\r\n\r\nx\r\n--cut--"),
      ("257 parts", (0..<257).map { part("a\($0)", "x") }.joined() + "--cut--"),
      ("300 fields", (0..<250).map { _ in part("sigma", "2") }.joined() + "--cut--"),
      (
        "a head of 5000 bytes",
        "--cut\r\nX: " + String(repeating: "a", count: 5000)
          + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--cut--"
      ),
      (
        "files that are not taken",
        part("evil", "x", file: "a.sh") + part("worse", "x", file: "b.sh") + "--cut--"
      ),
      ("a boundary in a boundary", "--cut\r\n--cut\r\n--cut--\r\n"),
      ("a million hyphens", String(repeating: "-", count: 1_000_000)),
      ("a million near ends", String(repeating: "\r\n--cu", count: 150_000)),
    ]
    // The only file is the image, whatever it is called.
    let named = part("../../etc/passwd", "x", file: "../../etc/passwd") + "--cut--"
    let header = "Content-Type: multipart/form-data; boundary="
    let boundaries = ["", String(repeating: "b", count: 71), "\u{7F}"]
    return texts.map { name, text in
      Attack(
        "a form with \(name)",
        TestServer.request("/v1/blur?sigma=2", Array(text.utf8), [header + "cut"]), [400])
    }
      + boundaries.map { boundary in
        Attack(
          "the boundary \(boundary.prefix(4))…",
          TestServer.request("/v1/blur?sigma=2", picture, [header + boundary]), [400])
      }
      + [
        Attack(
          "a form with a path for a name",
          TestServer.request("/v1/blur?sigma=2", Array(named.utf8), [header + "cut"]), [415])
      ]
  }

  /// Ways out of the folder of the operator's images; what is outside is an image, too.
  private static let paths = ImagesTests.elsewhere.map { path in
    Attack(
      "the path \(path)", "GET /v1/pictures/\(path)?sigma=2 HTTP/1.1\r\nHost: a\r\n\r\n", [404])
  }

  /// URLs without a valid signature.
  private static func addresses(_ picture: [UInt8]) throws -> [Attack] {
    let keys = try SigningKeys(text: keyText)
    let others = try SigningKeys(text: "k:another-secret-of-this-name")
    let target = "/v1/blur?sigma=2"
    let good = SignedTarget.signed(target, method: "POST", keys: keys, expires: 4_000_000_000)
    let fields = good.split(separator: "?")[1].split(separator: "&").map(String.init)
    let targets = [
      ("none", target), ("an empty one", target + "&signature="),
      ("one cut short", String(good.dropLast())), ("one with more", good + "A"),
      ("a changed field", good.replacing("sigma=2", with: "sigma=3")),
      ("a field behind it", good + "&sigma=3"),
      ("fields in another order", "/v1/blur?" + fields.reversed().joined(separator: "&")),
      ("one that has expired", SignedTarget.signed(target, method: "POST", keys: keys, expires: 1)),
      (
        "another key",
        SignedTarget.signed(target, method: "POST", keys: others, expires: 4_000_000_000)
      ),
      (
        "another method",
        SignedTarget.signed(target, method: "GET", keys: keys, expires: 4_000_000_000)
      ),
      ("an unknown key", good.replacing("key=k", with: "key=l")),
      ("another route", good.replacing("/v1/blur", with: "/v1/plan")),
      ("an escape for a letter", good.replacing("sigma", with: "%73igma")),
    ]
    return targets.map { name, target in
      Attack("signature: \(name)", TestServer.request(target, picture), [403])
    } + [Attack("signature: a good one", TestServer.request(good, picture), [200])]
  }

  private static let keyText = "k:0123456789abcdef0123456789abcdef"

  /// Sends all, and looks after the service.
  private static func run(_ attacks: [Attack], against service: BuiltService) async throws {
    for attack in attacks {
      let status = try await onThread {
        let client = try RawClient(port: service.port)
        client.send(attack.bytes)
        if attack.ends { client.finish() }
        return (try? client.reply().status) ?? 0
      }
      #expect(attack.statuses.contains(status), "\(attack.name): \(status)")
      #expect(!ProcessState.isGone(service.process), "\(attack.name): the service is gone")
    }
  }

  private static func expectUnhurt(_ service: BuiltService) async throws {
    let metrics = try await service.get("/metrics").text
    for reason in ["crashed", "lied", "grew"] {
      let line = "frostglass_worker_ends_total{reason=\"\(reason)\"} 0\n"
      #expect(metrics.contains(line), "\(reason): \(service.said)")
    }
    #expect(try await service.end() == 0, "\(service.said)")
  }

  @Test func theServiceOutlivesTheTable() async throws {
    let picture = try Sample.file()
    let folder = try Folder()
    try ImagesTests.fill(folder)
    let service = try await BuiltService.start(["--pictures", folder.path + "/in"])
    let good = TestServer.request("/v1/blur?sigma=2", picture)
    let before = try await service.ask(good)
    #expect(before.status == 200)
    let all =
      Self.framing + Self.heads + Self.lengths(picture) + Self.files(picture)
      + Self.forms(picture) + Self.paths
    #expect(all.count > 90)
    try await Self.run(all, against: service)
    let after = try await service.ask(good)
    #expect(after.status == 200 && after.body == before.body)
    #expect(try await service.get("/v1/pictures/a.png?sigma=2").status == 200)
    try await Self.expectUnhurt(service)
  }

  @Test func nobodyGetsInWithoutAKey() async throws {
    let folder = try Folder()
    try folder.write("keys", Self.keyText)
    let service = try await BuiltService.start(["--keys", folder.path + "/keys"])
    try await Self.run(try Self.addresses(try Sample.file()), against: service)
    try await Self.expectUnhurt(service)
  }

  /// More slow ones than there are workers, of heads and of bodies, while others are served.
  @Test func slowClientsHoldNobody() async throws {
    let good = TestServer.request("/v1/blur?sigma=2", try Sample.file())
    let service = try await BuiltService.start(["--head-seconds", "1", "--body-seconds", "1"])
    let slow = try await onThread {
      let starts = [
        "GET / HT", "GET / HTTP/1.1\r\nX: a", Self.post + "Content-Length: 1000\r\n\r\n",
      ]
      return try (0..<60).map { index in
        let client = try RawClient(port: service.port)
        client.send(starts[index % starts.count])
        return client
      }
    }
    #expect(try await service.ask(good).status == 200)
    let areClosed = try await onThread {
      for _ in 0..<600 where !slow.allSatisfy(\.isClosedByNow) {
        for client in slow { client.send("a") }
        usleep(100_000)
      }
      return slow.allSatisfy(\.isClosedByNow)
    }
    #expect(areClosed)
    #expect(try await service.ask(good).status == 200)
    try await Self.expectUnhurt(service)
  }
}
