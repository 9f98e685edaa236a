import FrostglassCore
import FrostglassFetching
import FrostglassServer
import FrostglassSigning
import Glibc
import TestSupport
import Testing

/// Images of folders and of other servers, by `/v1/images?src=NAME/PATH`.
@Suite struct SourcesTests {
  private static func server(
    _ origins: [String], worker: (any Worker)? = nil, jobs: Int = 2,
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> TestServer {
    let origins = try origins.map { try Origin($0) }
    return try TestServer(worker: worker, jobs: jobs) {
      $0.origins = origins
      change(&$0)
    }
  }

  /// Another server, and a service that knows it as `shop`.
  private struct Shop {
    let origin: TestOrigin
    let server: TestServer
  }

  /// A service with an origin `shop` that answers so.
  private static func shop(
    _ options: String = "&seconds=600", _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ answer: @escaping @Sendable (TestOrigin.Request) -> [TestOrigin.Step]
  ) throws -> Shop {
    let origin = try TestOrigin(answer)
    return Shop(
      origin: origin,
      server: try server(["shop=\(origin.base())?private=1\(options)"], change))
  }

  /// Lets silence last: machines that run all tests at once are slow.
  private static func slowly(
    _ change: @escaping (inout ServerConfiguration) -> Void = { _ in }
  ) -> (inout ServerConfiguration) -> Void {
    { configuration in
      configuration.connections.bodyRate = 0
      change(&configuration)
    }
  }

  private static let image = "/v1/images?src=shop/a.png&sigma=2"

  @Test func foldersAreOriginsToo() async throws {
    let folder = try Folder()
    try ImagesTests.fill(folder)
    let server = try Self.server(["disk=\(folder.path)/in"])
    let reply = try await server.get("/v1/images?src=disk/sub/b%20c.png&sigma=2")
    #expect(reply.status == 200 && reply["content-type"] == "image/png", "\(reply.text)")
    #expect(
      try await server.get("/v1/images?src=disk/a.png&operation=fill&aspect=1:1").status == 200)
    for path in ImagesTests.elsewhere {
      let reply = try await server.get("/v1/images?src=disk/\(path)&sigma=2")
      #expect(reply.status == 404 && reply.problem == "no-such-picture", "\(path): \(reply.text)")
    }
    // There is no origin called images.
    #expect(try await server.get("/v1/pictures/a.png?sigma=2").problem == "no-such-route")
  }

  @Test func theImagesFolderIsAnOrigin() async throws {
    let folder = try Folder()
    try folder.write("a.png", try Sample.file())
    let server = try TestServer { $0.pictures = folder.path }
    let reply = try await server.get("/v1/images?src=pictures/a.png&sigma=2")
    #expect(reply.status == 200)
    #expect(reply["etag"] == (try await server.get("/v1/pictures/a.png?sigma=2"))["etag"])
  }

