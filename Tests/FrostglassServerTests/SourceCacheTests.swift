import FrostglassCore
import FrostglassFetching
import FrostglassServer
import Glibc
import Testing

/// Images of other servers that are kept on disk.
@Suite struct SourceCacheTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private var names: [String] { ((try? namesOfFiles(in: folder.path)) ?? []) }

  private func server(
    _ origin: TestOrigin, _ options: String = "",
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> TestServer {
    let shop = try Origin("shop=\(origin.base())?private=1&seconds=600\(options)")
    return try TestServer {
      $0.origins = [shop]
      $0.sourceCache = folder.path
      change(&$0)
    }
  }

  private func image(_ sigma: Int, _ name: String = "a.png") -> String {
    "/v1/images?src=shop/\(name)&sigma=\(sigma)"
  }

  /// Answers one after another, the last of them for ever.
  private static func turns(_ answers: [[TestOrigin.Step]]) throws -> TestOrigin {
    let count = Monitor(0)
    return try TestOrigin { _ in
      answers[
        min(
          count.change { count in
            defer { count += 1 }; return count
          }, answers.count - 1)]
    }
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  @Test func whatIsCurrentIsNotAskedFor() async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in
      TestOrigin.answer(200, ["Cache-Control: max-age=100000"], file)
    }
    let server = try server(origin)
    for sigma in 2...4 {
      let reply = try await server.get(image(sigma))
      #expect(reply.status == 200 && reply["cache-control"] == "public, max-age=3600")
    }
    #expect(origin.requests.count == 1 && names.count == 1)
    let text = try await server.get("/metrics").text
    for line in ["{result=\"hit\"} 2\n", "{result=\"miss\"} 1\n"] {
      #expect(text.contains("frostglass_source_cache_total\(line)"))
    }
    // Another process finds it there.
    let next = try self.server(origin)
    #expect(try await next.get(image(5)).status == 200)
    #expect(origin.requests.count == 1)
  }

  @Test func whoAsksAtOnceIsAnsweredByOneFetch() async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in
      [.waitForGate] + TestOrigin.answer(200, ["Cache-Control: max-age=100000"], file)
    }
    let server = try server(origin) { $0.connections.bodyRate = 0 }
    let targets = (2...6).map { image($0) }
    let replies = targets.map { target in Task { try await server.get(target).status } }
    #expect(
      await eventually { !origin.requests.isEmpty && server.server.service.connections() == 5 })
    origin.open()
    for reply in replies { #expect(try await reply.value == 200) }
    #expect(origin.requests.count == 1)
  }

  @Test func whoLeavesTakesItFromNobody() async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in [.waitForGate] + TestOrigin.answer(200, [], file) }
    let server = try server(origin) { $0.connections.bodyRate = 0 }
    let connections = server.server.service.connections
    let other = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send("GET \(Self.first) HTTP/1.1\r\nHost: a\r\n\r\n")
      while origin.requests.isEmpty { usleep(1000) }
      let other = Task { try await server.get(Self.first).status }
      while connections() < 2 { usleep(1000) }
      withExtendedLifetime(client) {}
      return other
    }
    #expect(await eventually { connections() == 1 })
    origin.open()
    #expect(try await other.value == 200)
  }

  private static let first = "/v1/images?src=shop/a.png&sigma=2"

  @Test func whatMayHaveChangedIsAskedAbout() async throws {
    let (first, second) = (try Sample.file(), try Sample.file(width: 40))
    let old = [
      "Cache-Control: max-age=0", "ETag: \"1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    let origin = try Self.turns([
      TestOrigin.answer(200, old, first),
      TestOrigin.raw("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=0\r\nETag: \"1\""),
      TestOrigin.answer(200, ["Cache-Control: max-age=100000", "ETag: \"2\""], second),
    ])
    let server = try server(origin)
    let replies = [
      try await server.get(image(2)), try await server.get(image(2)),
      try await server.get(image(2)),
      try await server.get(image(2)),
    ]
    #expect(replies.map(\.status) == [200, 200, 200, 200])
    try #require(origin.requests.map { $0.field("If-None-Match") } == ["", "\"1\"", "\"1\""])
    #expect(origin.requests[1].field("If-Modified-Since") == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(replies[0].body == replies[1].body && replies[1]["etag"] == replies[0]["etag"])
    #expect(replies[2].body != replies[1].body && replies[2]["etag"] != replies[1]["etag"])
    #expect(replies[3].body == replies[2].body)
    // Whoever keeps an answer is to ask, too.
    #expect(replies[0]["cache-control"] == "public, max-age=0")
    #expect(replies[0]["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test(arguments: ["no-store", "private", "max-age=60, no-store"])
  func whatMustNotBeKeptIsNot(_ words: String) async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in TestOrigin.answer(200, ["Cache-Control: \(words)"], file) }
    let server = try server(origin)
    for _ in 0..<2 {
      #expect(try await server.get(image(2))["cache-control"] == "public, max-age=0")
    }
    #expect(origin.requests.count == 2 && names.isEmpty)
  }

  @Test func whatFailsIsGivenFromTheCache() async throws {
    let file = try Sample.file()
    for (words, status) in [
      ("max-age=0", 200), ("max-age=0, must-revalidate", 502), ("no-cache", 502),
    ] {
      let origin = try Self.turns([
        TestOrigin.answer(200, ["Cache-Control: \(words)"], file), TestOrigin.answer(500),
      ])
      let server = try server(origin)
      #expect(try await server.get(image(2, "\(status)\(words.count)")).status == 200)
      let reply = try await server.get(image(2, "\(status)\(words.count)"))
      #expect(reply.status == status && origin.requests.count == 2, "\(words): \(reply.text)")
    }
  }

  @Test func whatIsGoneIsForgotten() async throws {
    let file = try Sample.file()
    let origin = try Self.turns([
      TestOrigin.answer(200, ["Cache-Control: max-age=0"], file), TestOrigin.answer(404),
      TestOrigin.answer(500),
    ])
    let server = try server(origin)
    var statuses: [Int] = []
    for _ in 0..<3 { statuses.append(try await server.get(image(2)).status) }
    #expect(statuses == [200, 404, 502] && names.isEmpty)
  }

  /// Responses that are no image, or a damaged one, are fetched again, whatever their caching headers.
  @Test func whatIsNoImageIsNotKept() async throws {
    let file = try Sample.file()
    let bodies: [String: (body: [UInt8], status: Int)] = [
      "/base/text": (Array("<html>".utf8), 415), "/base/empty": ([], 404),
      "/base/half": (Array(file.prefix(file.count / 2)), 422), "/base/whole": (file, 200),
    ]
    let origin = try TestOrigin { request in
      TestOrigin.answer(
        200, ["Cache-Control: max-age=100000", "Content-Type: image/png"],
        bodies[request.target]?.body ?? [])
    }
    let server = try server(origin)
    for (target, (_, status)) in bodies.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<2 {
        let reply = try await server.get(image(2, "\(target.dropFirst(6))"))
        #expect(reply.status == status, "\(target): \(reply.text)")
      }
      let count = origin.requests.count { $0.target == target }
      #expect(count == (status == 200 ? 1 : 2), "\(target)")
      #expect(names.count == (status == 200 ? 1 : 0), "\(target)")
    }
  }

  /// A server that says of what has not changed that it must not be kept is believed.
  @Test func whatMayNoLongerBeKeptIsRemoved() async throws {
    let origin = try Self.turns([
      TestOrigin.answer(200, ["Cache-Control: max-age=0", "ETag: \"1\""], try Sample.file()),
      TestOrigin.raw("HTTP/1.1 304 Not Modified\r\nCache-Control: no-store\r\nETag: \"1\""),
      TestOrigin.answer(500),
    ])
    let server = try server(origin)
    let statuses = [
      try await server.get(image(2)).status, try await server.get(image(2)).status,
      try await server.get(image(2)).status,
    ]
    #expect(statuses == [200, 200, 502] && names.isEmpty)
  }

  @Test func theLeastRecentlyUsedMakeRoom() async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in
      TestOrigin.answer(200, ["Cache-Control: max-age=100000"], file)
    }
    // Each image has a line before it.
    _ = try await server(origin).get(image(2, "z"))
    let size = Self.size(of: "\(folder.path)/\(try #require(names.first))")
    let most = 3 * size + size / 2
    unlink("\(folder.path)/\(try #require(names.first))")
    let server = try server(origin) { $0.sourceCacheBytes = most }
    for name in ["a", "b", "a", "c", "a", "d", "a", "e", "f", "g", "a"] {
      #expect(try await server.get(image(2, name)).status == 200)
      let sizes = names.map { Self.size(of: "\(folder.path)/\($0)") }
      #expect(sizes.reduce(0, +) <= most && !sizes.contains(0))
    }
    let counts = ["a", "b", "e"].map { name in
      origin.requests.count { $0.target == "/base/\(name)" }
    }
    // `a` was used again and again, until three others came.
    #expect(counts == [2, 1, 1])
    #expect(try await server.get(image(3, "b")).status == 200)
    #expect(origin.requests.count { $0.target == "/base/b" } == 2)
  }

  @Test func damagedFilesAreFetchedAnew() async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in
      TestOrigin.answer(200, ["Cache-Control: max-age=100000"], file)
    }
    let server = try server(origin)
    #expect(try await server.get(image(2)).status == 200)
    let path = "\(folder.path)/\(try #require(names.first))"
    var requests = 1
    for damage in ["", "{", "{}\n", "\n", "{\"size\":3}\nabc"] {
      try folder.write(path.split(separator: "/").last.map(String.init) ?? "", damage)
      #expect(try await server.get(image(3)).status == 200)
      requests += 1
      #expect(origin.requests.count == requests, "\(damage)")
    }
    unlink(path)
    #expect(try await server.get(image(3)).status == 200)
    truncate(path, 300)
    #expect(try await server.get(image(3)).status == 200)
    #expect(origin.requests.count == requests + 2)
    // What was not complete when a process ended is removed.
    try folder.write("x.part", "x")
    _ = try self.server(origin)
    #expect(names.count == 1)
  }

  @Test func aFolderThatCannotBeWrittenIsNamed() throws {
    try folder.write("file", "x")
    let path = "\(folder.path)/file/cache"
    let failure = #expect(throws: (any Error).self) { try SourceCache(folder: path, mostBytes: 1) }
    #expect("\(failure as Any)".contains("\(folder.path)/file"))
  }

  /// The freshness that header fields give, in seconds; `nil` if the response must not be stored.
  @Test(
    arguments: [
      ([], 60, false), (["cache-control: max-age=5"], 5, false),
      (["cache-control: Max-Age=\"5\""], 5, false),
      (["cache-control: public, max-age=5, s-maxage=7"], 7, false),
      (["cache-control: max-age=5", "age: 3"], 2, false),
      (["cache-control: max-age=5", "age: 9"], 0, false),
      (["cache-control: max-age=5", "age: -9223372036854775808"], 5, false),
      (["cache-control: max-age=-1"], 0, false), (["cache-control: max-age=x"], 0, false),
      (["cache-control: max-age=99999999999999999999"], 0, false),
      (["cache-control: max-age=9999999999"], 31_536_000, false),
      (["cache-control: no-cache"], 0, true),
      (["cache-control: max-age=5, must-revalidate"], 5, true),
      (["cache-control: no-store"], nil, false), (["cache-control: private=\"x\""], nil, false),
      (["expires: 0"], 0, false), (["age: 10"], 60, false),
      (
        ["date: Sun, 06 Nov 1994 08:49:37 GMT", "expires: Sun, 06 Nov 1994 08:50:37 GMT"], 60, false
      ),
      (
        ["date: Sun, 06 Nov 1994 08:49:37 GMT", "expires: Sun, 06 Nov 1994 08:49:47 GMT"], 10, false
      ),
      (["cache-control: max-age=5", "expires: Sun, 06 Nov 2094 08:49:47 GMT"], 5, false),
    ] as [([String], Int?, Bool)])
  func headerFieldsSayHowLong(_ lines: [String], _ seconds: Int?, _ mustRevalidate: Bool) {
    var answer = FetchAnswer(1, .answered)
    answer.fields = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return FetchField(String(parts[0]), trimmed(parts[1]))
    }
    let rule = CacheRule(answer, usual: 60, now: 784_111_777)
    #expect((rule.isStored ? rule.freshSeconds : nil) == seconds)
    #expect(rule.mustRevalidate == mustRevalidate)
  }
}
