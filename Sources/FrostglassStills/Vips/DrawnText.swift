internal import CVips
internal import FrostglassCore

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
    let made = fg_text(
      markup, style.pangoFont, Int32(wrapWidth ?? 0), alignment.vipsAlign, Int32(style.lineSpacing))
    guard let made else { throw .take() }
    let picture = VipsPicture(owning: made)
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
