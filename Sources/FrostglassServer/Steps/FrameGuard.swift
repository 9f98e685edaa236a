/// Rejects requests with ambiguous framing (request smuggling, RFC 9112, section 11.2).
///
/// libmicrohttpd accepts a length together with chunks, and two lengths, and uses one of them. A proxy in front that
/// uses the other sees another request behind it. Such requests are rejected, and the connection is closed.
package struct FrameGuard: HeadStep {
  /// The longest target, in bytes.
  package static let longestTarget = 8 << 10

  package init() {}

  package func run(_ context: inout RequestContext) throws(Problem) {
    let head = context.head
    try checkTarget(head)
    let lengths = head.all("content-length")
    let codings = head.all("transfer-encoding")
    guard lengths.count <= 1 else { throw .badFraming("there are several Content-Length fields") }
    guard lengths.isEmpty || codings.isEmpty else {
      throw .badFraming("Content-Length and Transfer-Encoding exclude each other")
    }
    if let length = lengths.first {
      guard !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) }),
        length.utf8.count <= 18
      else { throw .badFraming("Content-Length is not a number of bytes") }
    }
    if let coding = codings.first {
      guard codings.count == 1, coding.lowercased() == "chunked" else {
        throw .badFraming("the only Transfer-Encoding that is taken is chunked")
      }
      guard head.version == "HTTP/1.1" else {
        throw .badFraming("Transfer-Encoding is not of \(head.version)")
      }
    }
    for field in head.headers
    where field.name.isEmpty || !field.name.utf8.allSatisfy(\.isTokenByte) {
      throw .badFraming("a header field's name is no token")
    }
    for field in head.headers where field.value.utf8.contains(where: \.isControlByte) {
      throw .badFraming("a header field's value has control characters")
    }
    let hosts = head.all("host").count
    guard hosts <= 1 else { throw .badFraming("there are several Host fields") }
    guard hosts == 1 || head.version != "HTTP/1.1" else {
      throw .badFraming("there is no Host field, which HTTP/1.1 needs")
    }
  }

  private func checkTarget(_ head: RequestHead) throws(Problem) {
    guard head.version == "HTTP/1.1" || head.version == "HTTP/1.0" else {
      throw .badFraming("HTTP/1.1 and HTTP/1.0 are spoken here")
    }
    guard head.target.utf8.count <= Self.longestTarget else {
      throw Problem(
        414, "target-too-long", "the target is longer than \(Self.longestTarget) bytes",
        closes: true)
    }
    guard head.target.hasPrefix("/"), head.target.utf8.allSatisfy({ (33..<127).contains($0) })
    else { throw .badFraming("the target must be a path, percent-encoded") }
  }
}

extension UInt8 {
  /// True if a byte may be in a token (RFC 9110, section 5.6.2).
  fileprivate var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }

  fileprivate var isControlByte: Bool { self < 32 && self != 9 || self == 127 }
}
