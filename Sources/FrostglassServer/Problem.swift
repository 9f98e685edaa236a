internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// Why a request is refused: a problem document (RFC 9457), in words for who asked.
///
/// It names no path, and quotes no library.
package struct Problem: Error, Sendable, Hashable {
  /// The HTTP status, 400 or more.
  package var status: Int
  /// The kind of problem, for programs, such as `too-large`.
  package var kind: String
  /// The error, and what would work instead.
  package var detail: String
  /// Further header fields.
  package var headers: [Field]
  /// True if the connection is closed after it, as what follows on it is untrusted or unwanted.
  package var closes: Bool
  /// The estimated core seconds of work that was put off because it is heavy.
  package var putOff: Double?

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

  /// The prefix of problem types.
  static let typePrefix = "urn:frostglass:problem:"

  /// The kind of the problem that a document describes; `nil` where that is none of these.
  static func kind(of document: [UInt8]) -> String? {
    guard
      case .object(let members)? =
        (try? JSONValue(text: String(decoding: document, as: UTF8.self)))?.content,
      case .string(let type)? = members.first(where: { $0.name == "type" })?.value.content,
      type.hasPrefix(typePrefix)
    else { return nil }
    return String(type.dropFirst(typePrefix.count))
  }

  /// The document.
  ///
  /// - Parameter requestID: the ID of the request, if it is already known.
  package func document(requestID: String? = nil) -> String {
    var members = [
      ("type", JSONText.string(Self.typePrefix + kind)),
      ("title", JSONText.string(title)), ("status", "\(status)"),
      ("detail", JSONText.string(detail)),
    ]
    if let requestID { members.append(("requestId", JSONText.string(requestID))) }
    return JSONText.object(members)
  }

  /// The answer of a worker that refuses.
  ///
  /// What is quoted may be as long as what was asked; the document of a worker has an end, see
  /// `AnswerCheck`.
  package var answer: WorkAnswer {
    var problem = self
    // A byte can take six in JSON.
    if detail.utf8.count > 8192 {
      problem.detail = String(decoding: detail.utf8.prefix(8192), as: UTF8.self) + "…"
    }
    var answer = WorkAnswer(
      status: status, contentType: Self.contentType, fields: headers,
      body: Array(problem.document().utf8))
    answer.putOff = putOff
    return answer
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
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 499: "Client Closed Request"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: status < 500 ? "Refused" : "Internal Server Error"
    }
  }
}

/// Conversion of the library's errors for HTTP clients. Messages of other libraries, which may name paths, are left
/// out.
extension Problem {
  init(_ failure: Failure) {
    let words = Self.inFieldWords(failure.message)
    switch failure.kind {
    case .usage: self = .badRequest(words)
    case .badData, .noInput: self.init(422, "bad-data", words)
    case .unavailable, .temporary: self.init(503, "unavailable", "this cannot be done now")
    case .software, .cannotCreate: self = .ours
    }
  }

  /// Options of a command line are fields here, which have no hyphens before them; other hyphens are
  /// what somebody wrote.
  package static func inFieldWords(_ message: String) -> String {
    var words = ""
    var rest = message[...]
    while let sign = rest.first {
      let isInWord = words.last.map { $0 == "-" || $0.isLetter || $0.isNumber } ?? false
      if !isInWord, rest.hasPrefix("--") {
        let name = rest.dropFirst(2).prefix { $0 == "-" || $0.isLetter || $0.isNumber }
        words += (optionNames.contains(String(name)) ? "" : "--") + name
        rest = rest.dropFirst(2 + name.count)
        // A preset of the service has a name, not a file.
        if name == "preset", rest.hasPrefix(" FILE") {
          words += " NAME"
          rest = rest.dropFirst(5)
        }
      } else {
        words.append(sign)
        rest = rest.dropFirst()
      }
    }
    return words
  }

  /// Those that messages about requests may name, limits of the operator's among them.
  private static let optionNames = Set(
    (Operation.allCases.flatMap(\.options) + RecipeOptions.table).map(\.name))

  init(_ error: FrostglassError) {
    switch error {
    case .decode(let error): self.init(error)
    case .text(let error): self = .badRequest("\(error)")
    case .plan(let error):
      switch error {
      case .badValue, .regionOutside: self = .badRequest("\(error)")
      case .tooLarge: self.init(422, "too-large", "\(error)")
      case .doubtful: self.init(422, "doubtful", "\(error)")
      case .malformed: self = .ours
      }
    case .execute: self = .ours
    case .encode(let error): self.init(error)
    case .scene(let error): self = .badRequest("\(error)")
    case .lettering, .frames, .video: self = .badRequest("\(error)")
    case .element(let place, let error):
      self.init(error)
      detail = "\(place): \(detail)"
    case .cancelled: self.init(503, "cancelled", "the work was stopped")
    case .deadlineExceeded:
      // No Retry-After: the same work would take as long again.
      self.init(
        503, "out-of-time", "the work was not done in time; a smaller image takes less")
    }
  }

  private init(_ error: DecodeError) {
    switch error {
    case .empty: self = .badRequest("the image is empty")
    case .unknownFormat:
      self.init(
        415, "not-a-picture", "this is not a \(StillFormat.names("or")) file")
    case .damaged: self.init(422, "damaged", "the image is damaged or incomplete")
    case .tooManyPixels(_, let size, let limit):
      self.init(
        413, "too-many-pixels", "\(size) pixels are more than the \(limit) that are taken")
    case .tooMuchMemory(_, let size, let need, let limit):
      self.init(
        413, "too-much-memory",
        "\(size) pixels would take about \(ByteCount(need)) of memory here, more than the "
          + "\(ByteCount(limit)) that there are")
    case .unsupportedPixels(_, let found):
      self.init(415, "unsupported-pixels", "the image's samples are \(found)")
    case .unsupportedKind(_, let found):
      self.init(415, "unsupported-kind", "the image is \(found), which is not read")
    case .hdr(_, let transfer):
      self.init(
        415, "unsupported-kind",
        "the image's HDR transfer function \(transfer) is not supported; convert it to SDR first")
    case .noSuchFrame(_, let frame, let count):
      self = .badRequest("there is no frame \(frame); there are \(count)")
    case .missing(let name):
      self = .badRequest("there is no part \(name.prefix(64))")
    case .isDirectory, .unreadable, .changed, .codecUnavailable: self = .ours
    }
  }

  private init(_ error: EncodeError) {
    switch error {
    case .unknownFormat, .invalidQuality, .invalidEffort, .namedTwice:
      self = .badRequest("\(error)")
    case .tooLarge, .unsupportedImage, .profile: self.init(422, "does-not-fit", "\(error)")
    case .exists, .unwritable, .cannotEncode, .codecUnavailable: self = .ours
    }
  }

  /// Nobody looks for faces here.
  static var noFind: Problem {
    Problem(
      422, "no-find",
      "no faces are looked for here; the operator of the service turns that on with "
        + "its option find")
  }

  /// An internal error, which is not the client's fault.
  static var ours: Problem {
    Problem(500, "failed", "something went wrong here; the request's name is in X-Request-Id")
  }
}
