internal import Frostglass

/// Why a request is refused: a problem document (RFC 9457), in words for who asked.
///
/// It names no path, and quotes no library.
package struct Problem: Error, Sendable, Hashable {
  /// The HTTP status, 400 or more.
  package var status: Int
  /// What kind it is, for programs: `too-large`.
  package var kind: String
  /// What is wrong, and what would be right.
  package var detail: String
  /// Further header fields.
  package var headers: [Field]
  /// Whether the connection ends with it: what follows on it cannot be trusted, or is not wanted.
  package var closes: Bool

  package init(
    _ status: Int, _ kind: String, _ detail: String, headers: [Field] = [], closes: Bool = false
  ) {
    self.status = status
    self.kind = kind
    self.detail = detail
    self.headers = headers
    self.closes = closes
  }

  /// The type of such documents.
  package static let contentType = "application/problem+json"

  /// 400.
  package static func badRequest(_ detail: String) -> Problem {
    Problem(400, "bad-request", detail)
  }

  /// 400, after which nothing on the connection can be trusted.
  package static func badFraming(_ detail: String) -> Problem {
    Problem(400, "bad-framing", detail, closes: true)
  }

  /// 429, which may be asked again after so many seconds.
  package static func overloaded(_ detail: String, after seconds: Int = 1) -> Problem {
    Problem(429, "overloaded", detail, headers: [Field("Retry-After", "\(seconds)")])
  }

  /// The document.
  ///
  /// - Parameter requestID: of the request that it is about, if that is known already.
  package func document(requestID: String? = nil) -> String {
    var members = [
      ("type", JSONText.string("urn:frostglass:problem:\(kind)")),
      ("title", JSONText.string(title)), ("status", "\(status)"),
      ("detail", JSONText.string(detail)),
    ]
    if let requestID { members.append(("requestId", JSONText.string(requestID))) }
    return JSONText.object(members)
  }

  /// The answer of a worker that refuses.
  package var answer: WorkAnswer {
    WorkAnswer(
      status: status, contentType: Self.contentType, fields: headers, body: Array(document().utf8))
  }

  /// The reason phrase of the status.
  private var title: String {
    switch status {
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: status < 500 ? "Refused" : "Internal Server Error"
    }
  }
}
