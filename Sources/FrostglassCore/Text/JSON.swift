/// A JSON value that knows where it stands, so that what is wrong with it can be shown.
package struct JSONValue: Sendable, Hashable {
  /// A name with its value.
  package struct Member: Sendable, Hashable {
    package var name: String
    /// The position of the name.
    package var place: TextPosition
    package var value: JSONValue
  }

  package enum Content: Sendable, Hashable {
    /// In the order they are written; every name once.
    case object([Member])
    case array([JSONValue])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
  }

  package var content: Content
  package var place: TextPosition

  /// Reads a text with one value, as RFC 8259 has it.
  ///
  /// - Parameters:
  ///   - hasPaths: true accepts half a character as a path's byte that is not UTF-8, as in `String.jsonPath`.
  ///   - most: values that the text may have, those in others counted too.
  /// - Throws: `JSONError`, also for a name that is given twice and for values more than 64 deep.
  package init(text: String, hasPaths: Bool = false, most: Int = .max) throws(JSONError) {
    var reader = JSONReader(text, hasPaths, most)
    self = try reader.document()
  }

  init(_ content: Content, at place: TextPosition) {
    self.content = content
    self.place = place
  }

  /// The kind of the value, with an article.
  package var kind: String {
    switch content {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}

/// Why a text is not JSON, and where.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  package var place: TextPosition
  package var reason: String

  package init(_ place: TextPosition, _ reason: String) {
    self.place = place
    self.reason = reason
  }

  package var description: String { "\(place.short): \(reason)" }
}

/// Reads JSON (RFC 8259) and keeps count of lines and columns.
private struct JSONReader {
  /// UTF-8; what means something in JSON is ASCII.
  private let bytes: [UInt8]
  private var position = 0
  private(set) var place = TextPosition(column: 1)
  private var depth = 0
  private let hasPaths: Bool
  private let most: Int
  private var count = 0

  /// A mark of the byte order in front is no part of the text, as RFC 8259 allows.
  init(_ text: String, _ hasPaths: Bool, _ most: Int) {
    self.hasPaths = hasPaths
    self.most = most
    bytes = Array(text.utf8)
    if bytes.starts(with: "\u{FEFF}".utf8) { position = 3 }
  }

  /// The text's one value.
  mutating func document() throws(JSONError) -> JSONValue {
    skipSpace()
    let value = try value()
    skipSpace()
    guard next == nil else { throw error("there is more after the end: \(found)") }
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The character at the position, for messages.
  private var found: String {
    guard let next else { return "the text ends" }
    return next < 32 ? "a control character" : "found \(character(at: position))"
  }

  private func character(at position: Int) -> Unicode.Scalar {
    // A character has 1 to 4 bytes.
    String(decoding: bytes[position...].prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
  }

  private func error(_ reason: String) -> JSONError { JSONError(place, reason) }

  private mutating func advance() {
    let byte = bytes[position]
    position += 1
    if byte == Self.lineEnd {
      place = TextPosition(line: place.line + 1, column: 1)
    } else if byte & 0xC0 != 0x80 {
      // Continuation bytes do not count.
      place.column += 1
    }
  }

  private static let lineEnd = UInt8(ascii: "\n")

  private mutating func skipSpace() {
    while let next, next == 0x20 || next == 0x09 || next == Self.lineEnd || next == 0x0D {
      advance()
    }
  }

  /// Goes past a sign, with space around it.
  private mutating func accept(_ sign: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: sign) else { return false }
    advance()
    skipSpace()
    return true
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    let start = place
    guard let next else { throw error("a value was expected, but \(found)") }
    count += 1
    guard count <= most else { throw error("more than \(most) values; split the file") }
    if count % 1024 == 0, ReadingTime.isOver { throw error(ReadingTime.words) }
    let content: JSONValue.Content
    switch Unicode.Scalar(next) {
    case "{": content = .object(try nested { reader throws(JSONError) in try reader.members() })
    case "[": content = .array(try nested { reader throws(JSONError) in try reader.elements() })
    case "\"": content = .string(try string())
    case "-", "0"..."9": content = .number(try number())
    case "a"..."z": content = try word()
    default: throw error("a value was expected, but \(found)")
    }
    return JSONValue(content, at: start)
  }

  private mutating func nested<Content>(
    _ body: (inout JSONReader) throws(JSONError) -> Content
  ) throws(JSONError) -> Content {
    guard depth < 64 else { throw error("values are nested more than 64 deep") }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  private mutating func members() throws(JSONError) -> [JSONValue.Member] {
    _ = accept("{")
    var members: [JSONValue.Member] = []
    // Among few names a linear search is faster.
    var names: Set<String> = []
    if accept("}") { return members }
    while true {
      guard next == UInt8(ascii: "\"") else {
        throw error("a name in quotes was expected, but \(found)")
      }
      let start = place
      let name = try string()
      if members.count == 8 { names = Set(members.map(\.name)) }
      let isKnown =
        members.count < 8
        ? members.contains { $0.name == name } : !names.insert(name).inserted
      guard !isKnown else {
        throw JSONError(start, "\(name) is given twice")
      }
      guard accept(":") else { throw error("a colon was expected after \(name), but \(found)") }
      members.append(JSONValue.Member(name: name, place: start, value: try value()))
      if accept("}") { return members }
      guard accept(",") else { throw error("a comma or } was expected, but \(found)") }
    }
  }

  private mutating func elements() throws(JSONError) -> [JSONValue] {
    _ = accept("[")
    var elements: [JSONValue] = []
    if accept("]") { return elements }
    while true {
      elements.append(try value())
      if accept("]") { return elements }
      guard accept(",") else { throw error("a comma or ] was expected, but \(found)") }
    }
  }

  private mutating func word() throws(JSONError) -> JSONValue.Content {
    let start = place
    let word = text(of: UInt8(ascii: "a")...UInt8(ascii: "z"))
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: throw JSONError(start, "a value was expected, but found \(word); texts need quotes")
    }
  }

  /// Goes past signs of a few kinds.
  private mutating func text(of signs: some Sequence<UInt8>) -> String {
    let start = position
    while let next, signs.contains(next) { advance() }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func number() throws(JSONError) -> Double {
    let start = place
    let text = text(of: "+-.eE0123456789".utf8)
    // JSON knows no leading zeros, and a digit stands on both sides of a point.
    let digits = text.drop { $0 == "-" }
    let isPlain =
      !(digits.count > 1 && digits.first == "0" && digits.dropFirst().first?.isNumber == true)
      && digits.first?.isNumber == true && text.last?.isNumber == true
      && !text.contains(".e") && !text.contains(".E")
    guard isPlain, let number = Double(text), number.isFinite else {
      throw JSONError(start, "\(text) is not a number")
    }
    return number
  }

  /// A text in quotes.
  private mutating func string() throws(JSONError) -> String {
    let start = place
    advance()
    // What comes before the first escape, or between two of them, is taken at once.
    var text: [UInt8] = []
    var first = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        let rest = bytes[first..<position]
        advance()
        if text.isEmpty { return String(decoding: rest, as: UTF8.self) }
        return String(decoding: text + rest, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += bytes[first..<position]
        text += try UTF8.encode(escaped()) ?? UTF8.encodedReplacementCharacter
        first = position
      case 0..<0x20:
        throw byte == Self.lineEnd
          ? JSONError(start, "a closing quote is missing in this line")
          : error("a control character stands in a text; write it as an escape, such as \\t")
      default: advance()
      }
    }
    throw JSONError(start, "the closing quote is missing")
  }

  private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
    let start = place
    advance()
    guard next != nil else { throw error("the text ends within an escape") }
    let sign = character(at: position)
    advance()
    switch sign {
    case "\"", "\\", "/": return sign
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return try unicode(from: start)
    default: throw JSONError(start, "there is no escape \\\(sign)")
    }
  }

  /// The rest of `\uXXXX`, or of two of them that make up one character.
  private mutating func unicode(from start: TextPosition) throws(JSONError) -> Unicode.Scalar {
    let high = try fourDigits(from: start)
    guard (0xD800..<0xDC00).contains(high) else {
      if hasPaths, let byte = Unicode.Scalar(strayByteOfJSON: high) { return byte }
      guard let scalar = Unicode.Scalar(high) else {
        throw JSONError(start, "this is half a character")
      }
      return scalar
    }
    guard next == UInt8(ascii: "\\") else { throw JSONError(start, "this is half a character") }
    advance()
    guard next == UInt8(ascii: "u") else { throw JSONError(start, "this is half a character") }
    advance()
    let low = try fourDigits(from: start)
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    else { throw JSONError(start, "this is half a character") }
    return scalar
  }

  private mutating func fourDigits(from start: TextPosition) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let next, let digit = Character(Unicode.Scalar(next)).hexDigitValue else {
        throw JSONError(start, "four hexadecimal digits were expected after \\u")
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    return value
  }
}

/// Writes JSON.
package enum JSONText {
  package static func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// - Parameter members: names and values that are JSON already.
  package static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(string($0)):\($1)" }.joined(separator: ",") + "}"
  }

  /// - Parameter elements: JSON already.
  package static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }
}
