internal import FrostglassCore
internal import FrostglassFetching
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// Images of other servers: from the cache while they are fresh, otherwise from their servers.
///
/// A request that fails for lack of a connection, or with status 502, 503 or 504, is repeated after a random pause,
/// so that clients that failed together do not return together. Concurrent requests for an image share one fetch. A
/// server that keeps failing is left alone for a while, and its cached images are used as they are.
final class RemoteSources: Sendable {
  let fetcher: Fetcher
  private let cache: SourceCache?
  private let breakers: Mutex<[String: CircuitBreaker]>
  private let mostBytes: Int
  private let leastRate: Int
  private let tally = FetchTally()
  private let threads = ThreadPool()
  private let underWay = SharedWork<Result<SourceFile, Problem>>()
  private let places: FetchPlaces

  /// Redirects within an origin that are followed, one after another.
  private static let mostRedirects = 3
  /// Times that a request is repeated.
  private static let mostRepetitions = 2

  /// - Throws: `Failure` where the program that fetches is not there, or the cache cannot be written.
  init(_ configuration: ServerConfiguration) throws(Failure) {
    guard let program = SiblingProgram.path(FetchProgram.name) else {
      throw Failure(
        "origins on other servers need the program \(FetchProgram.name), which is not here; install it "
          + "beside frostglass", .unavailable)
    }
    cache =
      if let folder = configuration.sourceCache {
        try SourceCache(folder: folder, mostBytes: configuration.sourceCacheBytes)
      } else { nil }
    mostBytes = configuration.mostBytes
    leastRate = configuration.connections.bodyRate
    fetcher = Fetcher(program, mostBytes: mostBytes, budget: configuration.buffer)
    let names = configuration.allOrigins.filter { $0.place.isServer }.map(\.name)
    breakers = Mutex(names.reduce(into: [:]) { $0[$1] = CircuitBreaker() })
    places = FetchPlaces(names)
  }

  func start() { fetcher.start() }

  func end() { fetcher.end() }