  @Test func imagesOfOtherServersAreBlurred() async throws {
    let file = try Sample.file()
    let shop = try Self.shop { _ in TestOrigin.answer(200, ["ETag: \"1\""], file) }
    let reply = try await shop.server.get("/v1/images?src=shop/sub/b%20c%3F.png&sigma=2")
    #expect(reply.status == 200 && reply["content-type"] == "image/png", "\(reply.text)")
    #expect(shop.origin.requests.map(\.target) == ["/base/sub/b%20c%3F.png"])
    let request = try #require(shop.origin.requests.first)
    #expect(request.field("host") == "127.0.0.1:\(shop.origin.port)")
    #expect(request.field("user-agent").hasPrefix("frostglass/"))
    // What the client said is not for its server.
    #expect(!request.head.contains("sigma"))
    let tag = try #require(reply["etag"])
    #expect(
      try await shop.server.get(
        "/v1/images?src=shop/sub/b%20c%3F.png&sigma=2", ["If-None-Match: \(tag)"]
      ).status == 304)
  }

  @Test func mistakesInSrcAreNamed() async throws {
    let shop = try Self.shop { _ in [] }
    for (query, words) in [
      ("sigma=2", "src is missing"), ("src=shop", "must be NAME/PATH"),
      ("src=shop/", "must be NAME/PATH"),
      ("src=shp/a", "there is no origin shp (did you mean shop?); origins are: shop"),
      ("src=shop/../a", "no .."), ("src=shop/%252e%252e/a", "no .."),
      ("src=shop//a", "no empty parts"),
      ("src=shop/a&src=shop/b", "src is given twice"),
      ("src=http://127.0.0.1/a", "there is no origin http:"),
      ("src=shop/a&operation=scene", "operation must be one of"),
      ("src=shop/a&sgma=2", "has no field sgma"),
    ] {
      let reply = try await shop.server.get("/v1/images?\(query)")
      #expect(reply.status == 400 && reply.text.contains(words), "\(query): \(reply.text)")
    }
    #expect(shop.origin.requests.isEmpty)
  }

  /// The connection's address decides, whatever name leads to it.
  @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
  func privateAddressesAreRefused(_ host: String) async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in TestOrigin.answer(200, [], file) }
    let base = origin.base(host: host)
    let server = try Self.server([
      "shop=\(base)?seconds=600", "other=\(base)?seconds=600&address=10.0.0.0/8",
      "named=\(base)?seconds=600&address=127.0.0.1",
    ])
    for name in ["shop", "other"] {
      let reply = try await server.get("/v1/images?src=\(name)/a.png&sigma=2")
      #expect(reply.status == 502 && reply.problem == "origin-failed")
      #expect(reply.text.contains("the origin \(name) has a private address"), "\(reply.text)")
    }
    #expect(origin.requests.isEmpty)
    #expect(try await server.get("/v1/images?src=named/a.png&sigma=2").status == 200)
  }

  /// A connection that one origin has left open is not another's, unless that may make it, too.
  @Test func openConnectionsAreCheckedToo() async throws {
    let file = try Sample.file()
    let origin = try TestOrigin { _ in TestOrigin.answer(200, [], file) + [.takeNext] }
    let server = try Self.server([
      "named=\(origin.base())?seconds=600&address=127.0.0.1", "shop=\(origin.base())?seconds=600",
    ])
    for status in [200, 502, 200] {
      let name = status == 200 ? "named" : "shop"
      let reply = try await server.get("/v1/images?src=\(name)/a.png&sigma=2")
      #expect(reply.status == status, "\(reply.text)")
    }
    #expect(origin.requests.count == 2)
  }

  @Test func redirectsAreFollowedWithinTheBase() async throws {
    let file = try Sample.file()
    let shop = try Self.shop { request in
      switch request.target {
      case "/base/a.png":
        TestOrigin.answer(302, ["Location: /base/b%20c.png?v=1"], Array("moved".utf8))
      case "/base/b%20c.png?v=1": TestOrigin.answer(200, [], file)
      default: TestOrigin.answer(302, ["Location: a.png/more"])
      }
    }
    #expect(try await shop.server.get(Self.image).status == 200)
    #expect(shop.origin.requests.count == 2)
    let reply = try await shop.server.get("/v1/images?src=shop/x&sigma=2")
    #expect(
      reply.status == 502 && reply.text.contains("or more than 3 times"), "\(reply.text)")
  }

  @Test(
    arguments: [
      "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "ftp://127.0.0.1/base/a",
      "http://localhost:PORT/base/b.png", "http://127.0.0.1:1/base/b.png", "/elsewhere/b.png",
      "/base/../b.png", "/base/%2e%2e/b.png", "//127.0.0.1:PORT/b.png",
      "https://127.0.0.1:PORT/base/b.png",
      "http://127.0.0.1:PORT@169.254.169.254/base/", "gopher://127.0.0.1:PORT/base/",
      "/base/%252e%252e/b",
    ])
  func redirectsLeadNowhereElse(_ location: String) async throws {
    let shop = try Self.shop { request in
      // The port is that of the origin itself.
      let port = request.field("host").split(separator: ":").last.map(String.init) ?? ""
      return TestOrigin.answer(302, ["Location: " + location.replacing("PORT", with: port)])
    }
    let reply = try await shop.server.get(Self.image)
    #expect(reply.status == 502 && reply.problem == "origin-failed", "\(reply.text)")
    #expect(reply.text.contains("redirects out of its base"), "\(reply.text)")
    #expect(shop.origin.requests.count == 1)
  }

  /// Answers, and what is said of them.
  static let answers: [(name: String, status: Int, problem: String)] = [
    ("404", 404, "no-such-picture"), ("403", 404, "no-such-picture"),
    ("410", 404, "no-such-picture"),
    ("500", 502, "origin-failed"), ("418", 502, "origin-failed"), ("204", 502, "origin-failed"),
    ("304", 502, "origin-failed"), ("206", 502, "origin-failed"),
    ("short", 502, "origin-failed"), ("garbage", 502, "origin-failed"),
    ("nothing", 502, "origin-failed"),
    ("two lengths", 502, "origin-failed"), ("endless head", 502, "origin-failed"),
    ("404 announced", 404, "no-such-picture"), ("500 announced", 502, "origin-failed"),
    ("302 announced", 502, "origin-failed"),
    ("announced", 413, "picture-too-large"), ("unannounced", 413, "picture-too-large"),
    ("html", 415, "not-a-picture"), ("text as png", 415, "not-a-picture"),
    ("empty", 404, "no-such-picture"),
  ]

  private static func answer(_ name: String, _ file: [UInt8]) -> [TestOrigin.Step] {
    if let status = Int(name) { return TestOrigin.answer(status, [], status == 304 ? [] : file) }
    return switch name {
    case "short": TestOrigin.raw("HTTP/1.1 200 OK\r\nContent-Length: \(file.count + 10)", file)
    case "garbage": TestOrigin.raw("SSH-2.0-OpenSSH_9.2")
    case "two lengths":
      TestOrigin.raw("HTTP/1.1 200 OK\r\nContent-Length: 1e9\r\nTransfer-Encoding: chunked", file)
    case "endless head":
      TestOrigin.raw(
        "HTTP/1.1 200 OK"
          + String(repeating: "\r\nX: \(String(repeating: "x", count: 8000))", count: 20))
    case "302 announced":
      TestOrigin.raw(
        "HTTP/1.1 302 Found\r\nContent-Length: 100000\r\nLocation: /base/b.png",
        [UInt8](repeating: 1, count: 100_000))
    case "404 announced", "500 announced":
      TestOrigin.raw("HTTP/1.1 \(name.prefix(3)) Text\r\nContent-Length: 100000") + [.waitForEnd]
    case "announced": TestOrigin.raw("HTTP/1.1 200 OK\r\nContent-Length: 100000") + [.waitForEnd]
    case "unannounced":
      TestOrigin.raw("HTTP/1.1 200 OK", [UInt8](repeating: 1, count: 20_000)) + [.waitForEnd]
    case "html": TestOrigin.answer(200, ["Content-Type: text/html"], file)
    case "text as png": TestOrigin.answer(200, ["Content-Type: image/png"], Array("hello".utf8))
    case "empty": TestOrigin.answer(200)
    default: []
    }
  }

  @Test(arguments: answers) func whatServersSayIsTold(
    _ name: String, _ status: Int, _ problem: String
  ) async throws {
    let file = try Sample.file()
    let shop = try Self.shop("&seconds=600", { $0.mostBytes = 10_000 }) { _ in
      Self.answer(name, file)
    }
    let reply = try await shop.server.get(Self.image)
    #expect(reply.status == status && reply.problem == problem, "\(reply.text)")
    if problem != "not-a-picture" || name == "html" { #expect(reply.text.contains("origin shop")) }
    #expect(!reply.text.contains("127.0.0.1"))
  }

  @Test func nobodyThereIsTold() async throws {
    // Nobody listens on port 1 of loopback.
    let server = try Self.server(["shop=http://127.0.0.1:1/?private=1&seconds=600"])
    let reply = try await server.get(Self.image)
    #expect(reply.status == 502 && reply.text.contains("the origin shop cannot be reached"))
  }

  /// Neither silence nor a byte now and then lasts longer than an origin may take.
  @Test func slowServersAreGivenUp() async throws {
    let shop = try Self.shop("&seconds=0.3") { _ in
      TestOrigin.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000", [0x89]) + [.waitForEnd]
    }
    let reply = try await shop.server.get(Self.image)
    #expect(reply.status == 504 && reply.problem == "origin-too-slow", "\(reply.text)")
    #expect(reply.text.contains("the image of the origin shop did not come within 0.3 seconds"))
  }

  /// A server may take its time until an image begins; then that has to keep up.
  @Test func aServerMayThinkButNotDrip() async throws {
    let file = try Sample.file()
    let shop = try Self.shop { request in
      request.target.hasSuffix("late.png")
        ? [.wait(7)] + TestOrigin.answer(200, [], file)
        : TestOrigin.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000", [0x89]) + [.waitForEnd]
    }
    async let late = shop.server.get("/v1/images?src=shop/late.png&sigma=2")
    let drip = try await shop.server.get(Self.image)
    #expect(drip.status == 504 && drip.problem == "origin-too-slow", "\(drip.text)")
    #expect(try await late.status == 200)
  }

  /// One client's fetches take neither all places of an origin nor all memory for bodies.
  @Test func aClientLeavesOthersTheirPlaces() async throws {
    let file = try Sample.file()
    let shop = try Self.shop(
      "&seconds=600",
      Self.slowly { $0.connections.proxies = TrustedProxies(text: "127.0.0.1") ?? TrustedProxies() }
    ) { request in
      request.target.contains("held")
        ? [.waitForGate] + TestOrigin.answer(200, [], file) : TestOrigin.answer(200, [], file)
    }
    func get(_ name: String, _ client: String) async throws -> RawClient.Reply {
      try await shop.server.get(
        "/v1/images?src=shop/\(name)&sigma=2", ["X-Forwarded-For: \(client)"])
    }
    let held = (0..<40).map { number in
      Task { try await get("held\(number)", "192.0.2.1").status }
    }
    #expect(
      await eventually {
        shop.server.server.service.connections() == 40 && shop.origin.requests.count == 16
      })
    #expect(try await get("a.png", "192.0.2.2").status == 200)
    #expect(shop.origin.requests.count == 17)
    shop.origin.open()
    for reply in held { #expect(try await reply.value == 200) }
  }

  /// In a long queue, the client with the most requests is refused. Others who wait for the same image go on.
  @Test func aLongLineIsTold() async throws {
    let file = try Sample.file()
    let shop = try Self.shop(
      "&seconds=600",
      Self.slowly { $0.connections.proxies = TrustedProxies(text: "127.0.0.1") ?? TrustedProxies() }
    ) { _ in [.waitForGate] + TestOrigin.answer(200, [], file) }
    func get(_ name: String, _ client: String) -> Task<RawClient.Reply, any Error> {
      Task {
        try await shop.server.get(
          "/v1/images?src=shop/\(name)&sigma=2", ["X-Forwarded-For: \(client)"])
      }
    }
    func waiting(_ count: Int) async throws -> Bool {
      while !(try await shop.server.get("/metrics").text)
        .contains("frostglass_fetches_waiting \(count)\n")
      { try await Task.sleep(for: .milliseconds(20)) }
      return true
    }
    // Of the 32 places each has half.
    let busy = (0..<16).map { get("busy\($0)", "192.0.2.4") }
    let greedy = (0..<79).map { get("\($0)", "192.0.2.1") }
    #expect(try await waiting(63))
    #expect(await eventually { shop.origin.requests.count == 32 })
    let last = get("last", "192.0.2.1")
    #expect(try await waiting(64))
    let (same, other) = (get("last", "192.0.2.2"), get("other", "192.0.2.3"))
    let refused = try await last.value
    #expect(refused.status == 429 && refused["retry-after"] != nil)
    #expect(refused.text.contains("images of the origin shop are waited for"), "\(refused.text)")
    shop.origin.open()
    #expect(try await same.value.status == 200)
    #expect(try await other.value.status == 200)
    for reply in greedy + busy { #expect([200, 429].contains(try await reply.value.status)) }
  }

  /// A share is half of the memory for bodies, and the rest is for others.
  @Test func bodiesShareMemory() async throws {
    let origin = try TestOrigin { request in
      let whole = [UInt8](repeating: 1, count: 120_000)
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(whole.count)"
      guard request.target == "/held" else { return TestOrigin.raw(head, whole) }
      return TestOrigin.raw(head, Array(whole.prefix(100_000)))
        + [.waitForGate, .send(Array(whole.suffix(20_000)))]
    }
    let program = BuiltProgram.path(FetchProgram.name)
    let fetcher = Fetcher(program, mostBytes: 150_000, budget: 1 << 20)
    fetcher.start()
    defer { fetcher.end() }
    func fetch(_ path: String, _ share: String) async -> FetchAnswer {
      var order = FetchOrder(
        origin.base(path), mostBytes: 150_000, seconds: 600, leastRate: 0)
      order.shares = [share]
      order.addresses = AddressRule(allowsAll: true)
      return await fetcher.fetch(order)
    }
    let refused = Monitor(0)
    let held = (0..<12).map { _ in
      Task {
        let answer = await fetch("/held", "greedy")
        if answer.outcome == .noRoom { refused.change { $0 += 1 } }
        return answer
      }
    }
    // A body of 100,000 bytes takes at most twice that.
    #expect(await eventually { refused.withLock { $0 } >= 7 && origin.requests.count == 12 })
    let other = await fetch("/whole", "modest")
    #expect(other.outcome == .answered && other.body.count == 120_000)
    origin.open()
    var outcomes: [FetchAnswer.Outcome: Int] = [:]
    for answer in held { outcomes[await answer.value.outcome, default: 0] += 1 }
    #expect((outcomes[.answered] ?? 0) + (outcomes[.noRoom] ?? 0) == 12)
    // What was given back is there again.
    #expect(await fetch("/whole", "greedy").outcome == .answered)
  }

  @Test func aSlowServerHoldsNoWorker() async throws {
    let file = try Sample.file()
    let shop = try Self.shop("&seconds=600", Self.slowly { $0.queue = 0 }) { _ in
      [.waitForGate] + TestOrigin.answer(200, [], file)
    }
    let waiting = Task { try await shop.server.get(Self.image).status }
    #expect(await eventually { shop.origin.requests.count == 1 })
    #expect(shop.server.server.service.gate.jobs == 0)
    for _ in 0..<3 { #expect(try await shop.server.post("/v1/blur?sigma=3", file).status == 200) }
    shop.origin.open()
    #expect(try await waiting.value == 200)
  }

  @Test func aClientThatLeavesEndsTheFetch() async throws {
    let shop = try Self.shop("&seconds=600", Self.slowly()) { _ in [.waitForEnd] }
    try await onThread { [port = shop.server.port] in
      let client = try RawClient(port: port)
      client.send("GET \(Self.image) HTTP/1.1\r\nHost: a\r\n\r\n")
      while shop.origin.requests.isEmpty { usleep(1000) }
    }
    #expect(await eventually { shop.origin.closed == 1 })
  }

  @Test func aFetcherThatDiesIsReplaced() async throws {
    let file = try Sample.file()
    let shop = try Self.shop { _ in TestOrigin.answer(200, [], file) }
    #expect(try await shop.server.get(Self.image).status == 200)
    let process = try #require(shop.server.server.service.sources.fetcher)
    kill(process, SIGKILL)
    #expect(await eventually { (shop.server.server.service.sources.fetcher ?? process) != process })
    #expect(try await shop.server.get(Self.image).status == 200)
  }

  /// Fetches that were running when the fetcher died are not repeated, because they may be the reason.
  @Test func whatKilledTheFetcherIsNotRepeated() async throws {
    let shop = try Self.shop("&seconds=600", Self.slowly()) { _ in [.waitForEnd] }
    let waiting = Task { try await shop.server.get(Self.image) }
    #expect(await eventually { shop.origin.requests.count == 1 })
    let process = try #require(shop.server.server.service.sources.fetcher)
    kill(process, SIGKILL)
    let reply = try await waiting.value
    #expect(reply.status == 503 && reply.problem == "unavailable", "\(reply.text)")
    #expect(shop.origin.requests.count == 1)
  }

  @Test func theFetcherIsBehindWalls() async throws {
    let shop = try Self.shop { _ in TestOrigin.answer(404) }
    _ = try await shop.server.get(Self.image)
    let process = try #require(shop.server.server.service.sources.fetcher)
    let status = try #require(Files.text(of: "/proc/\(process)/status"))
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"] {
      #expect(status.contains(line), "\(status)")
    }
  }

  /// No service process links what talks to other servers.
  @Test func theServiceLinksNoNetworkLibrary() throws {
    let text = try #require(Files.text(of: "/proc/self/maps"))
    #expect(text.contains("libmicrohttpd"))
    let program = try #require(Files.bytes(of: BuiltProgram.path("frostglass")))
    let needed = String(decoding: program, as: UTF8.self)
    #expect(needed.contains("libmicrohttpd.so") && !needed.contains("libcurl.so"))
  }

  @Test func signaturesCoverTheSource() async throws {
    let file = try Sample.file()
    let keys = try SigningKeys(text: "k:0123456789abcdef")
    let shop = try Self.shop("&seconds=600", { $0.keys = keys }) { _ in
      TestOrigin.answer(200, [], file)
    }
    let address = SignedTarget.signed(Self.image, method: "GET", keys: keys, expires: 4_000_000_000)
    #expect(try await shop.server.get(address).status == 200)
    let other = address.replacing("a.png", with: "b.png")
    #expect(try await shop.server.get(other).status == 403)
    #expect(try await shop.server.get(Self.image).status == 403)
    #expect(shop.origin.requests.map(\.target) == ["/base/a.png"])
  }

  @Test func fetchesAreCounted() async throws {
    let file = try Sample.file()
    let shop = try Self.shop {
      $0.target.hasSuffix("a.png") ? TestOrigin.answer(200, [], file) : TestOrigin.answer(404)
    }
    _ = try await shop.server.get(Self.image)
    _ = try await shop.server.get("/v1/images?src=shop/b.png&sigma=2")
    let text = try await shop.server.get("/metrics").text
    for line in [
      "frostglass_fetches_total{origin=\"shop\",outcome=\"200\"} 1\n",
      "frostglass_fetches_total{origin=\"shop\",outcome=\"404\"} 1\n",
      "frostglass_fetched_bytes_total{origin=\"shop\"} \(file.count)\n",
      "frostglass_fetch_seconds_count{origin=\"shop\"} 2\n", "frostglass_fetcher_starts_total 1\n",
      "frostglass_requests_total{route=\"/v1/images\",status=\"200\"} 1\n",
    ] {
      #expect(text.contains(line), "\(line)")
    }
  }

  /// Origins that cannot work are errors before the service starts.
  @Test func originsAreCheckedBeforehand() throws {
    var configuration = ServerConfiguration()
    configuration.listen = .tcp(host: "127.0.0.1", port: 0)
    configuration.origins = [try Origin("disk=/nowhere")]
    let failure = #expect(throws: (any Error).self) { try Server.check(configuration) }
    #expect("\(failure as Any)".contains("/nowhere"))
    configuration.origins = [try Origin("photos=s3://bucket?credentials=/nowhere/keys")]
    let other = #expect(throws: (any Error).self) { try Server.check(configuration) }
    #expect("\(other as Any)".contains("--origin photos: /nowhere/keys: cannot be read"))
    configuration.origins = [try Origin("shop=https://images.example/")]
    try Server.check(configuration)
    configuration.sourceCache = "/proc/cache"
    let last = #expect(throws: (any Error).self) { try Server.check(configuration) }
    #expect("\(last as Any)".contains("/proc/cache"))
  }
}
