internal import CFontconfig

/// The fonts that there are here, as fontconfig knows them.
///
/// It finds a font for every name and a box for every character, so what is missing has to be asked
/// for.
package enum InstalledFonts {
  /// Names that stand for whatever font the system has for them.
  private static let generic: Set = [
    "sans", "sans-serif", "sans serif", "serif", "mono", "monospace", "system-ui", "cursive",
    "fantasy", "emoji", "math",
  ]

  /// Returns true if a font is available for this family name.
  package static func has(family: String) -> Bool {
    generic.contains(family.lowercased()) || !matches { add(family: family, to: $0) }.isEmpty
  }

  /// The names of all families, in order.
  package static var families: [String] { Set(matches { _ in }).sorted() }

  /// The family that stands in for one that is not there; `nil` where there are no fonts.
  package static func substitute(for family: String) -> String? {
    withBest(for: family) { text($0, FC_FAMILY) } ?? nil
  }

  /// The characters of a text that no font has, each once, in order of the text.
  ///
  /// - Parameter families: looked at first, which saves a look at all.
  package static func missing(in text: String, _ families: [String]) -> [Unicode.Scalar] {
    var seen: Set<Unicode.Scalar> = []
    let shown = text.unicodeScalars.filter { isShown($0) && seen.insert($0).inserted }
    let uncovered =
      withBest(for: families.first ?? "sans") { font in
        shown.filter { !covers(font, $0) }
      } ?? shown
    return uncovered.filter { character in
      matches { add(character, to: $0) }.isEmpty
    }
  }

  /// Returns true if a character needs a glyph.
  private static func isShown(_ character: Unicode.Scalar) -> Bool {
    let properties = character.properties
    guard !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint else { return false }
    return properties.generalCategory != .control && properties.generalCategory != .format
  }
}

// What is asked of fontconfig.
extension InstalledFonts {
  /// The families of the fonts that are as a pattern says.
  private static func matches(_ describe: (OpaquePointer) -> Void) -> [String] {
    guard let pattern = FcPatternCreate() else { return [] }
    defer { FcPatternDestroy(pattern) }
    describe(pattern)
    let wanted = FcObjectSetCreate()
    defer { FcObjectSetDestroy(wanted) }
    FcObjectSetAdd(wanted, FC_FAMILY)
    guard let found = FcFontList(nil, pattern, wanted) else { return [] }
    defer { FcFontSetDestroy(found) }
    return (0..<Int(found.pointee.nfont)).compactMap { index in
      found.pointee.fonts[index].map { text($0, FC_FAMILY) ?? "" }
    }
  }

  /// Does something with the font that fontconfig takes for a family.
  private static func withBest<Value>(for family: String, _ body: (OpaquePointer) -> Value)
    -> Value?
  {
    guard let pattern = FcPatternCreate() else { return nil }
    defer { FcPatternDestroy(pattern) }
    add(family: family, to: pattern)
    FcConfigSubstitute(nil, pattern, FcMatchPattern)
    FcDefaultSubstitute(pattern)
    var result = FcResultMatch
    guard let font = FcFontMatch(nil, pattern, &result) else { return nil }
    defer { FcPatternDestroy(font) }
    return body(font)
  }

  private static func add(family: String, to pattern: OpaquePointer) {
    _ = Array((family + "\0").utf8).withUnsafeBufferPointer {
      FcPatternAddString(pattern, FC_FAMILY, $0.baseAddress)
    }
  }

  private static func add(_ character: Unicode.Scalar, to pattern: OpaquePointer) {
    guard let set = FcCharSetCreate() else { return }
    FcCharSetAddChar(set, character.value)
    FcPatternAddCharSet(pattern, FC_CHARSET, set)
    FcCharSetDestroy(set)
  }

  private static func covers(_ font: OpaquePointer, _ character: Unicode.Scalar) -> Bool {
    var set: OpaquePointer?
    guard FcPatternGetCharSet(font, FC_CHARSET, 0, &set) == FcResultMatch, let set else {
      return false
    }
    return FcCharSetHasChar(set, character.value) != 0
  }

  private static func text(_ font: OpaquePointer, _ object: String) -> String? {
    var value: UnsafeMutablePointer<FcChar8>?
    guard FcPatternGetString(font, object, 0, &value) == FcResultMatch, let value else {
      return nil
    }
    return String(cString: value)
  }
}

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

  /// Returns true if a word names a style, with or without its hyphens.
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
