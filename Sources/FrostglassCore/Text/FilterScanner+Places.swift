extension FilterScanner {
  /// Where the character at `index` stands.
  static func position(of index: Int, in characters: [Character]) -> TextPosition {
    let before = characters[..<min(index, characters.count)]
    let line = before.reduce(1) { $0 + ($1.isNewline ? 1 : 0) }
    let start = before.lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
    return TextPosition(line: line, column: index - start + 1)
  }

  /// Replaces each comment by spaces; line ends in it stay.
  static func blankingComments(
    _ text: [Character]
  ) throws(FilterTextError) -> [Character] {
    var result = text
    var index = 0
    while index + 1 < text.count {
      guard text[index] == "/", text[index + 1] == "*" else {
        index += 1
        continue
      }
      let start = index
      index += 2
      while index + 1 < text.count, text[index] != "*" || text[index + 1] != "/" { index += 1 }
      guard index + 1 < text.count else {
        throw FilterTextError(.openComment, position(of: start, in: text))
      }
      index += 2
      for place in start..<index where !text[place].isNewline { result[place] = " " }
    }
    return result
  }
}
