import FrostglassOptions
import FrostglassStills
import FrostglassServer
import FrostglassSigning
import TestSupport
import Testing

/// Signed addresses: what is let in, and everything that is not.
@Suite struct AuthorizeTests {
  private static let old = "old:0123456789abcdef0123456789abcdef"
  private static let new = "new:fedcba9876543210fedcba9876543210"
  private static let target = "/v1/pictures/a.jpg?sigma=10&format=png"
  private static let now = 1_800_000_000

  private let keys: SigningKeys

  init() throws { keys = try SigningKeys(text: Self.new + "\n" + Self.old) }

  private func signed(
    _ target: String = target, _ keys: SigningKeys? = nil, method: String = "GET",
    expires: Int = now + 60
  ) -> String {
    SignedTarget.signed(target, method: method, keys: keys ?? self.keys, expires: expires)
  }

  private func refusal(
    _ target: String, method: String = "GET", now: Int = now
  ) -> SignedTarget.Refusal? {
    do { try SignedTarget.check(target, method: method, keys: keys, now: now) } catch {
      return error
    }
    return nil
  }

  @Test func whatWasSignedHoldsUntilItEnds() {
    #expect(refusal(signed()) == nil)
    #expect(refusal(signed(), now: Self.now + 60) == nil)
    #expect(refusal(signed(), now: Self.now + 61) == .expired)
    #expect(refusal(signed("/v1/pictures/a.jpg")) == nil)
  }

  @Test func allKeysAreTakenAndTheFirstSigns() throws {
    let one = try SigningKeys(text: Self.old)
    #expect(refusal(signed(Self.target, one)) == nil)
    #expect(signed().contains("key=new"))
    let others = try SigningKeys(text: "old:another-secret-of-this-name")
    #expect(refusal(signed(Self.target, others)) == .invalid)
    let gone = try SigningKeys(text: "gone:0123456789abcdef0123456789abcdef")
    #expect(refusal(signed(Self.target, gone)) == .invalid)
  }

  @Test func everyChangeIsSeen() {
    let good = signed()
    for place in good.indices {
      var changed = good
      changed.replaceSubrange(place...place, with: good[place] == "0" ? "1" : "0")
      #expect(refusal(changed) != nil, "\(changed)")
      var shorter = good
      shorter.remove(at: place)
      #expect(refusal(shorter) != nil, "\(shorter)")
    }
    for place in good.indices { #expect(refusal(String(good[..<place])) != nil) }
    #expect(refusal(good + "a") == .invalid)
    #expect(refusal(good + "&sigma=90") == .invalid)
    #expect(refusal(good, method: "POST") == .invalid)
  }

  @Test func anOrderIsPartOfIt() {
    let good = signed()
    let moved = good.replacing("sigma=10&format=png", with: "format=png&sigma=10")
    #expect(moved != good)
    #expect(refusal(moved) == .invalid)
    let fields = good.split(separator: "?")[1].split(separator: "&")
    let front = "/v1/pictures/a.jpg?" + fields.reversed().joined(separator: "&")
    #expect(refusal(front) != nil)
  }

  @Test func aLaterSignatureDoesNotHideAnEarlierField() {
    // What is before the last signature is signed, also what looks like one.
    let twice = signed(signed())
    #expect(refusal(twice) == nil)
    #expect(refusal(signed() + "&signature=x") == .invalid)
  }

  @Test func aHeadIsAskedForLikeItsImage() {
    #expect(refusal(signed(), method: "HEAD") == nil)
    #expect(refusal(signed(method: "POST"), method: "POST") == nil)
  }

  @Test func oddKeysAreRefused() {
    for text in [
      "", "#", "a", "a:short", ":0123456789abcdef", "a b:0123456789abcdef",
      "a:0123456789abcdef\na:0123456789abcdeg",
    ] {
      #expect(throws: SigningKeys.Malformed.self, "\(text)") { try SigningKeys(text: text) }
    }
  }

  /// A key's presets and operations follow its name, separated by slashes, which no file's name contains.
  @Test func keysSayWhatTheyAreFor() throws {
    let secret = "0123456789abcdef:0"
    let keys = try SigningKeys(
      text:
        "a presets=hero/card operations=blur:\(secret)\nb  operations=fill/plan :\(secret)\nc:\(secret)"
    )
    #expect(keys["a"]?.presets == ["hero", "card"] && keys["a"]?.operations == ["blur"])
    #expect(keys["b"]?.presets == nil && keys["b"]?.operations == ["fill", "plan"])
    #expect(keys["c"]?.presets == nil && keys["c"]?.operations == nil)
    for use in [
      "presets", "presets=", "preset=a", "operations=a presets", "operations=a operations=b",
    ] {
      #expect(throws: SigningKeys.Malformed.self, "\(use)") {
        try SigningKeys(text: "a \(use):\(secret)")
      }
    }
  }

  @Test func aServerWithKeysWorksForSignedAddressesOnly() async throws {
    let server = try TestServer { $0.keys = try? SigningKeys(text: Self.new) }
    let picture = try Sample.file()
    let plain = "/v1/blur?sigma=2"
    let unsigned = try await server.post(plain, picture)
    #expect(unsigned.status == 403)
    #expect(unsigned.problem == "unsigned")
    let one = try SigningKeys(text: Self.new)
    let end = 4_000_000_000
    let good = SignedTarget.signed(plain, method: "POST", keys: one, expires: end)
    #expect(try await server.post(good, picture).status == 200)
    let late = SignedTarget.signed(plain, method: "POST", keys: one, expires: 1)
    #expect(try await server.post(late, picture).problem == "expired")
    #expect(try await server.post(good + "0", picture).problem == "bad-signature")
  }

