/// Walks through a filter text: names, calls and marks, with where they are.
struct FilterScanner {
  /// `name(argument, argument)`.
  struct Call {
    var name: String
    var position: TextPosition
    var arguments: [Argument]
  }

  /// The text of one argument.
  struct Argument {
    var text: String
    var position: TextPosition
  }

  /// The text with comments blanked, so that places stay what they are.
  private let characters: [Character]
  private var index = 0

  init(_ text: String) throws(FilterTextError) {
    characters = try Self.blankingComments(Array(text))
  }

  /// Where the scanner is.
  var position: TextPosition { Self.position(of: index, in: characters) }

  /// What comes next, as a message would show it; `nil` at the end.
  var next: Character? { index < characters.count ? characters[index] : nil }

  /// Refuses a rule with its selector and braces.
  func refuseBlocks() throws(FilterTextError) {
    guard let brace = characters.firstIndex(where: { $0 == "{" || $0 == "}" }) else { return }
    throw FilterTextError(.block, Self.position(of: brace, in: characters))
  }

  mutating func skipSpace() {
    while let next, next.isWhitespace { index += 1 }
  }

  /// Takes `character` and the space around it, if it comes next.
  mutating func take(_ character: Character) -> Bool {
    skipSpace()
    guard next == character else { return false }
    index += 1
    skipSpace()
    return true
  }

  /// Takes a name; empty where there is none.
  mutating func takeName() -> String {
    let start = index
    while let next, next.isLetter || next.isNumber || next == "-" || next == "_" { index += 1 }
    return String(characters[start..<index])
  }

  /// Takes a name that `mark` follows, as in `filter:`; else takes nothing.
  mutating func takeName(before mark: Character) -> String? {
    let start = index
    let name = takeName()
    if !name.isEmpty, take(mark) { return name }
    index = start
    return nil
  }

  /// Takes a word that is no call; else takes nothing.
  mutating func takeWord() -> String? {
    let start = index
    let name = takeName()
    if !name.isEmpty, next != "(" { return name }
    index = start
    return nil
  }

  /// The next call, or `nil` at the end, before `;` and before `!`.
  mutating func nextCall() throws(FilterTextError) -> Call? {
    skipSpace()
    guard let next, next != ";", next != "!" else { return nil }
    let start = position
    let name = takeName()
    guard !name.isEmpty else { throw FilterTextError(.expectedName(found: String(next)), start) }
    guard self.next == "(" else { throw FilterTextError(.missingOpening(filter: name), position) }
    let opening = position
    index += 1
    return Call(name: name, position: start, arguments: try takeArguments(of: name, opening))
  }

  /// The arguments up to the closing parenthesis; commas inside `rgb(…)` do not separate.
  private mutating func takeArguments(
    of name: String, _ opening: TextPosition
  ) throws(FilterTextError) -> [Argument] {
    var arguments: [Argument] = []
    var depth = 0
    var start = index
    while let character = next {
      index += 1
      switch character {
      case "(": depth += 1
      case ")" where depth > 0: depth -= 1
      case ")":
        let last = argument(start..<index - 1)
        if !last.text.isEmpty || !arguments.isEmpty { arguments.append(last) }
        return arguments
      case "," where depth == 0:
        arguments.append(argument(start..<index - 1))
        start = index
      default: break
      }
    }
    throw FilterTextError(.missingClosing(filter: name), opening)
  }

  /// A run of characters without the space at both ends.
  private func argument(_ range: Range<Int>) -> Argument {
    let start = range.first { !characters[$0].isWhitespace } ?? range.upperBound
    let text = trimmed(Substring(String(characters[start..<range.upperBound])))
    return Argument(text: text, position: Self.position(of: start, in: characters))
  }

  /// Where the character at `index` stands.
  private static func position(of index: Int, in characters: [Character]) -> TextPosition {
    let before = characters[..<min(index, characters.count)]
    let line = before.reduce(1) { $0 + ($1.isNewline ? 1 : 0) }
    let start = before.lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
    return TextPosition(line: line, column: index - start + 1)
  }

  /// Replaces each comment by spaces; line ends in it stay.
  private static func blankingComments(
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

/// A place in a text, counted from 1 in characters as a person sees them.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  public var line: Int
  /// From 1.
  public var column: Int

  /// A place in a text; in its first line where none is given.
  public init(line: Int = 1, column: Int) {
    self.line = line
    self.column = column
  }

  /// `column 7`; `line 2, column 7` from the second line on.
  public var description: String {
    line == 1 ? "column \(column)" : "line \(line), column \(column)"
  }

  /// `3:12`, as behind a file's name.
  package var short: String { "\(line):\(column)" }
}

/// The text without white space at both ends.
package func trimmed(_ text: Substring) -> String {
  let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
  let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? start
  return String(text[start..<end])
}
