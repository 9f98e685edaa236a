import FrostglassCore
import FrostglassServer
import Testing

/// Servers that fail: repetitions, and the guard that leaves them alone.
@Suite struct CircuitBreakerTests {
  private let start = ContinuousClock.now

  /// A guard that expectations can change.
  private final class Guard {
    private var breaker = CircuitBreaker()

    /// - Parameter failures: that it has seen.
    init(failures: Int, at time: ContinuousClock.Instant) {
      for _ in 0..<failures { note(isGood: false, at: time) }
    }

    var word: String { breaker.word }
    var isOpen: Bool { breaker.isOpen }
    func admits(at time: ContinuousClock.Instant) -> Bool { breaker.admits(at: time) }
    func note(isGood: Bool?, at time: ContinuousClock.Instant) {
      breaker.note(isGood: isGood, at: time)
    }
    func secondsLeft(at time: ContinuousClock.Instant) -> Int { breaker.secondsLeft(at: time) }
  }

  @Test func failuresInARowOpenIt() {
    let almost = Guard(failures: CircuitBreaker.mostFailures - 1, at: start)
    #expect(almost.word == "closed" && almost.admits(at: start))
    almost.note(isGood: true, at: start)
    almost.note(isGood: false, at: start)
    #expect(almost.admits(at: start))
    let open = Guard(failures: CircuitBreaker.mostFailures, at: start)
    #expect(open.word == "open" && open.isOpen && !open.admits(at: start))
    #expect(open.secondsLeft(at: start) == 10)
    #expect(!open.admits(at: start + .seconds(9.9)))
  }

  @Test func oneRequestTriesAgain() {
    let open = Guard(failures: CircuitBreaker.mostFailures, at: start)
    let later = start + .seconds(10)
    #expect(open.admits(at: later) && open.word == "half-open")
    #expect(!open.admits(at: later))
    open.note(isGood: true, at: later)
    #expect(open.word == "closed" && open.admits(at: later))
  }

  @Test func pausesGrowToAnEnd() {
    let open = Guard(failures: CircuitBreaker.mostFailures, at: start)
    var now = start
    var pauses: [Int] = []
    for _ in 0..<7 {
      pauses.append(open.secondsLeft(at: now))
      now += .seconds(pauses.last ?? 0)
      #expect(open.admits(at: now))
      open.note(isGood: false, at: now)
    }
    #expect(pauses == [10, 20, 40, 80, 160, 160, 160])
    now += .seconds(160)
    #expect(open.admits(at: now))
    open.note(isGood: true, at: now)
    for _ in 0..<CircuitBreaker.mostFailures { open.note(isGood: false, at: now) }
    #expect(open.secondsLeft(at: now) == 10)
  }

  /// A client that leaves says nothing about a server; another request is the try then.
  @Test func aTryThatIsGivenUpIsRepeated() {
    let open = Guard(failures: CircuitBreaker.mostFailures, at: start)
    let later = start + .seconds(10)
    #expect(open.admits(at: later))
    open.note(isGood: nil, at: later)
    #expect(open.admits(at: later))
  }

  /// Requests from before it opened end later.
  @Test func lateEndsChangeNothing() {
    let open = Guard(failures: CircuitBreaker.mostFailures, at: start)
    open.note(isGood: true, at: start)
    open.note(isGood: false, at: start)
    #expect(open.word == "open" && open.secondsLeft(at: start) == 10)
  }

  private static func server(_ origin: TestOrigin, _ others: [String] = []) throws -> TestServer {
    let origins = try (["shop=\(origin.base())?private=1&seconds=600"] + others).map {
      try Origin($0)
    }
    return try TestServer { $0.origins = origins }
  }

  @Test func aServerThatKeepsFailingIsLeftAlone() async throws {
    let file = try Sample.file()
    let bad = try TestOrigin { _ in TestOrigin.answer(503) }
    let good = try TestOrigin { _ in TestOrigin.answer(200, [], file) }
    let server = try Self.server(bad, ["good=\(good.base())?private=1&seconds=600"])
    for count in 1...8 {
      let reply = try await server.get("/v1/images?src=shop/\(count)&sigma=2")
      #expect(reply.status == 502 && reply.problem == "origin-failed")
      let isOpen = count > CircuitBreaker.mostFailures
      #expect(reply.text.contains(isOpen ? "keeps failing" : "status 503"), "\(reply.text)")
      #expect((reply["retry-after"] != nil) == isOpen)
    }
    // Each is asked three times.
    #expect(bad.requests.count == 3 * CircuitBreaker.mostFailures)
    #expect(try await server.get("/v1/images?src=good/a&sigma=2").status == 200)
    let metrics = try await server.get("/metrics").text
    #expect(metrics.contains("frostglass_origin_open{origin=\"good\"} 0\n"))
    #expect(metrics.contains("frostglass_origin_open{origin=\"shop\"} 1\n"))
    // Ready none the less: others get their images.
    var ready = try await server.get("/health/ready")
    for _ in 0..<2000 where ready.status != 200 {
      try await Task.sleep(for: .milliseconds(50))
      ready = try await server.get("/health/ready")
    }
    #expect(
      ready.text.contains("\"origins\":{\"good\":\"closed\",\"shop\":\"open\"}"), "\(ready.text)")
  }

  @Test func requestsThatMaySucceedAreRepeated() async throws {
    let file = try Sample.file()
    let asked = Monitor(0)
    let origin = try TestOrigin { request in
      let count = asked.change { asked in
        asked += 1
        return asked
      }
      return switch request.target {
      case "/base/soon": count < 3 ? TestOrigin.answer(503) : TestOrigin.answer(200, [], file)
      case "/base/never": TestOrigin.answer(503)
      case "/base/closed": []
      default: TestOrigin.answer(500)
      }
    }
    let server = try Self.server(origin)
    for (name, status, requests) in [
      ("soon", 200, 3), ("never", 502, 3), ("closed", 502, 3), ("broken", 502, 1),
    ] {
      #expect(
        try await server.get("/v1/images?src=shop/\(name)&sigma=2").status == status, "\(name)")
      #expect(origin.requests.count { $0.target == "/base/\(name)" } == requests, "\(name)")
    }
  }
}
