/// A request's line and header fields, as they were sent.
package struct RequestHead: Sendable {
  /// `GET`, `POST`, …, in upper case.
  package var method: String
  /// Path and query, nothing decoded.
  package var target: String
  /// `HTTP/1.1`.
  package var version: String
  /// In order, with doubles.
  package var headers: [Field]
  /// The client's address, or `unix`.
  package var peer: String
  /// The client's address: the peer's, or the one that a trusted proxy names.
  package var address: String
  /// True if the peer is a trusted proxy.
  package var isFromProxy = false
  /// Whom the service is shared with: of IPv6 the network, as one client has all of its addresses.
  package var client: String { TrustedProxies.network(of: address) }

  package init(
    method: String, target: String, version: String = "HTTP/1.1", headers: [Field] = [],
    peer: String = ""
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.headers = headers
    self.peer = peer
    address = peer
  }

  /// The values of a header field, in order, however its name is written.
  ///
  /// - Parameter name: in lower case.
  package func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The first value of a header field.
  ///
  /// - Parameter name: in lower case.
  package subscript(name: String) -> String? { all(name).first }

  /// The target's path, nothing decoded.
  package var path: Substring { target.prefix { $0 != "?" } }

  /// The target after `?`, nothing decoded; empty where there is no query.
  package var query: Substring { target[path.endIndex...].dropFirst() }

  /// The length in `Content-Length`; `nil` if the field is missing or not a number.
  package var contentLength: Int? { self["content-length"].flatMap { Int($0) } }

  /// True if a body follows.
  package var hasBody: Bool { self["transfer-encoding"] != nil || (contentLength ?? 0) > 0 }
}

/// A response.
package struct Response: Sendable {
  package var status: Int
  package var headers: [Field]
  package var body: [UInt8]
  /// True if the connection is closed after it.
  package var closes = false
  /// True if it is also sent when there are too many connections, as answers to monitoring are.
  package var isForEverybody = false
  /// True if the head states the body's length. If not, there is no body, and the length of the image is unknown.
  package var hasLength = true
  /// The length of the body that is not made, for a 304 or a `HEAD` request; `nil` if unknown.
  package var knownLength: Int?
  /// The problem document that the body, an image, stands for.
  package var problem: [UInt8]?

  package init(_ status: Int, _ headers: [Field] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package init(_ status: Int, type: String, _ text: String) {
    self.init(status, [Field("Content-Type", type)], body: Array(text.utf8))
  }

  /// The first value of a header field.
  ///
  /// - Parameter name: in lower case.
  package subscript(name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

/// Reads what is percent-encoded: queries, and paths.
package enum QueryText {
  /// More fields than this are no question about an image.
  package static let mostFields = 256

  /// Reads `name=value&name=value`, in which `+` is a space.
  ///
  /// - Throws: `Problem` for what is no percent-encoded UTF-8, holds a zero, or has too many fields.
  package static func fields(_ text: Substring) throws(Problem) -> [Field] {
    var fields: [Field] = []
    for pair in text.split(separator: "&") {
      guard fields.count < mostFields else {
        throw .badRequest("the query has more than \(mostFields) fields")
      }
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(parts[0], plusIsSpace: true),
        let value = decoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
      else { throw .badRequest("the query must be percent-encoded UTF-8 without zero bytes") }
      fields.append(Field(name, value))
    }
    return fields
  }

  /// Decodes a text; `nil` where that is no UTF-8, or holds a zero.
  package static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexadecimalDigit,
          let low = rest.popFirst()?.hexadecimalDigit
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
