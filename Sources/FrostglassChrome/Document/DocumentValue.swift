internal import FrostglassCore

/// A value of a document with its path, and ways to read it as something.
struct DocumentValue {
  let value: JSONValue
  let path: String

  /// The error that it is not what was wanted.
  func wrong(_ accepted: String) -> DocumentError {
    DocumentError(value.place, path, "must be \(accepted), not \(shown)")
  }

  func error(_ reason: String) -> DocumentError { DocumentError(value.place, path, reason) }

  /// The value as messages show it: what is short as it is.
  private var shown: String {
    switch value.content {
    case .string(let text) where text.count <= 60: "\"\(text)\""
    case .number(let number): "\(number)"
    case .bool(let bool): "\(bool)"
    default: value.kind
    }
  }

  func object() throws(DocumentError) -> DocumentObject {
    guard case .object(let members) = value.content else { throw wrong("an object") }
    return DocumentObject(members, path: path, place: value.place)
  }

  func array() throws(DocumentError) -> [DocumentValue] {
    guard case .array(let values) = value.content else { throw wrong("an array") }
    return values.enumerated().map { DocumentValue(value: $1, path: "\(path)[\($0)]") }
  }

  func text() throws(DocumentError) -> String {
    guard case .string(let text) = value.content else { throw wrong("a string") }
    return text
  }

  func bool() throws(DocumentError) -> Bool {
    guard case .bool(let bool) = value.content else { throw wrong("true or false") }
    return bool
  }

  func number(in range: ClosedRange<Double>) throws(DocumentError) -> Double {
    guard case .number(let number) = value.content, range.contains(number) else {
      throw wrong("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// As many numbers as there are names.
  func numbers(
    _ names: [String], in range: ClosedRange<Double>
  ) throws(DocumentError) -> [Double] {
    guard case .array(let values) = value.content, values.count == names.count else {
      throw wrong("[\(names.joined(separator: ", "))]")
    }
    var numbers: [Double] = []
    for value in try array() { numbers.append(try value.number(in: range)) }
    return numbers
  }

  func color() throws(DocumentError) -> Color {
    guard case .string(let text) = value.content, let color = Color(text: text) else {
      throw wrong("a CSS color such as \"#1c1c1e\" or \"rgba(0, 0, 0, 0.4)\"")
    }
    return color
  }

  func filters() throws(DocumentError) -> FilterChain {
    let text = try text()
    do { return try FilterChain(text: text) } catch { throw self.error("\(error)") }
  }

  func frame() throws(DocumentError) -> LayoutRect {
    let numbers = try numbers(["x", "y", "width", "height"], in: DocumentValue.coordinates)
    guard numbers[2] >= 0, numbers[3] >= 0 else {
      throw error("has a width of \(numbers[2]) and a height of \(numbers[3]); neither is below 0")
    }
    return LayoutRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// One of the words of a choice.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ type: Choice.Type
  ) throws(DocumentError) -> Choice where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    guard case .string(let text) = value.content, let choice = Choice(rawValue: text) else {
      let hint: String =
        if case .string(let text) = value.content { DidYouMean.hint(for: text, in: words) } else {
          ""
        }
      throw error(wrong(words.joined(separator: ", ")).reason + hint)
    }
    return choice
  }

  /// A curve by its name, or `[x1, y1, x2, y2]`.
  func easing() throws(DocumentError) -> Easing {
    if case .string(let name) = value.content {
      let named: [String: Easing] = [
        "linear": .linear, "easeIn": .easeIn, "easeOut": .easeOut, "easeInOut": .easeInOut,
      ]
      guard let easing = named[name] else {
        let hint = DidYouMean.hint(for: name, in: named.keys.sorted())
        throw error(wrong("linear, easeIn, easeOut, easeInOut or [x1, y1, x2, y2]").reason + hint)
      }
      return easing
    }
    let numbers = try numbers(["x1", "y1", "x2", "y2"], in: -1000...1000)
    do {
      return try .cubicBezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
    } catch { throw self.error("\(error)") }
  }

  /// Points and offsets.
  static let coordinates = -1_000_000.0...1_000_000.0
}
