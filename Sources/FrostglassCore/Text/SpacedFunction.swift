/// A CSS function whose arguments are separated by spaces, in more than one order.
protocol SpacedFunction: CSSFunction {
  /// Says which parameter each word is for; gives those that CSS leaves out their CSS defaults.
  static func named(_ words: [String]) throws(SpacedMistake) -> [(name: String, text: String)]
}

/// What is wrong with the words of a spaced function.
struct SpacedMistake: Error {
  var text: String

  init(_ text: String) { self.text = text }
}

extension FilterScanner.Argument {
  /// The runs between spaces; those inside parentheses do not separate.
  var words: [String] {
    var words: [String] = []
    var word = ""
    var depth = 0
    for character in text {
      if character.isWhitespace, depth == 0 {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      word.append(character)
    }
    return word.isEmpty ? words : words + [word]
  }
}
