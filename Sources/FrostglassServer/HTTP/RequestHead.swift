/// What a request says before its body, as it was sent.
package struct RequestHead: Sendable {
  /// `GET`, `POST`, …, in upper case.
  package var method: String
  /// Path and query, nothing decoded.
  package var target: String
  /// `HTTP/1.1`.
  package var version: String
  /// In order, with doubles.
  package var headers: [Field]
  /// Who asks: an address, or `unix`.
  package var peer: String

  package init(
    method: String, target: String, version: String = "HTTP/1.1", headers: [Field] = [],
    peer: String = ""
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.headers = headers
    self.peer = peer
  }

  /// The values of a header field, in order; of names, case does not matter.
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

  /// How long the body is said to be; `nil` where that is not said, or not a number.
  package var contentLength: Int? { self["content-length"].flatMap { Int($0) } }

  /// Whether a body follows.
  package var hasBody: Bool { self["transfer-encoding"] != nil || (contentLength ?? 0) > 0 }
}

/// What is answered.
package struct Response: Sendable {
  package var status: Int
  package var headers: [Field]
  package var body: [UInt8]
  /// Whether the connection ends with it.
  package var closes = false

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
