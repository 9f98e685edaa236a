/// A font's name as Pango reads it, without a size: families separated by commas, then words for its
/// style, and behind an @ the settings of a variable font.
///
/// Source: the documentation of `pango_font_description_from_string`.
package struct FontName: Sendable, Hashable {
  /// As they were written; none where there are only words for a style, which stand for the system's
  /// font.
  package let families: [String]

  /// Reads a name.
  package init(_ text: String) {
    let name = text.prefix { $0 != "@" }
    var words = name.split(whereSeparator: \.isWhitespace)
    // Behind a comma there may be a style alone.
    while let last = words.last, Self.isStyle(last) { words.removeLast() }
    families = words.joined(separator: " ").split(separator: ",").map { family in
      family.split(separator: " ").joined(separator: " ")
    }.filter { !$0.isEmpty }
  }

  /// Whether a word is one for a style, with or without its hyphens.
  package static func isStyle(_ word: some StringProtocol) -> Bool {
    styles.contains { $0.replacing("-", with: "") == word.lowercased().replacing("-", with: "") }
  }

  /// The words for styles, weights, widths, capitals and directions.
  package static let styles = [
    "normal", "roman", "oblique", "italic",
    "thin", "ultra-light", "extra-light", "light", "semi-light", "demi-light", "book", "regular",
    "medium", "semi-bold", "demi-bold", "bold", "ultra-bold", "extra-bold", "heavy", "black",
    "ultra-heavy", "extra-heavy", "ultra-black", "extra-black",
    "ultra-condensed", "extra-condensed", "condensed", "semi-condensed", "semi-expanded",
    "expanded", "extra-expanded", "ultra-expanded",
    "small-caps", "all-small-caps", "petite-caps", "all-petite-caps", "unicase", "title-caps",
    "not-rotated", "south", "upside-down", "north", "rotated-left", "east", "rotated-right", "west",
  ]
}
