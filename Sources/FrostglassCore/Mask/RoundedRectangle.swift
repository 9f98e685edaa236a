internal import Glibc

/// A rectangle whose corners may be round, in pixels.
public struct RoundedRectangle: Sendable, Hashable {
  public var left: Double
  public var top: Double
  public var right: Double
  public var bottom: Double
  /// Radius of the corners; at most half of either side counts.
  public var radius: Double
  /// Whether the corners begin to bend earlier and softer, as those of iOS, instead of being
  /// quarters of circles.
  public var isContinuous: Bool

  package init(
    left: Double, top: Double, right: Double, bottom: Double, radius: Double = 0,
    isContinuous: Bool = false
  ) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
    self.radius = radius
    self.isContinuous = isContinuous
  }

  /// How far a continuous corner reaches along the sides, in radii, as iOS draws it.
  private static let reach = 1.528665
  /// Exponent of the superellipse with that reach that meets the diagonal where the circle does:
  /// `(1 − 2^(−1/n)) √2 · reach = √2 − 1`.
  private static let exponent = 3.2576

  /// Distance from the border, negative inside; for continuous corners to first order.
  func distance(_ x: Double, _ y: Double) -> Double {
    let halfWidth = (right - left) / 2
    let halfHeight = (bottom - top) / 2
    let most = max(min(halfWidth, halfHeight), 0)
    let corner = min(isContinuous ? radius * RoundedRectangle.reach : radius, most)
    let dx = abs(x - (left + right) / 2) - (halfWidth - corner)
    let dy = abs(y - (top + bottom) / 2) - (halfHeight - corner)
    guard dx > 0, dy > 0 else { return max(dx, dy) - corner }
    guard isContinuous, corner > 0 else { return (dx * dx + dy * dy).squareRoot() - corner }
    let n = RoundedRectangle.exponent
    let (px, py) = (pow(dx / corner, n), pow(dy / corner, n))
    let norm = pow(px + py, 1 / n)
    // How fast the norm grows away from the border: what makes a distance of it.
    let slopeX = px / dx * corner
    let slopeY = py / dy * corner
    let slope = (slopeX * slopeX + slopeY * slopeY).squareRoot() / pow(norm, n - 1)
    return (norm - 1) * corner / max(slope, 0.5)
  }
}

extension RoundedRectangle: CustomStringConvertible {
  public var description: String {
    "\(decimal(right - left, places: 1))×\(decimal(bottom - top, places: 1))"
  }
}
