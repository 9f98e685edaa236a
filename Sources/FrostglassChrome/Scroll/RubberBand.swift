/// How content follows a finger beyond its ends: ever less, and never by a whole viewport.
struct RubberBand: Hashable {
  /// The share of the finger's way at the beginning.
  let strength: Double
  /// The viewport's height, which is the limit.
  let dimension: Double
  /// Where content follows wholly.
  let free: ClosedRange<Double>

  init(_ physics: ScrollPhysics, _ geometry: ScrollGeometry) {
    strength = physics.rubberBand
    dimension = geometry.viewportHeight
    free = geometry.restingOffsets
  }

  /// The offset for where the finger would have the content.
  func offset(for finger: Double) -> Double {
    let inside = finger.kept(in: free)
    let beyond = finger - inside
    let stretch = (1 - 1 / (abs(beyond) * strength / dimension + 1)) * dimension
    return inside + (beyond < 0 ? -stretch : stretch)
  }

  /// Where the finger would have the content, for an offset.
  ///
  /// A fling can take content farther out than any finger; what is beyond nine tenths of the limit
  /// counts as those.
  func finger(for offset: Double) -> Double {
    let inside = offset.kept(in: free)
    let beyond = offset - inside
    let stretch = min(abs(beyond) / dimension, 0.9)
    let way = (1 / (1 - stretch) - 1) * dimension / strength
    return inside + (beyond < 0 ? -way : way)
  }

  /// How much the content moves for a small movement of the finger.
  func slope(at finger: Double) -> Double {
    let beyond = abs(finger - finger.kept(in: free))
    guard beyond > 0 else { return 1 }
    let divisor = beyond * strength / dimension + 1
    return strength / (divisor * divisor)
  }
}