  /// The states of the circuit breakers, by origin name.
  var states: [(name: String, word: String)] {
    breakers.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.word) }
  }

  var metrics: [MetricFamily] {
    let open = breakers.withLock { $0 }.sorted { $0.key < $1.key }
    let (running, waiting) = places.counts
    return tally.families + [
      MetricFamily("fetches_running", .gauge, "Fetches that are under way.", running),
      MetricFamily("fetches_waiting", .gauge, "Fetches that wait for a place.", waiting),
      MetricFamily(
        "fetcher_starts_total", .counter, "Processes that fetch that were started.",
        fetcher.started),
      MetricFamily(
        "origin_open", .gauge, "1 where an origin is left alone, as it keeps failing.",
        by: "origin", open.map { ($0.key, $0.value.isOpen ? 1 : 0) }),
    ]
      + (cache.map { [MetricFamily("source_cache_bytes", .gauge, "Bytes of the cache.", $0.bytes)] }
        ?? [])
  }

  /// Gets an image, once for all who ask for it at the same time.
  ///
  /// - Parameters:
  ///   - client: the client that asks.
  ///   - gate: the budget for bodies in memory, which the image counts toward.
  /// - Throws: `Problem` where there is none.
  func file(
    _ source: Source, for client: String, _ gate: AdmissionQueue
  ) async throws(Problem) -> SourceFile {
    guard let url = source.origin.url(source.path) else { throw source.missing }
    let request = Request(
      source: source, url: url, key: SourceCache.key(source.origin, url), client: client, gate: gate
    )
    func share() async -> (value: Result<SourceFile, Problem>?, isOwn: Bool) {
      await underWay.value(request.key) { () -> Result<SourceFile, Problem> in
        do throws(Problem) { return .success(try await self.file(request)) } catch {
          return .failure(error)
        }
      }
    }
    var (file, isOwn) = await share()
    // Another client was rejected; this one may still succeed.
    if case .failure(let problem) = file, problem.status == 429, !isOwn {
      (file, isOwn) = await share()
    }
    guard let file else { throw Self.clientLeft }
    return try file.get()
  }

  /// Removes an image from the cache.
  func forget(_ source: Source) async {
    guard let cache, let url = source.origin.url(source.path) else { return }
    await threads.run { cache.remove(SourceCache.key(source.origin, url)) }
  }

  /// A request for an image, and its client.
  private struct Request: Sendable {
    let source: Source
    let url: String
    let key: String
    let client: String
    let gate: AdmissionQueue
  }

  private func file(_ request: Request) async throws(Problem) -> SourceFile {
    let (origin, key) = (request.source.origin, request.key)
    guard let cache else {
      tally.count(.miss)
      return try RemoteImage(try await fetch(request, []), origin, request.gate).file
    }
    let kept = await threads.run { () -> RemoteImage? in
      cache.image(key).map { RemoteImage($0.0, $0.1) }
    }
    if let kept, kept.facts.freshSeconds > 0 {
      tally.count(.hit)
      return kept.file
    }
    let answer: FetchAnswer
    do { answer = try await fetch(request, kept?.facts.conditions ?? []) } catch {
      // A deleted image is no longer served.
      if error.status == 404 { await threads.run { cache.remove(key) } }
      guard let kept, !kept.facts.mustRevalidate, [429, 502, 503, 504].contains(error.status) else {
        throw error
      }
      tally.count(.stale)
      return kept.file
    }
    let image: RemoteImage
    if answer.status == 304, let kept {
      tally.count(.revalidated)
      image = kept.renewed(by: answer, origin)
    } else {
      tally.count(.miss)
      image = try RemoteImage(answer, origin, request.gate)
    }
    await threads.run {
      guard image.isStored, let bytes = image.contents() else { return cache.remove(key) }
      cache.store(key, image.facts, bytes)
    }
    return image.file
  }

  // MARK: requests

  /// Has an image's server asked, also where it redirects to within the origin.
  ///
  /// - Returns: an answer with an image, or one that says that it has not changed.
  /// - Throws: `Problem` where there is no image.
  private func fetch(
    _ request: Request, _ conditions: [FetchField]
  ) async throws(Problem) -> FetchAnswer {
    let origin = request.source.origin
    var order = FetchOrder(
      request.url, mostBytes: mostBytes, seconds: origin.seconds, leastRate: leastRate)
    order.shares = ["origin \(origin.name)", "client \(request.client)"]
    order.addresses = origin.addresses
    order.fields = conditions
    if case .server(_, let access?) = origin.place {
      do { order.signing = try access.signing() } catch {
        throw Problem(503, "unavailable", "the origin \(origin.name) has no credentials")
      }
    }
    let places = try await places.enter(
      origin, for: request.client, until: .now + .seconds(origin.seconds))
    guard let places else { throw Self.clientLeft }
    defer { withExtendedLifetime(places) {} }
    try admit(origin)
    let end = ContinuousClock.now + .seconds(origin.seconds)
    var answer = await ask(order, origin, until: end)
    for _ in 0..<Self.mostRedirects {
      guard let redirect = answer.redirect else { break }
      guard let next = origin.url(redirect: redirect) else { break }
      order.url = next
      answer = await ask(order, origin, until: end)
    }
    note(origin, answer)
    if answer.redirect != nil {
      throw Self.failed(
        origin, "redirects out of its base, or more than \(Self.mostRedirects) times")
    }
    if answer.status == 304, !conditions.isEmpty { return answer }
    if let problem = problem(answer, request.source) { throw problem }
    return answer
  }

  /// Asks, and once more where that may help.
  private func ask(
    _ order: FetchOrder, _ origin: Origin, until end: ContinuousClock.Instant
  ) async -> FetchAnswer {
    var order = order
    var repetitions = 0
    while true {
      let start = ContinuousClock.now
      order.seconds = max(start.duration(to: end) / .seconds(1), 0.001)
      let answer = await fetcher.fetch(order)
      tally.count(origin, answer, seconds: start.duration(to: .now) / .seconds(1))
      let pause = Duration.milliseconds(Int.random(in: 50...150) << repetitions)
      guard answer.mayBeRepeated, repetitions < Self.mostRepetitions, .now + pause < end,
        (try? await Task.sleep(for: pause)) != nil
      else { return answer }
      repetitions += 1
    }
  }

  // MARK: servers that fail

  private func admit(_ origin: Origin) throws(Problem) {
    let seconds = breakers.withLock { breakers -> Int? in
      guard breakers[origin.name]?.admits(at: .now) == false else { return nil }
      return breakers[origin.name]?.secondsLeft(at: .now)
    }
    guard let seconds else { return }
    var problem = Self.failed(origin, "keeps failing, and is left alone for a moment")
    problem.headers = [Field("Retry-After", "\(seconds)")]
    throw problem
  }

  private func note(_ origin: Origin, _ answer: FetchAnswer) {
    breakers.withLock { $0[origin.name]?.note(isGood: answer.isGood, at: .now) }
  }

  // MARK: errors

  /// Returns the problem to report for an answer; `nil` if it has an image.
  private func problem(_ answer: FetchAnswer, _ source: Source) -> Problem? {
    let origin = source.origin
    switch answer.outcome {
    case .answered: break
    case .unreachable: return Self.failed(origin, "cannot be reached")
    case .refusedAddress:
      return Self.failed(
        origin,
        "has a private address, which its configuration does not name with address or private")
    case .lost: return Self.failed(origin, "closed the connection")
    case .untrusted: return Self.failed(origin, "failed TLS")
    case .broken: return Self.failed(origin, "gave an incomplete or malformed answer")
    case .late:
      return Problem(
        504, "origin-too-slow",
        "the image of the origin \(origin.name) did not come within \(shortest(origin.seconds)) seconds, "
          + "or came too slowly")
    case .tooLarge: return source.tooLarge(mostBytes)
    case .wrongType:
      return Problem(
        415, "not-a-picture", "what the origin \(origin.name) has there is not an image")
    case .noRoom: return AdmissionQueue.noRoom
    case .noFetcher, .fetcherEnded:
      return Problem(
        503, "unavailable", "images cannot be fetched now", headers: [Field("Retry-After", "1")])
    case .cancelled: return Self.clientLeft
    }
    switch answer.status {
    case 200: return nil
    // S3 answers 403 for missing objects if the bucket may not be listed.
    case 401, 403, 404, 410: return source.missing
    default: return Self.failed(origin, "answered with status \(answer.status)")
    }
  }

  private static var clientLeft: Problem {
    Problem(499, "client-left", "the client left before its image came")
  }

  private static func failed(_ origin: Origin, _ words: String) -> Problem {
    Problem(502, "origin-failed", "the origin \(origin.name) \(words)")
  }
}

