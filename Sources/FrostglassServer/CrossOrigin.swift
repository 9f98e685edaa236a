internal import FrostglassCore

/// The permissions of other sites' pages: to read answers in scripts (CORS, section 3.3 of the Fetch standard), and
/// to show images (`Cross-Origin-Resource-Policy`, its section 3.7).
///
/// The service uses no cookies, so answers are the same for everyone, and none allows credentials.
package struct CrossOrigin: Sendable, Hashable {
  /// Sites whose scripts may read answers, such as `https://a.example`; `["*"]` for all, `nil` for none.
  package var origins: [String]?
  /// Sites that may show images.
  package var policy = ResourcePolicy.crossOrigin

  /// The values of `Cross-Origin-Resource-Policy`.
  package enum ResourcePolicy: String, Sendable, CaseIterable {
    case crossOrigin = "cross-origin"
    case sameSite = "same-site"
    case sameOrigin = "same-origin"
  }

  package init() {}

  /// Reads `*`, or origins with commas between them; `nil` for anything else.
  package static func origins(text: String) -> [String]? {
    let words = text.split(separator: ",").map { trimmed($0).lowercased() }
    if words == ["*"] { return words }
    guard !words.isEmpty, words.allSatisfy(isOrigin) else { return nil }
    return words
  }

  /// A scheme and a host, maybe with a port, as browsers write them.
  private static func isOrigin(_ text: String) -> Bool {
    text.wholeMatch(of: #/[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?/#) != nil
  }

  /// True if preflight requests are answered.
  var isOffered: Bool { origins != nil }

  /// The answer to such a question. It comes without the credentials and the signature of what will follow.
  func preflight(methods: [String]) -> Response {
    Response(
      204,
      [
        Field("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
        Field("Access-Control-Allow-Headers", "*"), Field("Access-Control-Max-Age", "7200"),
      ])
  }

  /// The header fields that scripts may read in addition to those that CORS always allows.
  private static let exposed = [
    "ETag", "Retry-After", "Server-Timing", "X-Request-Id", "X-Frostglass-Audit",
    "X-Frostglass-Backend", "X-Frostglass-Certified-Error", "X-Frostglass-Frames",
    "X-Frostglass-Frames-Left-Out", "X-Frostglass-Found", "X-Frostglass-Note",
    "X-Frostglass-Problem",
  ].joined(separator: ", ")

  /// Adds what browsers look for.
  func mark(_ response: inout Response, to context: RequestContext) {
    let policy = context.route.isWork ? policy : .sameOrigin
    response.headers.append(Field("Cross-Origin-Resource-Policy", policy.rawValue))
    guard let origins else { return }
    var allowed = origins.first
    if allowed != "*" {
      // Also if this answer has no CORS header: caches may hold one for another site.
      response.vary(by: "Origin")
      let asking = context.head.all("origin")
      allowed = asking.count == 1 ? asking.first.flatMap { origins.contains($0) ? $0 : nil } : nil
    }
    guard let allowed else { return }
    response.headers += [
      Field("Access-Control-Allow-Origin", allowed),
      Field("Access-Control-Expose-Headers", Self.exposed),
    ]
  }
}

extension Response {
  /// Says that another answer would be given where a header field of the request had another value.
  mutating func vary(by name: String) {
    if let index = headers.firstIndex(where: { $0.name == "Vary" }) {
      headers[index].value += ", \(name)"
    } else {
      headers.append(Field("Vary", name))
    }
  }
}
