import FrostglassServer
import Testing

/// Responses of a child are checked, and a child that sends invalid ones is ended.
@Suite struct AnswerCheckTests {
  /// Status, type, and names and values of fields.
  @Test(
    arguments: [
      ["200", "image/png"],
      ["200", "multipart/form-data; boundary=frostglass-0123abcd"],
      ["200", "image/jpeg", "X-Frostglass-Note", "100×50 “so”", "Server-Timing", "decode;dur=1.5"],
      ["503", "application/problem+json", "Retry-After", "5"],
    ])
  func whatWorkSaysIsPassedOn(_ words: [String]) async throws {
    let pool = try CheckedPool()
    let answer = await pool.perform("test-answer", words)
    #expect("\(answer.status)" == words[0] && answer.contentType == words[1])
    #expect(answer.fields.flatMap { [$0.name, $0.value] } == Array(words.dropFirst(2)))
    #expect(pool.ends.isEmpty)
  }

  @Test(
    arguments: [
      ["204", "image/png"], ["301", "application/json"], ["0", "image/png"], ["-1", "image/png"],
      ["200", "text/html"], ["200", "image/svg+xml"], ["200", ""],
      ["200", "multipart/form-data; boundary=frostglass-a\r\nX: y"],
      ["200", "application/problem+json"], ["500", "image/png"],
      ["200", "image/png", "Set-Cookie", "a=b"], ["200", "image/png", "Location", "/"],
      ["200", "image/png", "Content-Security-Policy", ""],
      ["200", "image/png", "X-Frostglass-Note", "a\r\nSet-Cookie: b"],
      ["200", "image/png", "X-Frostglass-Note", "a\u{0}"],
      ["200", "image/png", "X-Frostglass-Note: x", "a"],
      ["200", "image/png"] + (0..<65).flatMap { ["X-Frostglass-\($0)", "a"] },
    ])
  func whatNoWorkSaysIsNot(_ words: [String]) async throws {
    let pool = try CheckedPool()
    let answer = await pool.perform("test-answer", words)
    #expect(answer.status == 500 && answer.fields.isEmpty)
    #expect(await pool.until { pool.ends.first?.isLie == true }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  private static func problem(bytes: Int) -> String {
    #"{"detail":""# + String(repeating: "a", count: bytes - 13) + #""}"#
  }

  @Test(
    arguments: [
      "{}", #"{"type":"urn:a","detail":"é “\n” \u0000"}"#, problem(bytes: 64 << 10),
    ])
  func aProblemIsALineOfJSON(_ body: String) async throws {
    let pool = try CheckedPool()
    let answer = await pool.perform(
      "test-answer", ["422", "application/problem+json"], parts: ["picture": Array(body.utf8)])
    #expect(answer.status == 422 && answer.text == body)
    #expect(pool.ends.isEmpty)
  }

  /// It goes into the log, which is read line by line.
  @Test(
    arguments: [
      "", "{", "[]", "words", "{} ", "{}\n", "{\"a\":1}\n{\"status\":200}", "{\"a\":\"\n\"}",
      "{\"a\":\"\u{1B}[2J\"}", "{}},{\"a\":{}", "{\"a\":}", problem(bytes: (64 << 10) + 1),
    ].map { Array($0.utf8) } + [[UInt8(ascii: "{"), 0xFF, UInt8(ascii: "}")]])
  func whatIsNoProblemIsNotPassedOn(_ body: [UInt8]) async throws {
    let pool = try CheckedPool()
    let answer = await pool.perform(
      "test-answer", ["422", "application/problem+json"], parts: ["picture": body])
    #expect(answer.status == 500 && answer.text.contains("work-failed"))
    #expect(await pool.until { pool.ends.first?.isLie == true }, "\(pool.events)")
  }

  /// An honest child quotes no more than it may.
  @Test func aProblemThatQuotesMuchIsCut() async throws {
    let pool = try CheckedPool()
    let detail = String(repeating: "\u{1}", count: 100_000)
    let body = Problem(400, "bad-request", detail).answer.body
    #expect(body.count < 64 << 10)
    let answer = await pool.perform(
      "test-answer", ["400", "application/problem+json"], parts: ["picture": body])
    #expect(answer.status == 400 && answer.body == body)
    #expect(pool.ends.isEmpty)
  }

