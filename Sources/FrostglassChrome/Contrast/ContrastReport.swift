/// How well content can be read on its backdrop, by WCAG 2: 4.5 is asked for text, 3 for large text
/// and symbols.
public struct ContrastReport: Sendable, Hashable {
  public var content: StatusBarContent
  /// The backdrop's mean relative luminance, 0…1.
  public var luminance: Double
  /// The contrast ratio on the mean, 1…21.
  public var ratio: Double
  /// The lowest contrast ratio on any cell; on the mean where there are no cells.
  public var worstRatio: Double
  /// The cell of the lowest ratio; `nil` without cells.
  public var worstCell: Int?
}
