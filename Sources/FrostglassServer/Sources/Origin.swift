internal import Frostglass
internal import FrostglassCore
package import FrostglassFetching
package import FrostglassOptions

/// A place of the operator's that images come from, by the name that addresses call it.
package struct Origin: Sendable, Hashable {
  /// The place of its images.
  package enum Place: Sendable, Hashable {
    /// Below a folder of this machine.
    case folder(String)
    /// Below an address, which ends with `/`; with what requests are signed with where it is S3.
    case server(base: String, S3Access?)

    /// True if images have to be fetched.
    var isServer: Bool { if case .server = self { true } else { false } }
  }

  package let name: String
  package let place: Place
  /// As the operator wrote it, without the name.
  package let text: String
  /// The addresses that connections may go to.
  package private(set) var addresses = AddressRule()
  /// The time limit of a fetch, retries included, in seconds.
  package private(set) var seconds = 10.0
  /// The time for which an image is fresh if its server does not say, in seconds.
  package private(set) var freshSeconds = 60

  /// A folder that is called by a name.
  package init(folder: String, name: String) {
    self.name = name
    place = .folder(folder)
    text = folder
  }

  /// Reads `NAME=WHERE`: a folder, `http://…`, `https://…` or `s3://BUCKET/PREFIX`, options behind `?`.
  ///
  /// - Throws: `Failure` with what is wrong and what would be right.
  package init(_ text: String) throws(Failure) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isName(parts[0]), !parts[1].isEmpty else {
      throw .usage(
        "--origin is \(text); it must be NAME=WHERE, such as shop=https://images.example/base/; names "
          + "have letters, digits, - and _")
    }
    name = String(parts[0])
    self.text = String(parts[1])
    guard let scheme = Self.scheme(parts[1]) else {
      place = .folder(self.text)
      return
    }
    let words = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var options = try OriginOptions(words.count > 1 ? words[1] : "", name)
    switch scheme {
    case "http", "https": place = .server(base: try Self.base(String(words[0]), name), nil)
    case "s3":
      let access = try S3Access(&options)
      place = .server(
        base: try access.base(of: words[0].dropFirst(5), endpoint: options.take("endpoint"), name),
        access)
    default:
      throw .usage(
        "--origin \(name): \(scheme): is not supported; use http:, https:, s3: or a folder's path")
    }
    addresses = AddressRule(
      allowsAll: try options.takeSwitch("private"), named: try options.takeNetworks("address"))
    if let number = try options.takeNumber("seconds", in: 0.1...3600) { seconds = number }
    if let number = try options.takeNumber("fresh", in: 0...31_536_000) {
      freshSeconds = Int(number)
    }
    try options.end()
  }

  private static func isName(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Returns the text before `:` in lower case, if it can be a scheme. Folder paths that begin like one must begin
  /// with `./`.
  private static func scheme(_ text: Substring) -> String? {
    let word = text.prefix { $0 != ":" }
    guard word.endIndex != text.endIndex, let first = word.first, first.isLetter,
      word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return word.lowercased()
  }

  /// An address that all images of an origin are below: scheme, host, port and path, with `/` at its end.
  static func base(_ text: String, _ name: String) throws(Failure) -> String {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    guard parts.count >= 3, ["http:", "https:"].contains(parts[0].lowercased()), parts[1].isEmpty,
      isPlain, !text.contains("#")
    else {
      throw .usage(
        "--origin \(name): \(text) is not an address such as https://images.example/base/")
    }
    guard !parts[2].contains("@") else {
      throw .usage(
        "--origin \(name): the address must not contain a name or a password, which logs would show"
      )
    }
    let host = parts[2].lowercased()
    guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-.:[]_".contains($0) })
    else { throw .usage("--origin \(name): \(parts[2]) is not a host") }
    let path = parts.count > 3 ? parts[3] : ""
    let trimmed = path.hasSuffix("/") ? path.dropLast() : path
    guard trimmed.isEmpty || OriginPath.isPlain(Array(trimmed.utf8)) else {
      throw .usage("--origin \(name): the path must have no empty parts, no . and no ..")
    }
    return "\(parts[0].lowercased())//\(host)/" + (trimmed.isEmpty ? "" : "\(trimmed)/")
  }

  /// The address of an image; `nil` for a path that could lead out of the origin.
  package func url(_ path: String) -> String? {
    guard case .server(let base, _) = place else { return nil }
    return OriginPath.encoded(path).map { base + $0 }
  }

  /// The address that a redirect leads to; `nil` where that is outside the origin.
  package func url(redirect: String) -> String? {
    guard case .server(let base, nil) = place, redirect.hasPrefix(base), !redirect.contains("#")
    else { return nil }
    let parts = redirect.dropFirst(base.count)
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = QueryText.decoded(parts[0]), let encoded = OriginPath.encoded(path) else {
      return nil
    }
    guard parts.count == 2 else { return base + encoded }
    guard parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return "\(base)\(encoded)?\(parts[1])"
  }
}

