/// Why a text could not be drawn.
public enum TextError: Error, Sendable, Hashable, CustomStringConvertible {
  case badSize(Double, text: String)
  case badWrapWidth(Int, text: String)
  case badLineSpacing(Int, text: String)
  /// It would be a larger picture than can be drawn.
  case tooLarge(text: String)
  /// There is no font at all.
  case noFonts(text: String)
  /// libvips cannot draw texts, or failed to.
  case unavailable(reason: String, text: String)

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
      "\(quoted(text)): this makes too large a picture; accepted is up to "
        + "\(TextStyle.longestSide) pixels per side: break lines, or make it smaller"
    case .noFonts(let text):
      "\(quoted(text)): cannot be drawn, as there are no fonts; install some, such as the Debian "
        + "package fonts-inter"
    case .unavailable(let reason, let text):
      "\(quoted(text)): cannot be drawn (\(reason)); texts need libvips with Pango"
    }
  }

  /// The text in quotation marks, cut where it is long.
  private func quoted(_ text: String) -> String {
    let line = text.prefix(40).map { $0.isNewline ? " " : String($0) }.joined()
    return "“\(line)\(text.count > 40 ? "…" : "")”"
  }
}
