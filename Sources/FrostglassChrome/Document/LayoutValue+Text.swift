internal import FrostglassCore

extension LayoutValue {
  /// A number of points, or a text such as `bar.right - 16`, `title.bottom + 8` or
  /// `bar.width * 0.5 + 10`.
  init(_ value: DocumentValue) throws(DocumentError) {
    if case .number = value.value.content {
      self = .points(try value.number(in: DocumentValue.coordinates))
      return
    }
    guard case .string(let text) = value.value.content else { throw Self.wrong(value) }
    var words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, let dot = first.lastIndex(of: ".") else {
      throw Self.wrong(value)
    }
    let (owner, name) = (String(first[..<dot]), String(first[first.index(after: dot)...]))
    guard let line = LayoutLine(rawValue: name) else {
      let lines = LayoutLine.allCases.map(\.rawValue)
      throw value.error(
        "names \(name), which is no line" + DidYouMean.hint(for: name, in: lines)
          + "; lines are \(lines.joined(separator: ", "))")
    }
    words.removeFirst()
    let factor = try Self.number(after: ["*"], in: &words, value) ?? 1
    let offset = try Self.number(after: ["+", "-"], in: &words, value) ?? 0
    guard words.isEmpty, !owner.isEmpty else { throw Self.wrong(value) }
    self.init(
      anchor: owner == "bar" ? .bar(line) : .item(owner, line), factor: factor, offset: offset)
  }

  /// The number behind one of some signs, which are taken away.
  private static func number(
    after signs: [Substring], in words: inout [Substring], _ value: DocumentValue
  ) throws(DocumentError) -> Double? {
    guard let sign = words.first, signs.contains(sign) else { return nil }
    guard words.count >= 2, let number = Double(words[1]), DocumentValue.coordinates ~= number
    else { throw wrong(value) }
    words.removeFirst(2)
    return sign == "-" ? -number : number
  }

  private static func wrong(_ value: DocumentValue) -> DocumentError {
    value.wrong(
      "a number of points, or such as \"bar.right - 16\", \"title.bottom + 8\" or "
        + "\"bar.width * 0.5 + 10\"")
  }
}
