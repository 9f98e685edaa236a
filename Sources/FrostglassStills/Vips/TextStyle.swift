internal import CVips
internal import FrostglassCore
internal import FrostglassFonts

/// The style of a text.
package struct TextStyle: Sendable, Hashable {
  /// A font as Pango describes one, without a size: a family, or several separated by commas, then
  /// words such as `Semi-Bold` or `Italic`. One of the families must be installed; for characters that
  /// it does not have, fontconfig chooses another.
  package var font: String
  /// Pixels per em; above 0, up to 4096.
  package var size: Double
  /// The width of the box in pixels: lines that are longer are broken between words, and words
  /// that are longer anywhere. 1 or more; `nil` breaks only where the text has a line end.
  package var wrapWidth: Int?
  /// The alignment of lines in a box of `wrapWidth`, or else relative to the longest line.
  package var alignment: TextAlignment
  /// The pixels between lines in addition to the font's own spacing; 0 or more.
  package var lineSpacing: Int

  package init(
    font: String = "Inter", size: Double = 17, wrapWidth: Int? = nil,
    alignment: TextAlignment = .left, lineSpacing: Int = 0
  ) {
    self.font = font
    self.size = size
    self.wrapWidth = wrapWidth
    self.alignment = alignment
    self.lineSpacing = lineSpacing
  }

  static let largestSize = 4096.0
  static let mostPixels = 400e6
  /// The longest side that libcairo draws.
  static let longestSide = 32767

  /// The font with its size, as Pango reads it; settings of a variable font follow the size.
  var pangoFont: String {
    let parts = font.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let settings = parts.count > 1 ? " @\(parts[1])" : ""
    return "\(parts.first ?? "") \(Self.decimal(size))px\(settings)"
  }

  /// Three decimals, never with an exponent, which Pango would not read.
  private static func decimal(_ value: Double) -> String {
    let thousandths = Int((value * 1000).rounded())
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// Throws what is out of range.
  func check(_ text: String) throws(TextError) {
    guard size >= 0.001, size <= Self.largestSize else { throw .badSize(size, text: text) }
    if let wrapWidth, !(1...Self.longestSide).contains(wrapWidth) {
      throw .badWrapWidth(wrapWidth, text: text)
    }
    guard (0...Self.longestSide).contains(lineSpacing) else {
      throw .badLineSpacing(lineSpacing, text: text)
    }
    // A character takes about as many pixels as its em has, and memory for them.
    guard Double(text.unicodeScalars.count) * size * size <= Self.mostPixels else {
      throw .tooLarge(text: text)
    }
  }
}

extension TextStyle {
  /// Throws what would come out in another font than was asked for, or as a box.
  func checkFonts(for text: String) throws(TextError) {
    let families = FontName(font).families
    if let family = families.first, !families.contains(where: { InstalledFonts.has(family: $0) }) {
      throw .noFont(family, like: Self.alternative(to: family), text: text)
    }
    let missing = InstalledFonts.missing(in: text, families)
    guard missing.isEmpty else { throw .noCharacters(missing, text: text) }
  }

  /// The family that was probably meant, or the one that would stand in.
  private static func alternative(to family: String) -> String? {
    // Words after a family name that are not a style.
    var words = family.split(separator: " ")
    while words.count > 1 {
      words.removeLast()
      let shorter = words.joined(separator: " ")
      if InstalledFonts.has(family: shorter) { return shorter }
    }
    return DidYouMean.nearest(to: family, in: InstalledFonts.families)
      ?? InstalledFonts.substitute(for: family)
  }
}

/// The horizontal alignment of a text's lines in its box.
package enum TextAlignment: String, Sendable, Hashable, CaseIterable {
  case left
  case center
  case right

  var vipsAlign: VipsAlign {
    switch self {
    case .left: VIPS_ALIGN_LOW
    case .center: VIPS_ALIGN_CENTRE
    case .right: VIPS_ALIGN_HIGH
    }
  }
}
