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

  /// Distance from the border, negative inside: exact for circles, to first order for others.
  func distance(_ x: Double, _ y: Double) -> Double {
    let (dx, dy) = (x - self.x, y - self.y)
    if radiusX == radiusY { return (dx * dx + dy * dy).squareRoot() - radiusX }
    let (px, py) = (dx / radiusX, dy / radiusY)
    let level = (px * px + py * py).squareRoot()
    let (gx, gy) = (px / radiusX, py / radiusY)
    let slope = (gx * gx + gy * gy).squareRoot()
    // The center has no slope; it is as deep inside as the shorter radius.
    guard slope > 0 else { return -min(radiusX, radiusY) }
    return level * (level - 1) / slope
  }
}
