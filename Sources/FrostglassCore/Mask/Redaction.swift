/// Replaces what a mask covers, before any filter sees the picture, so that nothing of it is left.
///
/// Every pixel that a shape touches, even in part, is replaced: shapes are taken whole, and grown by
/// the mask's `grow`. Feathering goes outward from there. The filters of the chain then work on the
/// replaced picture and show inside the mask.
public struct Redaction: Sendable, Hashable {
  /// What comes in the place of covered pixels.
  public enum Fill: String, Sendable, Hashable, CaseIterable {
    /// The colors around, blurred more the farther they are. Covered pixels count with a weight of
    /// exactly 0.
    case surroundings
    /// One color.
    case color
  }

  public var fill: Fill
  /// The color of the fill, and what `surroundings` takes where there are none. Its alpha is not
  /// used: it always covers.
  public var color: Color

  public init(_ fill: Fill = .surroundings, color: Color = Color(white: 0.5)) {
    self.fill = fill
    self.color = color
  }
}
