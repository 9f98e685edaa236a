internal import FrostglassCore
internal import FrostglassFetching
internal import FrostglassOptions
internal import FrostglassStills
internal import Synchronization

/// Images of other servers.
final class RemoteSources: Sendable {
  let fetcher: Fetcher
  private let mostBytes: Int
  private let leastRate: Int
  private let tally = FetchTally()
  /// Redirects within an origin that are followed, one after another.
  private static let mostRedirects = 3

  /// - Throws: `Failure` where the program that fetches is not there.
  init(_ configuration: ServerConfiguration) throws(Failure) {
    guard let program = SiblingProgram.path(FetchProgram.name) else {
      throw Failure(
        "origins on other servers need the program \(FetchProgram.name), which is not here; install it "
          + "beside frostglass", .unavailable)
    }
    mostBytes = configuration.mostBytes
    leastRate = configuration.connections.bodyRate
    fetcher = Fetcher(program, mostBytes: mostBytes, budget: configuration.buffer)
  }

  func start() { fetcher.start() }

  func end() { fetcher.end() }

  var metrics: [MetricFamily] { tally.families }

  /// Fetches an image.
  func file(_ source: Source) async throws(Problem) -> SourceFile {
    let answer = try await fetch(source)
    let bytes = answer.body
    let version = Self.version(answer)
    return SourceFile(
      size: bytes.count, modified: answer["last-modified"].flatMap { HTTPDate.seconds($0) },
      version: version
    ) { bytes }
  }

  /// Has an image's server asked, also where it redirects to within the origin.
  ///
  /// - Throws: `Problem` where there is no image.
  private func fetch(_ source: Source) async throws(Problem) -> FetchAnswer {
    let origin = source.origin
    let end = ContinuousClock.now + .seconds(origin.seconds)
    var url = origin.url(source.path)
    for _ in 0...Self.mostRedirects {
      guard let address = url else { throw Self.failed(origin, "redirects out of its base") }
      let answer = await fetch(address, origin, until: end)
      guard let redirect = answer.redirect else {
        if let problem = problem(answer, source) { throw problem }
        return answer
      }
      url = origin.url(redirect: redirect)
    }
    throw Self.failed(origin, "redirects more than \(Self.mostRedirects) times")
  }

  private func fetch(
    _ url: String, _ origin: Origin, until end: ContinuousClock.Instant
  ) async -> FetchAnswer {
    let start = ContinuousClock.now
    var order = FetchOrder(
      url, mostBytes: mostBytes, seconds: max(start.duration(to: end) / .seconds(1), 0.001),
      leastRate: leastRate)
    order.addresses = origin.addresses
    let answer = await fetcher.fetch(order)
    tally.count(origin, answer, seconds: start.duration(to: .now) / .seconds(1))
    return answer
  }

  /// Another text for another image: the server's word for it, or else a digest.
  private static func version(_ answer: FetchAnswer) -> String {
    let words = ["etag", "last-modified"].compactMap { answer[$0] }
    return words.isEmpty
      ? FileDigest.sha256(of: answer.body)
      : "\(words.joined(separator: "\n"))\n\(answer.body.count)"
  }

  // MARK: what is said of failures

  /// What an answer is for who asked; `nil` where it has an image.
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
    case .noRoom: return Gate.noRoom
    case .noFetcher:
      return Problem(
        503, "unavailable", "images cannot be fetched now", headers: [Field("Retry-After", "1")])
    case .cancelled: return Problem(499, "client-left", "the client left before its image came")
    }
    switch answer.status {
    case 200: return nil
    // S3 says 403 of what is not there to who may not list what is.
    case 401, 403, 404, 410: return source.missing
    default: return Self.failed(origin, "answered with status \(answer.status)")
    }
  }

  private static func failed(_ origin: Origin, _ words: String) -> Problem {
    Problem(502, "origin-failed", "the origin \(origin.name) \(words)")
  }
}
