/// One option of a command: the row that parsing, help and error texts read.
struct Option: Sendable {
  /// Without the leading hyphens.
  var name: String
  /// A single letter, if there is one.
  var letter: Character?
  /// What the value is called in help; `nil` for a switch.
  var value: String?
  var help: String

  init(_ name: String, letter: Character? = nil, value: String? = nil, _ help: String) {
    self.name = name
    self.letter = letter
    self.value = value
    self.help = help
  }

  static let help = Option("help", letter: "h", "Show this help")
}
