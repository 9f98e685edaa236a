/// Three boxes in a row that stand for a blur radius, as Apple's ImageEffects sample chooses them.
///
/// The width is `d = floor(radius · 3 √(2π) / 4 + 0.5)`, one more where that is even, so that the
/// boxes are centered. Their variance, `3 (d² − 1) / 12`, is that of a Gaussian with σ just under
/// the radius.
package struct OddBoxes: Sendable, Hashable {
  /// Pixels along each side of one box: odd, 1 changes nothing.
  package let width: Int

  /// - Parameter radius: in pixels; 0 changes nothing.
  package init(radius: Double) {
    let nearest = Self.nearestWidth(radius: radius)
    width = nearest % 2 == 0 ? nearest + 1 : nearest
  }

  /// The width before it is made odd.
  static func nearestWidth(radius: Double) -> Int {
    Int((radius * widthPerRadius + 0.5).rounded(.down))
  }

  /// Pixels to each side of a box's center.
  package var radius: Int { width / 2 }

  /// The standard deviation of the three together.
  package var sigma: Double { (Double(width * width - 1) / 4).squareRoot() }

  /// 1.88: before rounding, the width of a box by the radius.
  private static let widthPerRadius = 3 * (2 * Double.pi).squareRoot() / 4

  /// 0.94: standard deviation by radius, where the width is large and not rounded.
  static let sigmaPerRadius = widthPerRadius / 2
}