/// Paths of images within an origin.
enum OriginPath {
  /// The longest path, in bytes; keys of S3 have 1,024.
  private static let longest = 2048

  /// True if a path has no part that leads elsewhere.
  static func isPlain(_ path: [UInt8]) -> Bool {
    path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { part in !part.isEmpty && ![".", ".."].contains { part.elementsEqual($0.utf8) } }
      && path.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
  }

  /// Bytes with their escapes decoded once; what is no escape stays.
  private static func unescaped(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var place = 0
    while place < text.count {
      let digits = text[place...].dropFirst().prefix(2)
      if text[place] == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(byte)
        place += 3
      } else {
        bytes.append(text[place])
        place += 1
      }
    }
    return bytes
  }

  /// A path as addresses write it, everything percent-encoded but what RFC 3986 calls unreserved; `nil` where
  /// it could lead elsewhere, also at a server that decodes it once more than it should.
  static func encoded(_ path: String) -> String? {
    guard path.utf8.count <= longest else { return nil }
    var decoded = Array(path.utf8)
    while true {
      guard isPlain(decoded) else { return nil }
      let next = unescaped(decoded)
      guard next != decoded else { break }
      decoded = next
    }
    return path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// The options after `?` in an operator's origin, taken one by one.
struct OriginOptions {
  private let name: String
  private var left: [Field]
  private var known: [String] = []

  init(_ query: Substring, _ name: String) throws(Failure) {
    self.name = name
    do { left = try QueryText.fields(query) } catch {
      throw .usage("--origin \(name): the options are not percent-encoded UTF-8")
    }
  }

  /// The value of an option that stands once.
  mutating func take(_ option: String) -> String? {
    known.append(option)
    guard let place = left.firstIndex(where: { $0.name == option }) else { return nil }
    return left.remove(at: place).value
  }

  mutating func takeSwitch(_ option: String) throws(Failure) -> Bool {
    switch take(option)?.lowercased() {
    case nil, "0", "false", "no", "off": return false
    case "", "1", "true", "yes", "on": return true
    case let other?: throw .usage("--origin \(name): \(option) is \(other); it must be 1 or 0")
    }
  }

  mutating func takeNumber(
    _ option: String, in range: ClosedRange<Double>
  ) throws(Failure) -> Double? {
    guard let text = take(option) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .usage(
        "--origin \(name): \(option) is \(text); it must be a number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return number
  }

  mutating func takeNetworks(_ option: String) throws(Failure) -> [IPNetwork] {
    var networks: [IPNetwork] = []
    while let text = take(option) {
      guard let network = IPNetwork(text) else {
        throw .usage(
          "--origin \(name): \(option) is \(text); it must be an address or a network, as 10.0.0.0/8"
        )
      }
      networks.append(network)
    }
    return networks
  }

  /// - Throws: `Failure` where an option was not taken: there is none of that name, or it stands twice.
  func end() throws(Failure) {
    guard let field = left.first else { return }
    guard !known.contains(field.name) else {
      throw .usage("--origin \(name): \(field.name) is given twice")
    }
    let names = Array(Set(known)).sorted()
    throw .usage(
      "--origin \(name): there is no option \(field.name)"
        + DidYouMean.hint(for: field.name, in: names)
        + "; options are \(names.joined(separator: ", "))")
  }
}
