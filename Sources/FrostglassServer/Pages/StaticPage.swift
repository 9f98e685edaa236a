internal import Frostglass
internal import FrostglassStills

/// A page that never changes: compressed in advance, with an ETag that saves sending it again.
struct StaticPage: Sendable {
  private let type: String
  private let bytes: [UInt8]
  /// `nil` where that would not be smaller.
  private let compressed: [UInt8]?
  private let digest: Substring
  private let policy: String?

  /// - Parameter policy: the content security policy; `nil` allows nothing.
  init(_ type: String, _ bytes: [UInt8], policy: String? = nil) {
    self.type = type
    self.bytes = bytes
    let smaller = Gzip.compressed(bytes).filter { $0.count < bytes.count - bytes.count / 10 }
    compressed = smaller
    digest = FileDigest.sha256(of: bytes).prefix(32)
    self.policy = policy
  }

  init(_ type: String, _ text: String, policy: String? = nil) {
    self.init(type, Array(text.utf8), policy: policy)
  }

  static func json(_ text: String) -> StaticPage { StaticPage("application/json", text) }

  /// The page, or that who asks has it.
  func response(to head: RequestHead) -> Response {
    let smaller = head.takesGzip ? compressed : nil
    let tag = "\"\(digest)\(smaller == nil ? "" : "-gzip")\""
    var fields = [Field("ETag", tag), Field("Cache-Control", "no-cache")]
    if compressed != nil { fields.append(Field("Vary", "Accept-Encoding")) }
    if let policy { fields.append(Field("Content-Security-Policy", policy)) }
    if ReadSource.isCurrent(head, tag, .max) {
      var response = Response(304, fields)
      response.knownLength = (smaller ?? bytes).count
      return response
    }
    fields.append(Field("Content-Type", type))
    if smaller != nil { fields.append(Field("Content-Encoding", "gzip")) }
    return Response(200, fields, body: smaller ?? bytes)
  }
}

extension RequestHead {
  /// True if `Accept-Encoding` names gzip, or any coding, and does not refuse it.
  fileprivate var takesGzip: Bool {
    let codings = all("accept-encoding").joined(separator: ",").lowercased().split(separator: ",")
      .map { $0.filter { !$0.isWhitespace }.split(separator: ";") }
    let named = codings.first { $0.first == "gzip" } ?? codings.first { $0.first == "*" }
    guard let named else { return false }
    return !named.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
  }
}

extension Optional where Wrapped == [UInt8] {
  fileprivate func filter(_ isTaken: (Wrapped) -> Bool) -> Wrapped? {
    flatMap { isTaken($0) ? $0 : nil }
  }
}