/// An image of another server, from there or from the cache.
private struct RemoteImage: Sendable {
  let facts: CachedImage
  /// False if it must not be kept.
  let isStored: Bool
  let contents: @Sendable () -> [UInt8]?
  /// The share of the memory for bodies that the image takes; `nil` for a cached image.
  private let room: AdmissionQueue.Room?

  /// An image of the cache.
  init(
    _ facts: CachedImage, isStored: Bool = true, _ contents: @escaping @Sendable () -> [UInt8]?
  ) {
    (self.facts, self.contents, self.isStored, room) = (facts, contents, isStored, nil)
  }

  /// An image of a server.
  ///
  /// - Throws: `Problem` with 429 where there is no room for it.
  init(_ answer: FetchAnswer, _ origin: Origin, _ gate: AdmissionQueue) throws(Problem) {
    let rule = CacheRule(answer, usual: origin.freshSeconds, now: time(nil))
    let (bytes, room) = (answer.body, AdmissionQueue.Room(gate))
    guard room.grow(by: bytes.count) else { throw AdmissionQueue.noRoom }
    self.room = room
    facts = CachedImage(answer, rule)
    // Answers that are not images are not cached, whatever their headers.
    isStored = rule.isStored && StillFormat(signature: bytes) != nil
    contents = { bytes }
  }

  /// The same image of the cache once its server has said that it has not changed.
  func renewed(by answer: FetchAnswer, _ origin: Origin) -> RemoteImage {
    var facts = facts
    facts.freshUntil = time(nil) + facts.freshSeconds
    // Missing header fields keep their stored values (RFC 9111, section 4.3.4).
    guard answer["cache-control"] != nil || answer["expires"] != nil else {
      return RemoteImage(facts, contents)
    }
    let rule = CacheRule(answer, usual: origin.freshSeconds, now: time(nil))
    (facts.freshSeconds, facts.mustRevalidate) = (rule.freshSeconds, rule.mustRevalidate)
    facts.freshUntil = time(nil) + rule.freshSeconds
    return RemoteImage(facts, isStored: rule.isStored, contents)
  }

  /// The image for who wants to blur it.
  var file: SourceFile {
    SourceFile(
      size: facts.size, modified: facts.lastModified.flatMap { HTTPDate.seconds($0) },
      version: facts.version, freshSeconds: isStored ? facts.secondsLeft : 0, room: room,
      contents: contents)
  }
}

extension CachedImage {
  fileprivate init(_ answer: FetchAnswer, _ rule: CacheRule) {
    (etag, lastModified) = (answer["etag"], answer["last-modified"])
    let words = [etag, lastModified].compactMap { $0 }
    version =
      words.isEmpty
      ? FileDigest.sha256(of: answer.body)
      : "\(words.joined(separator: "\n"))\n\(answer.body.count)"
    freshSeconds = rule.freshSeconds
    freshUntil = time(nil) + rule.freshSeconds
    mustRevalidate = rule.mustRevalidate
    size = answer.body.count
  }

  /// Seconds until the image is stale; 0 or less if it is.
  fileprivate var secondsLeft: Int { max(freshUntil - time(nil), 0) }

  /// The header fields of a conditional request.
  fileprivate var conditions: [FetchField] {
    [
      etag.map { FetchField("If-None-Match", $0) },
      lastModified.map { FetchField("If-Modified-Since", $0) },
    ]
    .compactMap { $0 }
  }
}

extension FetchAnswer {
  /// True if the same request may well have another end in a moment.
  fileprivate var mayBeRepeated: Bool {
    switch outcome {
    case .unreachable, .lost, .noFetcher: true
    case .answered: [502, 503, 504].contains(status)
    default: false
    }
  }

  /// True if the server works, false if it fails; `nil` if the answer does not show it.
  fileprivate var isGood: Bool? {
    switch outcome {
    // Some errors depend on the image, which the client chooses.
    case .answered: status < 500 ? true : [502, 503, 504].contains(status) ? false : nil
    case .tooLarge, .wrongType: true
    case .unreachable, .refusedAddress, .lost, .untrusted: false
    case .late, .broken, .noRoom, .noFetcher, .fetcherEnded, .cancelled: nil
    }
  }
}
