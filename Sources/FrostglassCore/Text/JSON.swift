/// A JSON value that knows where it stands, so that what is wrong with it can be shown.
package struct JSONValue: Sendable, Hashable {
  /// A name with its value.
  package struct Member: Sendable, Hashable {
    package var name: String
    /// Where the name stands.
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
  /// - Parameter hasPaths: whether half a character is a path's byte that is no UTF-8, as in
  ///   `String.jsonPath`.
  /// - Throws: `JSONError`, also for a name that is given twice and for values more than 64 deep.
  package init(text: String, hasPaths: Bool = false) throws(JSONError) {
    var reader = JSONReader(text, hasPaths)
    self = try reader.document()
  }

  init(_ content: Content, at place: TextPosition) {
    self.content = content
    self.place = place
  }

  /// What kind of value it is, with an article.
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
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private(set) var place = TextPosition(column: 1)
  private var depth = 0
  private let hasPaths: Bool

  /// A mark of the byte order in front is no part of the text, as RFC 8259 allows.
  init(_ text: String, _ hasPaths: Bool) {
    self.hasPaths = hasPaths
    let all = Array(text.unicodeScalars)
    scalars = all.first == "\u{FEFF}" ? Array(all.dropFirst()) : all
  }

  /// The text's one value.
  mutating func document() throws(JSONError) -> JSONValue {
    skipSpace()
    let value = try value()
    skipSpace()
    guard next == nil else { throw error("there is more after the end: \(found)") }
    return value
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// What stands here, for messages.
  private var found: String {
    guard let next else { return "the text ends" }
    return next.value < 32 ? "a control character" : "found \(next)"
  }

  private func error(_ reason: String) -> JSONError { JSONError(place, reason) }

  private mutating func advance() {
    let isLineEnd = scalars[position] == "\n"
    position += 1
    place.column += 1
    if isLineEnd { place = TextPosition(line: place.line + 1, column: 1) }
  }

  private mutating func skipSpace() {
    while let next, [" ", "\t", "\n", "\r"].contains(next) { advance() }
  }

  /// Goes past a sign, with space around it.
  private mutating func accept(_ sign: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == sign else { return false }
    advance()
    skipSpace()
    return true
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    let start = place
    guard let next else { throw error("a value was expected, but \(found)") }
    let content: JSONValue.Content
    switch next {
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
    var names: Set<String> = []
    if accept("}") { return members }
    while true {
      guard next == "\"" else { throw error("a name in quotes was expected, but \(found)") }
      let start = place
      let name = try string()
      guard names.insert(name).inserted else {
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
    var word = ""
    while let next, ("a"..."z").contains(next) {
      word.unicodeScalars.append(next)
      advance()
    }
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: throw JSONError(start, "a value was expected, but found \(word); texts need quotes")
    }
  }

  private mutating func number() throws(JSONError) -> Double {
    let start = place
    var text = ""
    while let next, "+-.eE0123456789".unicodeScalars.contains(next) {
      text.unicodeScalars.append(next)
      advance()
    }
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
    var text = String.UnicodeScalarView()
    while let sign = next {
      switch sign {
      case "\"":
        advance()
        return String(text)
      case "\\": text.append(try escaped())
      case "\u{0}"..."\u{1F}":
        throw sign == "\n"
          ? JSONError(start, "a closing quote is missing in this line")
          : error("a control character stands in a text; write it as an escape, such as \\t")
      default:
        text.append(sign)
        advance()
      }
    }
    throw JSONError(start, "the closing quote is missing")
  }

  private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
    let start = place
    advance()
    guard let sign = next else { throw error("the text ends within an escape") }
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
    guard next == "\\" else { throw JSONError(start, "this is half a character") }
    advance()
    guard next == "u" else { throw JSONError(start, "this is half a character") }
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
      guard let sign = next, let digit = Character(sign).hexDigitValue else {
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
