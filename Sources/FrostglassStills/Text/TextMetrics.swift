internal import FrostglassCore

/// How large a text's box is, measured in drawings of it, as that is all libvips tells.
///
/// Pango puts glyphs and baselines on whole pixels, so nothing is lost by that.
struct TextMetrics {
  /// Columns of the layout from where lines begin to where they end, with the room of spaces.
  let columns: Range<Int>
  /// Rows of all lines.
  let height: Int
  /// Rows above the first baseline.
  let baseline: Int

  /// A letter that stands on the baseline with both feet, and reaches nowhere below it.
  private static let marker = "H"
  /// Of a longer line, only so many characters say where its baseline is.
  private static let mostScalars = 200.0
  /// Room for these.
  private static let mostColumns = 16000.0

  /// - Throws: `TextError.noFonts`, `.tooLarge` or `.unavailable`.
  init(_ text: String, _ style: TextStyle) throws(TextError) {
    let marker = try Self.marker(style, for: text)
    let ascent = marker.top + marker.size.height
    let markup = TextMarkup(text)
    let first = TextMarkup(Self.beginning(of: text, style))
    do throws(VipsFailure) {
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
    do throws(VipsFailure) { return try DrawnText(marker, style) } catch {
      throw .unavailable(reason: error.reason, text: text)
    }
  }

  /// Where there are no fonts, Pango draws one box for every character: a full stop is as high as an H.
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
