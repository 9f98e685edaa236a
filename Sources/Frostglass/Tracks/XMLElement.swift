/// An element of an XML document, as much of XML as annotation tools write: elements, attributes, text,
/// comments and the five characters with names. No document types, so no entities of anyone's own.
struct XMLElement {
  var name = ""
  var attributes: [String: String] = [:]
  var children: [XMLElement] = []
  /// The text in it, without space around it.
  var text = ""
  /// Where it begins.
  var place = TextPosition(column: 1)

  /// Reads a document.
  ///
  /// - Throws: `RegionsError.malformed` for what is not well formed.
  init(_ text: String) throws(RegionsError) {
    var reader = XMLReader(text)
    self = try reader.document()
  }

  fileprivate init(name: String, at place: TextPosition) {
    self.name = name
    self.place = place
  }

  func error(_ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}

/// Goes through the bytes of a document.
private struct XMLReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lineStart = 0

  /// Elements in elements; more is an attack.
  private static let deepest = 64

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func document() throws(RegionsError) -> XMLElement {
    try skipProlog()
    let root = try element(depth: 0)
    try skipProlog()
    guard position == bytes.count else { throw error("there is more after the document's end") }
    return root
  }

  private var place: TextPosition {
    TextPosition(line: line, column: position - lineStart + 1)
  }

  private func error(_ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }

  private func isNext(_ word: StaticString) -> Bool {
    guard bytes.count - position >= word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + $0.count]) }
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count {
      if bytes[position] == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position + 1) }
      position += 1
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { advance() }
  }

  /// Goes past a word's next place.
  private mutating func skip(past word: StaticString) throws(RegionsError) {
    while position < bytes.count {
      if isNext(word) { return advance(word.utf8CodeUnitCount) }
      advance()
    }
    throw error("the text ends before \(word)")
  }

  /// What stands beside the root element.
  private mutating func skipProlog() throws(RegionsError) {
    while true {
      skipSpace()
      if isNext("<?") {
        try skip(past: "?>")
      } else if isNext("<!--") {
        try skip(past: "-->")
      } else if isNext("<!") {
        throw error("document types are not read")
      } else {
        return
      }
    }
  }

  private mutating func name() throws(RegionsError) -> String {
    let start = position
    while position < bytes.count, !" \t\r\n=/><\"'".utf8.contains(bytes[position]) { advance() }
    guard position > start else { throw error("a name was expected") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func element(depth: Int) throws(RegionsError) -> XMLElement {
    guard isNext("<") else { throw error("an element was expected") }
    guard depth < Self.deepest else { throw error("elements are nested more than 64 deep") }
    var element = XMLElement(name: "", at: place)
    advance()
    element.name = try name()
    while true {
      skipSpace()
      if isNext("/>") {
        advance(2)
        return element
      }
      if isNext(">") {
        advance()
        break
      }
      let attribute = try name()
      guard element.attributes[attribute] == nil else { throw error("\(attribute) is given twice") }
      skipSpace()
      guard isNext("=") else { throw error("= was expected after \(attribute)") }
      advance()
      skipSpace()
      element.attributes[attribute] = try quoted()
    }
    try fill(&element, depth)
    return element
  }

  /// Reads what is in an element, and its end.
  private mutating func fill(_ element: inout XMLElement, _ depth: Int) throws(RegionsError) {
    var text: [UInt8] = []
    while position < bytes.count {
      if isNext("</") {
        advance(2)
        let end = try name()
        guard end == element.name else {
          throw error("\(element.name) was expected to end, not \(end)")
        }
        skipSpace()
        guard isNext(">") else { throw error("> was expected") }
        advance()
        let space = Set<UInt8>([9, 10, 13, 32])
        let trimmed = text.drop { space.contains($0) }
        let last = trimmed.lastIndex { !space.contains($0) } ?? trimmed.startIndex - 1
        element.text = String(decoding: trimmed[..<(last + 1)], as: UTF8.self)
        return
      }
      if isNext("<!--") {
        try skip(past: "-->")
      } else if isNext("<![CDATA[") {
        advance(9)
        let start = position
        try skip(past: "]]>")
        text += bytes[start..<position - 3]
      } else if isNext("<") {
        element.children.append(try self.element(depth: depth + 1))
      } else {
        try character(into: &text)
      }
    }
    throw error("\(element.name) does not end")
  }

  private mutating func quoted() throws(RegionsError) -> String {
    guard isNext("\"") || isNext("'") else { throw error("a quote was expected") }
    let quote = bytes[position]
    advance()
    var text: [UInt8] = []
    while position < bytes.count, bytes[position] != quote {
      guard !isNext("<") else { throw error("< stands in a value") }
      try character(into: &text)
    }
    guard position < bytes.count else { throw error("the closing quote is missing") }
    advance()
    return String(decoding: text, as: UTF8.self)
  }

  /// A byte as it is, or a character with a name or number.
  private mutating func character(into text: inout [UInt8]) throws(RegionsError) {
    guard isNext("&") else {
      text.append(bytes[position])
      return advance()
    }
    let rest = bytes[position...].prefix(12)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw error("& stands alone") }
    let word = String(decoding: rest[(position + 1)..<end], as: UTF8.self)
    let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    if let sign = known[word] {
      text += Array(sign.utf8)
    } else {
      let isHex = word.hasPrefix("#x")
      guard word.hasPrefix("#"),
        let number = UInt32(word.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
        let scalar = Unicode.Scalar(number)
      else { throw error("there is no character &\(word);") }
      text += Array(String(Character(scalar)).utf8)
    }
    advance(end - position + 1)
  }
}
