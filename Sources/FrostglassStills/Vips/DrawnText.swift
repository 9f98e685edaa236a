internal import CVips
package import FrostglassCore
internal import FrostglassFonts

/// Coverage that Pango drew, with its place in the layout.
struct DrawnText {
  /// The size of the ink.
  let size: Size
  let samples: [UInt8]
  /// The first column, counted from the layout's left edge.
  let left: Int
  /// The first row, counted from the layout's top.
  let top: Int

  /// Draws markup.
  ///
  /// - Throws: where it cannot be drawn, and where there is no ink. libvips says which of these it is in
  ///   words that are not to be relied on while it does other work.
  init(
    _ markup: String, _ style: TextStyle, wrapWidth: Int? = nil, _ alignment: TextAlignment = .left
  ) throws(VipsFailure) {
    let made = fgk_text(
      markup, style.pangoFont, Int32(wrapWidth ?? 0), alignment.vipsAlign, Int32(style.lineSpacing))
    guard let made else { throw .take() }
    let picture = VipsImageHandle(owning: made)
    size = picture.size
    (left, top) = picture.withPointer {
      (Int(vips_image_get_xoffset($0)), Int(vips_image_get_yoffset($0)))
    }
    samples = try picture.pixels()
  }

  /// The columns of the layout where the image is.
  var columns: Range<Int> { left..<left + size.width }

  /// The columns of the layout with ink; `nil` where there is none.
  var inkColumns: Range<Int>? {
    var found: Range<Int>?
    for y in 0..<size.height {
      let row = samples[y * size.width..<(y + 1) * size.width]
      guard let first = row.firstIndex(where: { $0 > 0 }),
        let last = row.lastIndex(where: { $0 > 0 })
      else { continue }
      let (start, end) = (first - row.startIndex + left, last - row.startIndex + left + 1)
      found = min(found?.lowerBound ?? start, start)..<max(found?.upperBound ?? end, end)
    }
    return found
  }

  /// The row below the last one with ink in some columns, both of the layout.
  func bottom(in columns: Range<Int>) -> Int? {
    let looked = columns.clamped(to: self.columns)
    let last = (0..<size.height).last { y in
      looked.contains { samples[y * size.width + $0 - left] > 0 }
    }
    return last.map { top + $0 + 1 }
  }
}

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

  /// The same text without ink, taking its room: 1/65535 of full coverage rounds to none.
  var hidden: String { "<span alpha=\"1\">\(markup)</span>" }

  /// A bar behind each line, from its beginning to its end, instead of the text. Without the
  /// underline, the image would end where the ink does.
  var bars: String {
    "<span alpha=\"1\" underline=\"single\" background=\"#000000\">\(markup)</span>"
  }
}

/// The size of a text's box. It is measured in drawings of the text, as libvips offers nothing else.
///
/// Pango puts glyphs and baselines on whole pixels, so this loses no precision.
struct TextMetrics {
  /// Columns of the layout from where lines begin to where they end, with the room of spaces.
  let columns: Range<Int>
  /// Rows of all lines.
  let height: Int
  /// Rows above the first baseline.
  let baseline: Int

  /// A letter that stands on the baseline with both feet, and reaches nowhere below it.
  private static let marker = "H"
  /// The number of characters of a long line that determine its baseline.
  private static let mostScalars = 200.0
  /// Room for these.
  private static let mostColumns = 16000.0

  /// - Throws: `TextError.noFonts`, `.tooLarge` or `.unavailable`.
  init(_ text: String, _ style: TextStyle) throws(TextError) {
    let marker = try Self.marker(style, for: text)
    let ascent = marker.top + marker.size.height
    let markup = TextMarkup(text)
    let first = TextMarkup(Self.beginning(of: text, style))
    do {
      // Other fonts may stand in for what this one lacks, and make lines higher.
      let line = try DrawnText(Self.marker + first.hidden, style)
      baseline = line.bottom(in: marker.columns) ?? ascent
      let below = try DrawnText(
        markup.hidden + "\n" + Self.marker, style, wrapWidth: style.wrapWidth)
      height = (below.bottom(in: marker.columns) ?? 2 * ascent) - ascent - style.lineSpacing
    } catch {
      // The marker alone could be drawn.
      throw .tooLarge(text: text)
    }
    // Nothing without ink has a width, except for spaces.
    let bars = try? DrawnText(markup.bars, style, wrapWidth: style.wrapWidth, style.alignment)
    columns = bars?.inkColumns ?? 0..<0
  }

  private static func marker(_ style: TextStyle, for text: String) throws(TextError) -> DrawnText {
    guard hasFonts else { throw .noFonts(text: text) }
    try style.checkFonts(for: text)
    do { return try DrawnText(marker, style) } catch {
      throw .unavailable(reason: error.reason, text: text)
    }
  }

  /// True if there are fonts. Without any, Pango draws one box for every character: a period is as high as an H.
  private static let hasFonts: Bool = {
    let style = TextStyle(font: "sans", size: 40)
    guard let letter = try? DrawnText(marker, style), let stop = try? DrawnText(".", style) else {
      return true
    }
    return stop.size.height < letter.size.height
  }()

  private static func beginning(of text: String, _ style: TextStyle) -> String {
    let count = max(1, min(mostScalars, mostColumns / style.size))
    let line = text.prefix { !$0.isNewline }
    return String(String.UnicodeScalarView(line.unicodeScalars.prefix(Int(count))))
  }
}

