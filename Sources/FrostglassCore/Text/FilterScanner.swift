/// Splits a filter text into calls: a name and the texts of its arguments.
struct FilterScanner {
  /// `name(argument, argument)`.
  struct Call {
    var name: String
    /// Where the name begins, from 1.
    var column: Int
    var arguments: [String]
  }

  private let characters: [Character]
  private var position = 0

  init(_ text: String) {
    characters = Array(text)
  }

  /// The next call, or `nil` at the end.
  mutating func nextCall() throws(FilterTextError) -> Call? {
    skipSpace()
    guard position < characters.count else { return nil }
    let column = position + 1
    let name = scanName()
    guard !name.isEmpty else {
      throw .expectedName(found: String(characters[position]), column: column)
    }
    guard position < characters.count, characters[position] == "(" else {
      throw .missingOpening(filter: name, column: position + 1)
    }
    let opening = position + 1
    position += 1
    return Call(name: name, column: column, arguments: try scanArguments(of: name, opening))
  }

  private mutating func skipSpace() {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
  }

  private mutating func scanName() -> String {
    let start = position
    while position < characters.count,
      characters[position].isLetter || characters[position].isNumber || characters[position] == "-"
    {
      position += 1
    }
    return String(characters[start..<position])
  }

  /// The arguments up to the closing parenthesis; commas inside `rgb(…)` do not separate.
  private mutating func scanArguments(
    of name: String, _ opening: Int
  ) throws(FilterTextError) -> [String] {
    var arguments: [String] = []
    var depth = 0
    var start = position
    while position < characters.count {
      let character = characters[position]
      position += 1
      switch character {
      case "(": depth += 1
      case ")" where depth > 0: depth -= 1
      case ")":
        let last = trimmed(Substring(String(characters[start..<position - 1])))
        if !last.isEmpty || !arguments.isEmpty { arguments.append(last) }
        return arguments
      case "," where depth == 0:
        arguments.append(trimmed(Substring(String(characters[start..<position - 1]))))
        start = position
      default: break
      }
    }
    throw .missingClosing(filter: name, column: opening)
  }
}