  /// Routes that say what the service is are those that the page names, and no others.
  @Test func descriptionsNeedNoSignature() async throws {
    let folder = try Folder()
    let server = try TestServer {
      $0.keys = keys
      $0.limits.finds = true
      $0.pictures = folder.path
    }
    let page = try #require(Files.text(of: "\(Files.root)/docs/operate/service.md"))
    let sentence = page.split(separator: "\n").first {
      $0.contains("needs no signature and shows no picture")
    }
    for route in ["/", "/docs", "/openapi.json", "/v1/filters", "/v1/presets", "/metrics"] {
      #expect(try await server.get(route).status == 200, "\(route)")
      #expect(sentence?.contains("`\(route)`") == true, "\(route)")
    }
    for route in ["/docs/style.css", "/playground/service.json", "/health/live"] {
      #expect(try await server.get(route).status == 200, "\(route)")
    }
    for operation in Operation.allCases {
      let reply = try await server.post("/v1/\(operation.rawValue)", [1])
      #expect(reply.problem == "unsigned", "\(operation)")
    }
    #expect(try await server.get("/v1/pictures/a.png").problem == "unsigned")
  }

  /// A body is not signed: what is asked is all in the address.
  @Test func aFormAddsNothingToASignedAddress() async throws {
    let one = try SigningKeys(text: Self.new)
    let server = try TestServer { $0.keys = one }
    let address = SignedTarget.signed(
      "/v1/blur?format=png&sigma=3", method: "POST", keys: one, expires: 4_000_000_000)
    let picture = try Sample.file()
    for name in ["format", "edge", "sigma"] {
      let form = TestServer.form(files: [("picture", picture)], fields: [(name, "webp")])
      let reply = try await server.post(address, form.body, [form.header])
      #expect(reply.status == 400, "\(reply.text)")
      #expect(reply.text.contains("\(name) is a field of the form"), "\(reply.text)")
    }
    let form = TestServer.form(files: [("picture", picture)])
    let reply = try await server.post(address, form.body, [form.header])
    #expect(reply.status == 200 && reply["content-type"] == "image/png", "\(reply.text)")
  }

  /// Caches must not keep a response beyond the end of its signed URL, because they do not check it.
  @Test func cachesKeepNothingBeyondTheEnd() throws {
    func caching(endsAfter seconds: Int?, answeredAfter waited: Int, status: Int = 200) throws
      -> String?
    {
      let target = seconds.map { signed(expires: Self.now + $0) } ?? Self.target
      var context = RequestContext(RequestHead(method: "GET", target: target), id: "1")
      context.route = .picture("a.jpg")
      try Authorize(seconds == nil ? nil : keys, now: { Self.now }).run(&context)
      #expect(context.expires == seconds.map { Self.now + $0 })
      context.cacheSeconds = 3600
      let made = WorkAnswer(status: status, contentType: "image/png", body: [])
      return Answer(now: { Self.now + waited }).response(made, to: context)["cache-control"]
    }
    #expect(try caching(endsAfter: 60, answeredAfter: 0) == "public, max-age=60")
    func stale(endsAfter seconds: Int?) throws -> String? {
      let target = seconds.map { signed(expires: Self.now + $0) } ?? Self.target
      var context = RequestContext(RequestHead(method: "GET", target: target), id: "1")
      context.route = .picture("a.jpg")
      try Authorize(seconds == nil ? nil : keys, now: { Self.now }).run(&context)
      context.cacheSeconds = 3600
      let made = WorkAnswer(status: 200, contentType: "image/png", body: [])
      return Answer(staleSeconds: 600, isImmutable: true, now: { Self.now })
        .response(made, to: context)["cache-control"]
    }
    let usual = "public, max-age=3600, stale-while-revalidate=600, immutable"
    #expect(try stale(endsAfter: nil) == usual && stale(endsAfter: 10_000) == usual)
    #expect(
      try stale(endsAfter: 3700)
        == "public, max-age=3600, stale-while-revalidate=100, immutable")
    #expect(try stale(endsAfter: 60) == "public, max-age=60, immutable")
    #expect(try caching(endsAfter: 60, answeredAfter: 8) == "public, max-age=52")
    #expect(try caching(endsAfter: 5, answeredAfter: 8) == "public, max-age=0")
    #expect(try caching(endsAfter: 86_400, answeredAfter: 8) == "public, max-age=3600")
    #expect(try caching(endsAfter: nil, answeredAfter: 8) == "public, max-age=3600")
    #expect(try caching(endsAfter: 60, answeredAfter: 0, status: 503) == "no-store")
  }

  @Test func withoutKeysItStaysOnTheMachine() {
    var configuration = ServerConfiguration()
    configuration.listen = .tcp(host: "0.0.0.0", port: 0)
    #expect(throws: Failure.self) {
      try Server(configuration, worker: WaitingWorker(), jobs: 1)
    }
  }
}
