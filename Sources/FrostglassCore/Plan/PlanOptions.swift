/// What holds for a whole chain of filters.
public struct PlanOptions: Sendable, Hashable {
  /// What blurs see beyond the picture's border.
  public var edge: EdgeMode
  public var quality: Quality
  /// Work on values proportional to light instead of encoded ones. Color filters, too, then act on
  /// linear values.
  public var linearLight: Bool
  /// Pixels per UIKit point; above 0.
  public var scale: Double
  /// Where the chain shows; `nil` is everywhere.
  public var mask: Mask?

  public init(
    edge: EdgeMode = .clamp, quality: Quality = .exact, linearLight: Bool = false,
    scale: Double = 1, mask: Mask? = nil
  ) {
    self.edge = edge
    self.quality = quality
    self.linearLight = linearLight
    self.scale = scale
    self.mask = mask
  }
}
