internal import FoundationEssentials
package import FrostglassConfinement

/// A message from the service to its fetcher.
package enum FetchMessage: Sendable, Hashable, Codable {
  case fetch(FetchOrder)
  /// Ends the order with this number, without an answer.
  case cancel(Int)

  /// The largest message.
  package static let limits = FrameLimits(head: 256 << 10, parts: 0, bytes: 0)

  package func frame() throws -> Message { Message(head: [UInt8](try JSONEncoder().encode(self))) }

  /// - Throws: `DecodingError` if the head is invalid.
  package init(_ frame: Message) throws {
    self = try JSONDecoder().decode(FetchMessage.self, from: Data(frame.head))
  }
}

/// One request to another server.
package struct FetchOrder: Sendable, Hashable, Codable {
  /// A number that its answer repeats.
  package var number = 0
  /// `http:` or `https:`, percent-encoded.
  package var url: String
  /// Further header fields, without line ends.
  package var fields: [FetchField] = []
  /// The names whose shares of the memory for bodies it takes, such as its origin and its client.
  package var shares: [String] = []
  /// The addresses that it may connect to.
  package var addresses = AddressRule()
  /// The longest body, in bytes.
  package var mostBytes: Int
  /// The time limit, in seconds.
  package var seconds: Double
  /// The least rate of the body, in bytes per second. The fetch fails if the body is slower for five seconds.
  package var leastRate: Int
  /// The signature's parameters; `nil` for an unsigned request.
  package var signing: FetchSigning?

  package init(_ url: String, mostBytes: Int, seconds: Double, leastRate: Int) {
    self.url = url
    self.mostBytes = mostBytes
    self.seconds = seconds
    self.leastRate = leastRate
  }
}

/// A header field.
package struct FetchField: Sendable, Hashable, Codable {
  /// The name, in lower case.
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The parameters that sign a request to S3 (AWS Signature Version 4).
package struct FetchSigning: Sendable, Hashable, Codable {
  package var region: String
  package var key: String
  package var secret: String
  /// The session token of temporary credentials; `nil` for lasting ones.
  package var token: String?

  package init(region: String, key: String, secret: String, token: String? = nil) {
    self.region = region
    self.key = key
    self.secret = secret
    self.token = token
  }
}

/// The answer to an order.
package struct FetchAnswer: Sendable, Hashable, Codable {
  /// The outcome of a fetch.
  package enum Outcome: String, Sendable, Codable {
    /// The server responded, with any status.
    case answered
    /// The server's name has no address, or no server listens there.
    case unreachable
    /// The order allows none of the server's addresses.
    case refusedAddress
    /// The connection was lost.
    case lost
    /// TLS failed, or the server's certificate is not trusted.
    case untrusted
    /// It took too long, or was too slow.
    case late
    /// The body exceeds the limit.
    case tooLarge
    /// The response's type is not an image's.
    case wrongType
    /// The response is invalid or incomplete.
    case broken
    /// There is no memory for more bodies.
    case noRoom
    /// There is no fetcher.
    case noFetcher
    /// The fetcher ended before there was an answer. The order may be the reason.
    case fetcherEnded
    /// The order was cancelled.
    case cancelled
  }

  package var number: Int
  package var outcome: Outcome
  /// The response's status; 0 without a response.
  package var status = 0
  /// The header fields that caches need.
  package var fields: [FetchField] = []
  /// A redirect's target, as an absolute URL.
  package var redirect: String?
  /// The body, sent next to the coded form. Empty unless the status is 200.
  package var body: [UInt8] = []

  package init(_ number: Int, _ outcome: Outcome) {
    self.number = number
    self.outcome = outcome
  }

  private enum CodingKeys: String, CodingKey { case number, outcome, status, fields, redirect }

  package func frame() throws -> Message {
    Message(head: [UInt8](try JSONEncoder().encode(self)), parts: [body])
  }

  /// - Throws: `DecodingError` if the head is invalid.
  package init(_ frame: Message) throws {
    self = try JSONDecoder().decode(FetchAnswer.self, from: Data(frame.head))
    body = frame.parts.first ?? []
  }

  /// Returns the limits of an answer.
  ///
  /// - Parameter bytes: the largest body.
  package static func limits(_ bytes: Int) -> FrameLimits {
    FrameLimits(head: 256 << 10, parts: 1, bytes: bytes)
  }

  /// The first value of a header field.
  ///
  /// - Parameter name: the field's name, in lower case.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The fetcher program, and the descriptor of its socket.
package enum FetchProgram {
  package static let name = "frostglass-fetch"
  package static let socket: Int32 = 3
}
