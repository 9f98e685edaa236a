package import FrostglassCore

/// A text as coverage, to be given a color wherever it is shown.
///
/// The text stands in a box: as wide as its longest line, or as `wrapWidth` where there is one, and as
/// high as its lines with the room above and below that their fonts ask for. The image is cropped
/// to the ink, which may stand out of the box, as italics do. All measures are whole pixels.
package struct TextPicture: Sendable {
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
