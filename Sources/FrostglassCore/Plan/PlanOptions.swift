/// How near to the mathematical truth a plan must come.
public enum Quality: String, Sendable, Hashable, CaseIterable {
  /// Certified under 1 level of 255 for any input, so 8-bit results are at most 1 level off.
  case exact
  /// Certified under 2 levels; may store intermediates as half floats.
  case fast

  /// The certified error a plan must stay under, in levels of 255.
  public var tolerance: Double {
    switch self {
    case .exact: 1
    case .fast: 2
    }
  }
}

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

  public init(
    edge: EdgeMode = .clamp, quality: Quality = .exact, linearLight: Bool = false,
    scale: Double = 1
  ) {
    self.edge = edge
    self.quality = quality
    self.linearLight = linearLight
    self.scale = scale
  }
}
