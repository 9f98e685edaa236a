/// An ellipse with upright axes, in pixels.
public struct Ellipse: Sendable, Hashable {
  /// The center.
  public var x: Double
  public var y: Double
  public var radiusX: Double
  public var radiusY: Double

  package init(x: Double, y: Double, radiusX: Double, radiusY: Double) {
    self.x = x
    self.y = y
    self.radiusX = radiusX
    self.radiusY = radiusY
  }

  /// Distance from the border, negative inside.
  ///
  /// The nearest point of the border has the coordinates `a² x / (t + a²)` and `b² y / (t + b²)`
  /// with the largest `t` for which it is on the border. That is the zero of a falling, convex
  /// function, which Newton's method reaches from the left without ever passing it.
  package func distance(_ x: Double, _ y: Double) -> Double {
    let (dx, dy) = (abs(x - self.x), abs(y - self.y))
    if radiusX == radiusY { return (dx * dx + dy * dy).squareRoot() - radiusX }
    return radiusX > radiusY
      ? Ellipse.distance(dx, dy, radiusX, radiusY) : Ellipse.distance(dy, dx, radiusY, radiusX)
  }

  /// - Parameters: a point of the first quadrant, and radii with `a > b`.
  private static func distance(_ x: Double, _ y: Double, _ a: Double, _ b: Double) -> Double {
    let isInside = (x / a) * (x / a) + (y / b) * (y / b) <= 1
    let (nearX, nearY) = nearest(x, y, a, b)
    let distance = ((x - nearX) * (x - nearX) + (y - nearY) * (y - nearY)).squareRoot()
    return isInside ? -distance : distance
  }

  private static func nearest(
    _ x: Double, _ y: Double, _ a: Double, _ b: Double
  ) -> (x: Double, y: Double) {
    let (aa, bb) = (a * a, b * b)
    guard y > 0 else {
      // On the long axis the nearest point is its end, or, farther in, two beside it.
      guard a * x < aa - bb else { return (a, 0) }
      let share = a * x / (aa - bb)
      return (share * a, b * max(1 - share * share, 0).squareRoot())
    }
    var t = b * y - bb
    for _ in 0..<40 {
      let (u, v) = (a * x / (t + aa), b * y / (t + bb))
      let excess = u * u + v * v - 1
      let next = t + excess / (2 * (u * u / (t + aa) + v * v / (t + bb)))
      guard excess > 1e-14, next > t else { break }
      t = next
    }
    return (aa * x / (t + aa), bb * y / (t + bb))
  }
}
