internal import CHTTP
internal import Frostglass
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Writes a line of JSON about each request, and counts it.
package struct Record: Sendable {
  private let metrics: Metrics
  private let write: (@Sendable (String) -> Void)?

  private let hasPaths: Bool

  /// - Parameters:
  ///   - hasPaths: true if lines have paths, but never queries, which may be signed.
  ///   - write: writes a line, which has no line end; `nil` writes none.
  package init(
    _ metrics: Metrics, hasPaths: Bool = false, write: (@Sendable (String) -> Void)?
  ) {
    self.metrics = metrics
    self.hasPaths = hasPaths
    self.write = write
  }

  /// - Parameter isDelivered: true if the answer was sent; `nil` if that is not known yet.
  package func note(
    _ context: RequestContext, _ response: Response, received: Int, isDelivered: Bool? = nil
  ) {
    let seconds = context.start.duration(to: .now) / .seconds(1)
    metrics.count(
      context.route.name, response, seconds: seconds, received: received)
    guard let write, !isProbe(context.route, response.status) else { return }
    var members = [
      ("time", JSONText.string(Self.now)), ("id", JSONText.string(context.id)),
      ("peer", JSONText.string(context.head.peer)),
    ]
    if context.head.isFromProxy {
      members.append(("client", JSONText.string(context.head.address)))
    }
    if let trace = context.head.trace { members.append(("traceparent", JSONText.string(trace))) }
    if hasPaths {
      let path = String(decoding: context.head.path.utf8.prefix(1024), as: UTF8.self)
      members.append(("path", JSONText.string(path)))
    }
    members += [
      ("method", JSONText.string(String(context.head.method.prefix(16)))),
      ("route", JSONText.string(context.route.name)), ("status", "\(response.status)"),
      ("ms", decimal(seconds * 1000, places: 1)),
      ("waitedMs", decimal(context.waited / .milliseconds(1), places: 1)),
      ("received", "\(received)"), ("sent", "\(response.body.count)"),
    ]
    if let backend = response["x-frostglass-backend"] {
      members.append(("backend", JSONText.string(backend)))
    }
    // One line of JSON, also from a worker: `AnswerCheck` has looked at it.
    let document =
      response.problem ?? (response["content-type"] == Problem.contentType ? response.body : nil)
    if let document {
      members.append(("problem", String(decoding: document, as: UTF8.self)))
    }
    if isDelivered == false { members.append(("delivered", "false")) }
    write(JSONText.object(members))
  }

  /// Returns true for a successful health check or scrape, which is not logged.
  private func isProbe(_ route: Route, _ status: Int) -> Bool {
    status == 200 && [.live, .ready, .metrics].contains(route)
  }

  /// UTC, to a millisecond, as in ISO 8601.
  private static var now: String {
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    var parts = tm()
    gmtime_r(&clock.tv_sec, &parts)
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = [
      padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1, 2),
      padded(Int(parts.tm_mday), 2),
    ].joined(separator: "-")
    let time = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)]
      .map { padded($0, 2) }.joined(separator: ":")
    return "\(date)T\(time).\(padded(clock.tv_nsec / 1_000_000, 3))Z"
  }
}

extension RequestHead {
  /// The name that a trusted proxy has given the request.
  var givenID: String? {
    guard isFromProxy, let id = self["x-request-id"], (1...128).contains(id.utf8.count),
      id.utf8.allSatisfy({
        switch $0 {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
          UInt8(ascii: "_"):
          true
        default: false
        }
      })
    else { return nil }
    return id
  }

  /// The request's place in a distributed trace, as W3C Trace Context writes it.
  fileprivate var trace: String? {
    guard let text = self["traceparent"], text.utf8.count == 55,
      text.utf8.allSatisfy({ "0123456789abcdef-".utf8.contains($0) })
    else { return nil }
    return text
  }
}
