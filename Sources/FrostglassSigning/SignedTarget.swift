internal import CGLib

/// Request targets that only the holder of a key can make, and that expire.
///
/// A signed target is one with three query fields more, at its end and in this order: `expires`, seconds
/// since 1970; `key`, which one; `signature`, HMAC-SHA256 of the method, a space, and all of the target
/// before `&signature=`, in base64url without padding. Nothing is put in order or decoded before it is
/// compared: a target that was changed in any way is another one.
package enum SignedTarget {
  /// The reason for refusing a target.
  package enum Refusal: Error, Sendable, Hashable, CaseIterable {
    /// It has no signature.
    case unsigned
    /// Its signature is not that of a known key for this method and target.
    case invalid
    /// It was good, once.
    case expired
  }

  /// The permission that a signature gives.
  package struct Permission: Sendable {
    /// The last second since 1970 in which it holds.
    package let expires: Int
    package let key: SigningKeys.Key
  }

  /// Signs a target with the first of the keys.
  ///
  /// - Parameters:
  ///   - target: path and query, such as `/v1/pictures/a.jpg?sigma=10`, as it will be asked for.
  ///   - method: `HEAD` counts as `GET`.
  ///   - expires: the last second since 1970 in which it holds.
  package static func signed(
    _ target: String, method: String, keys: SigningKeys, expires: Int
  ) -> String {
    let key = keys.first
    let text = target + (target.contains("?") ? "&" : "?") + "expires=\(expires)&key=\(key.id)"
    return text + marker + signature(method, text, key)
  }

  /// Checks a target as it was asked for.
  ///
  /// - Parameter now: seconds since 1970.
  @discardableResult package static func check(
    _ target: String, method: String, keys: SigningKeys, now: Int
  ) throws(Refusal) -> Permission {
    // The last one: fields before it are signed, whatever they are called.
    guard let place = target.lastRange(ofText: marker) else { throw .unsigned }
    let text = target[..<place.lowerBound]
    let given = target[place.upperBound...]
    let fields =
      text.split(separator: "?", maxSplits: 1).dropFirst().first?
      .split(separator: "&", omittingEmptySubsequences: false).suffix(2) ?? []
    guard fields.count == 2, let last = fields.last, let before = fields.first,
      last.hasPrefix("key="), before.hasPrefix("expires="),
      let expires = Int(before.dropFirst("expires=".count)),
      let key = keys[String(last.dropFirst("key=".count))],
      isEqual(signature(method, String(text), key), String(given))
    else { throw .invalid }
    // Last, so that only who knows a good one learns that it was.
    guard now <= expires else { throw .expired }
    return Permission(expires: expires, key: key)
  }

  private static let marker = "&signature="

  private static func signature(_ method: String, _ text: String, _ key: SigningKeys.Key) -> String
  {
    let signed = Array(((method == "HEAD" ? "GET" : method) + " " + text).utf8)
    let digest = HMAC.sha256(signed, key: key.secret)
    return Base64URL.text(digest)
  }

  /// Takes as long wherever two texts of one length begin to differ.
  private static func isEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// HMAC by GLib.
private enum HMAC {
  static func sha256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    guard let state = g_hmac_new(G_CHECKSUM_SHA256, key, numericCast(key.count)) else {
      preconditionFailure("GLib knows SHA-256")
    }
    defer { g_hmac_unref(state) }
    g_hmac_update(state, bytes, numericCast(bytes.count))
    var digest = [UInt8](repeating: 0, count: 32)
    var count = gsize(digest.count)
    g_hmac_get_digest(state, &digest, &count)
    return digest
  }
}

/// Base64 as addresses take it, RFC 4648 section 5, without padding.
private enum Base64URL {
  static func text(_ bytes: [UInt8]) -> String {
    guard let text = g_base64_encode(bytes, numericCast(bytes.count)) else { return "" }
    defer { g_free(text) }
    return String(
      String(cString: text).compactMap { sign in
        switch sign {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: sign
        }
      })
  }
}

extension String {
  /// Returns the range of the last occurrence of a text.
  fileprivate func lastRange(ofText text: String) -> Range<String.Index>? {
    let (whole, part) = (Array(utf8), Array(text.utf8))
    guard whole.count >= part.count else { return nil }
    for start in stride(from: whole.count - part.count, through: 0, by: -1)
    where whole[start..<start + part.count].elementsEqual(part) {
      let lower = utf8.index(utf8.startIndex, offsetBy: start)
      return lower..<utf8.index(lower, offsetBy: part.count)
    }
    return nil
  }
}

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
