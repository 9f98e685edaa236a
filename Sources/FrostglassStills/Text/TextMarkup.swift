/// A text as Pango markup that shows exactly that text.
struct TextMarkup {
  /// The text with what means something in markup escaped.
  let markup: String

  /// A word joiner, which takes no room. It is in the style's own font, so a line is never lower than
  /// that, also where all its letters come from another.
  private static let strut = "\u{2060}"

  init(_ text: some StringProtocol) {
    var markup = Self.strut
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": markup += "&amp;"
      case "<": markup += "&lt;"
      case ">": markup += "&gt;"
      case "\r": continue
      case "\n": markup += "\n" + Self.strut
      case "\t": markup.unicodeScalars.append(scalar)
      // Markup has no place for other control characters, and C text none for 0.
      case _ where scalar.properties.generalCategory == .control: markup += " "
      default: markup.unicodeScalars.append(scalar)
      }
    }
    self.markup = markup
  }

  /// The same text, taking its room, without ink: 1/65535 of full coverage rounds to none.
  var hidden: String { "<span alpha=\"1\">\(markup)</span>" }

  /// A bar behind each line, from its beginning to its end, instead of the text. Without the
  /// underline, the picture would end where the ink does.
  var bars: String {
    "<span alpha=\"1\" underline=\"single\" background=\"#000000\">\(markup)</span>"
  }
}