  /// Bytes that violate the protocol, and how a message would read them.
  private static let garbage: [(what: String, bytes: [UInt8])] = {
    let one: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0]
    let none: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0]
    return [
      ("words", Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
      ("an endless head", [0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0]),
      ("endlessly many parts", [2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]),
      ("an endless part", one + [UInt8](repeating: 0xFF, count: 8)),
      ("a part of 16 GiB", one + [0, 0, 0, 0, 4, 0, 0, 0]),
      (
        "a shared part that goes beyond the memory",
        one + [1, 0, 0, 32, 0, 0, 0, 0x80] + Array("{}".utf8)
      ),
      (
        "an endless shared part", one + [UInt8](repeating: 0xFF, count: 8) + Array("{}".utf8)
      ),
      (
        "two shared parts",
        [2, 0, 0, 0, 2, 0, 0, 0]
          + [UInt8](repeating: 0, count: 7) + [0x80] + [UInt8](repeating: 0, count: 7) + [0x80]
      ),
      ("no JSON", none + Array("[{".utf8)),
      ("other JSON", none + Array("{}".utf8)),
    ]
  }()

  @Test(arguments: garbage)
  func aChildThatSaysGarbageIsEnded(_ what: String, _ bytes: [UInt8]) async throws {
    let pool = try CheckedPool()
    let answer = await pool.perform("test-say", parts: ["bytes": bytes])
    #expect(answer.status == 500, "\(what)")
    #expect(await pool.until { pool.ends.first?.isLie == true }, "\(what): \(pool.events)")
    #expect(await pool.process() != nil)
  }

  /// Announces an answer that never comes: that is a matter of time.
  @Test func aChildThatStopsInTheMiddleIsEnded() async throws {
    let pool = try CheckedPool()
    _ = await pool.process()
    let start: [UInt8] = [16, 0, 0, 0, 1, 0, 0, 0]
    let answer = await pool.perform("test-say", parts: ["bytes": start], seconds: 0.05)
    #expect(answer.status == 503)
    #expect(await pool.until { pool.ends == [.late] }, "\(pool.events)")
  }

  /// A whole answer, and then more.
  @Test func aChildThatSpeaksUnaskedIsEnded() async throws {
    let pool = try CheckedPool()
    let head = Array(#"{"status":200,"contentType":"application/json","fields":[]}"#.utf8)
    let frame: [UInt8] =
      [UInt8(head.count), 0, 0, 0, 1, 0, 0, 0] + [2, 0, 0, 0, 0, 0, 0, 0] + head + Array("{}".utf8)
    let answer = await pool.perform("test-say", parts: ["bytes": frame + Array("more".utf8)])
    #expect(answer.status == 200 && answer.text == "{}")
    #expect(
      await pool.until { pool.ends == [.lied("it spoke without being asked")] }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  /// Says that an answer lies in shared memory where it has put nothing.
  @Test func whatWasNotPutInSharedMemoryIsZeros() async throws {
    let pool = try CheckedPool()
    let head = Array(#"{"status":200,"contentType":"application/json","fields":[]}"#.utf8)
    let frame: [UInt8] =
      [UInt8(head.count), 0, 0, 0, 1, 0, 0, 0] + [0, 0, 2, 0, 0, 0, 0, 0x80] + head
    let answer = await pool.perform("test-say", parts: ["bytes": frame])
    #expect(answer.status == 200)
    #expect(answer.body == [UInt8](repeating: 0, count: 2 << 16))
  }

  @Test func anAnswerThatIsTooLargeIsNotTaken() async throws {
    let pool = try CheckedPool { $0.mostAnswerBytes = 1000 }
    let (most, more) = ([UInt8](repeating: 1, count: 1000), [UInt8](repeating: 1, count: 1001))
    #expect(await pool.perform("test-echo", parts: ["picture": most]).body == most)
    #expect(await pool.perform("test-echo", parts: ["picture": more]).status == 500)
    #expect(await pool.until { pool.ends.first?.isLie == true }, "\(pool.events)")
  }
}

extension WorkerEnd {
  fileprivate var isLie: Bool { if case .lied = self { true } else { false } }
}
