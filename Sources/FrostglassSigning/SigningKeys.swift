/// Secrets that sign addresses, each with a name, the first of which signs new ones.
///
/// Several let keys be changed without a break: a new one is put first, and the old one taken out when
/// everything that it signed has ended.
package struct SigningKeys: Sendable {
  /// A secret key.
  package struct Key: Sendable {
    /// 1 to 32 letters, digits, `-` and `_`.
    package let id: String
    let secret: [UInt8]
    /// The presets that it is for; `nil` for all, and for none.
    package let presets: [String]?
    /// The operations that it is for; `nil` for all.
    package let operations: [String]?
  }

  private let keys: [Key]

  /// The shortest secret: as long as the security that HMAC-SHA256 gives at most would need 32 bytes;
  /// 16 cannot be guessed.
  package static let shortestSecret = 16

  /// Reads a text with a key per line, or separated by commas: a name, a colon, a secret of at least
  /// 16 bytes. Behind the name may stand what the key is for, with slashes between several, which no file's name
  /// has: `web presets=hero/card operations=blur:SECRET`. Empty lines and those that begin with `#` say nothing.
  ///
  /// - Throws: `Malformed`.
  package init(text: String) throws(Malformed) {
    var keys: [Key] = []
    let lines = text.split { $0 == "\n" || $0 == "," || $0 == "\r\n" }
    for (index, line) in lines.enumerated() where !line.isBlank && !line.hasPrefix("#") {
      guard let colon = line.firstIndex(of: ":") else {
        throw Malformed(reason: "key \(index + 1) is not NAME:SECRET")
      }
      let words = line[..<colon].split(separator: " ")
      let id = words.first ?? ""
      let secret = Array(line[line.index(after: colon)...].utf8)
      guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(\.isNameByte) else {
        throw Malformed(
          reason: "the name of key \(index + 1) must be 1 to 32 letters, digits, - and _")
      }
      guard secret.count >= Self.shortestSecret else {
        throw Malformed(
          reason: "the secret of key \(id) is shorter than \(Self.shortestSecret) bytes")
      }
      guard !keys.contains(where: { $0.id == id }) else {
        throw Malformed(reason: "there are two keys \(id)")
      }
      let uses = try Self.uses(words.dropFirst(), of: id)
      keys.append(
        Key(
          id: String(id), secret: secret, presets: uses["presets"], operations: uses["operations"]))
    }
    guard !keys.isEmpty else { throw Malformed(reason: "there is no key") }
    self.keys = keys
  }

  private static func uses(
    _ words: ArraySlice<Substring>, of id: Substring
  ) throws(Malformed) -> [String: [String]] {
    var uses: [String: [String]] = [:]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      let names = parts.dropFirst().first?.split(separator: "/").map { String($0) } ?? []
      guard ["presets", "operations"].contains(parts.first), !names.isEmpty,
        uses.updateValue(names, forKey: String(word[..<parts[0].endIndex])) == nil
      else {
        throw Malformed(
          reason: "key \(id) is for \(word); it must be presets=NAME/NAME or operations=NAME/NAME")
      }
    }
    return uses
  }

  /// All keys.
  package var all: [Key] { keys }
  /// The key that signs.
  package var first: Key { keys[0] }

  /// The key of a name.
  package subscript(id: String) -> Key? { keys.first { $0.id == id } }

  /// The reason that a text holds no keys.
  package struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
    package let reason: String

    package var description: String { reason }
  }
}

extension Substring {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension UInt8 {
  fileprivate var isNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