/// A text as coverage, to be given a color wherever it is shown.
///
/// The text stands in a box: as wide as its longest line, or as `wrapWidth` where there is one, and as
/// high as its lines with the room above and below that their fonts ask for. The image is cropped
/// to the ink, which may stand out of the box, as italics do. All measures are whole pixels.
package struct TextImage: Sendable {
  /// The coverage of the ink, 8-bit gray: 255 is inside a glyph. One empty pixel where there is no ink.
  package let image: Image
  /// Columns from the box's left edge to the image's; below 0 where ink stands out.
  package let left: Int
  /// Rows from the box's top to the image's; below 0 where ink stands out.
  package let top: Int
  /// The box's width.
  package let width: Int
  /// The box's height.
  package let height: Int
  /// Rows from the box's top to the first line's baseline, the lower edge of a letter such as H.
  package let baseline: Int

  /// Draws a text with Pango.
  ///
  /// - Parameter text: plain; nothing in it is taken as markup. Line ends break lines.
  /// - Throws: `TextError`, which names the text and what is missing.
  package init(_ text: String, _ style: TextStyle = TextStyle()) throws(TextError) {
    try style.check(text)
    if let failure = VipsRuntime.failure { throw .unavailable(reason: failure.reason, text: text) }
    guard VipsRuntime.hasText else {
      throw .unavailable(reason: "this libvips was built without Pango", text: text)
    }
    let metrics = try TextMetrics(text, style)
    // All that can go wrong would have by now, but that there is no ink.
    let ink = try? DrawnText(
      TextMarkup(text).markup, style, wrapWidth: style.wrapWidth, style.alignment)
    // Without a wrap width, the layout is as wide as the longest line.
    let start = style.wrapWidth == nil ? metrics.columns.lowerBound : 0
    width = style.wrapWidth ?? metrics.columns.count
    (height, baseline) = (metrics.height, metrics.baseline)
    (left, top) = ink.map { ($0.left - start, $0.top) } ?? (0, 0)
    image = ink?.image ?? Image(zeros: Size(width: 1, height: 1), format: .gray8)
  }

  /// Returns the position of the image's top left corner that centers the box in a rectangle, on whole pixels.
  package func origin(centeredIn rect: LayoutRect) -> LayoutPoint {
    LayoutPoint(
      x: (rect.center.x - Double(width) / 2).rounded() + Double(left),
      y: (rect.center.y - Double(height) / 2).rounded() + Double(top))
  }

  /// Returns the position of the image's top left corner for a box that begins at `x` and a first line on
  /// `baseline`, on whole pixels.
  package func origin(x: Double, baseline y: Double) -> LayoutPoint {
    LayoutPoint(x: x.rounded() + Double(left), y: y.rounded() + Double(top - baseline))
  }
}

extension DrawnText {
  fileprivate var image: Image {
    var image = Image(zeros: size, format: .gray8)
    image.bytes = samples
    return image
  }
}

/// An error in drawing a text.
public enum TextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A size that no text can have, in pixels.
  case badSize(Double, text: String)
  /// A width that no line can have, in pixels.
  case badWrapWidth(Int, text: String)
  /// A distance that lines cannot have, in pixels.
  case badLineSpacing(Int, text: String)
  /// It would be a larger image than can be drawn.
  case tooLarge(text: String)
  /// There is no font at all.
  case noFonts(text: String)
  /// A font that is not installed, and one that is like it, if there is any.
  case noFont(String, like: String?, text: String)
  /// Characters that no font has.
  case noCharacters([Unicode.Scalar], text: String)
  /// libvips cannot draw texts, or failed to.
  case unavailable(reason: String, text: String)

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .badSize(let size, let text):
      "\(quoted(text)): size \(size) cannot be drawn; accepted is above 0 and up to "
        + "\(Int(TextStyle.largestSize)) pixels"
    case .badWrapWidth(let width, let text):
      "\(quoted(text)): a box of width \(width) cannot be; accepted is 1 to "
        + "\(TextStyle.longestSide) pixels"
    case .badLineSpacing(let spacing, let text):
      "\(quoted(text)): line spacing \(spacing) cannot be; accepted is 0 to "
        + "\(TextStyle.longestSide) pixels"
    case .tooLarge(let text):
      "\(quoted(text)): this makes too large an image; accepted is up to "
        + "\(TextStyle.longestSide) pixels per side: break lines, or make it smaller"
    case .noFonts(let text):
      "\(quoted(text)): cannot be drawn, as there are no fonts; install some, such as the Debian "
        + "package fonts-inter"
    case .noFont(let font, let like, let text):
      "\(quoted(text)): the font \(font) is not installed"
        + (like.map { "; like it is \($0)" } ?? "") + "; `fc-list : family` lists all"
    case .noCharacters(let characters, let text):
      "\(quoted(text)): no font that is installed has \(listed(characters)); install one that has, such "
        + "as the Debian packages fonts-noto, or leave that out"
    case .unavailable(let reason, let text):
      "\(quoted(text)): cannot be drawn (\(reason)); texts need libvips with Pango"
    }
  }

  /// The first of some characters, with their code points.
  private func listed(_ characters: [Unicode.Scalar]) -> String {
    let shown = characters.prefix(4).map { character in
      let code = String(character.value, radix: 16, uppercase: true)
      return "\(character) (U+\(String(repeating: "0", count: max(0, 4 - code.count)))\(code))"
    }
    let rest = characters.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The text in quotation marks, cut where it is long.
  private func quoted(_ text: String) -> String {
    let line = text.prefix(40).map { $0.isNewline ? " " : String($0) }.joined()
    return "“\(line)\(text.count > 40 ? "…" : "")”"
  }
}

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
