internal import Glibc

/// The displacement map of a pane of glass: it bends nothing in the middle, and more and more toward the border, as the
/// rim of a lens does.
///
/// At a depth `e` inside the border the displacement is `1 − √(1 − t²)` of the largest, with
/// `t = 1 − e / depth`, along the outward normal of the outline with rounder corners. As a picture:
/// red and green are the displacement along x and y, 0.5 ± 0.5, in steps of 1/32640, which every
/// backend holds exactly.
///
/// Source of the formula: AndroidLiquidGlass.
package struct GlassLens: Sendable, Hashable {
  package var outline: RoundedRectangle
  /// The distance from the border inward within which light is bent, in pixels; above 0.
  package var depth: Double

  package init(_ outline: RoundedRectangle, depth: Double) {
    self.outline = outline
    self.depth = depth
  }

  /// Steps from none to the largest displacement in one direction.
  private static let steps = 16320.0

  /// Computes some columns of a row: red, green and an empty blue.
  package func row(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>
  ) {
    let rounder = outline.forNormals
    for (index, x) in columns.enumerated() {
      let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
      let bend = bend(at: outline.distance(px, py))
      var move = (x: 0.0, y: 0.0)
      if bend > 0 {
        let normal = rounder.normal(px, py)
        move = (normal.x * bend, normal.y * bend)
      }
      target[3 * index] = level(move.x)
      target[3 * index + 1] = level(move.y)
      target[3 * index + 2] = 0
    }
  }

  /// The share of the largest displacement at a distance from the border, negative inside.
  package func bend(at distance: Double) -> Double {
    let t = min(1 + distance / depth, 1)
    return t > 0 ? 1 - (1 - t * t).squareRoot() : 0
  }

  private func level(_ move: Double) -> Float {
    Float(((1 + move) * GlassLens.steps).rounded() / (2 * GlassLens.steps))
  }
}

/// Light on the border of a pane of glass, as a gray picture: how much of white is seen.
///
/// A bright line along the border, strongest where the border faces the light or turns its back to
/// it, and a faint glow farther inside.
package struct GlassRim: Sendable, Hashable {
  package var outline: RoundedRectangle
  /// Width of the line in pixels; above 0.
  package var width: Double
  /// The distance that the glow reaches inward, in pixels; above 0.
  package var depth: Double
  /// The direction of the light, as an angle from the x axis toward the y axis, in radians.
  package var angle: Double
  /// The brightness of the line, 0…1.
  package var brightness: Double

  package init(
    _ outline: RoundedRectangle, width: Double, depth: Double, angle: Double, brightness: Double
  ) {
    self.outline = outline
    self.width = width
    self.depth = depth
    self.angle = angle
    self.brightness = brightness
  }

  /// The share of the line's brightness that remains where the border runs along the light.
  private static let least = 0.2
  /// The brightness of the glow at the border, relative to the line's.
  private static let glow = 0.25

  /// Computes some columns of a row.
  package func row(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>
  ) {
    let rounder = outline.forNormals
    let light = (x: cos(angle), y: sin(angle))
    for (index, x) in columns.enumerated() {
      let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
      let distance = outline.distance(px, py)
      target[index] = 0
      guard -distance < max(width, depth) else { continue }
      let normal = rounder.normal(px, py)
      let facing = abs(normal.x * light.x + normal.y * light.y)
      let line = falloff(-distance / width)
      let glow = GlassRim.glow * falloff(-distance / depth)
      let share = GlassRim.least + (1 - GlassRim.least) * facing * facing
      target[index] = Float(min(brightness * share * max(line, glow), 1))
    }
  }

  /// 1 at the border and beyond it, 0 from 1 on.
  private func falloff(_ position: Double) -> Double {
    let rest = 1 - min(max(position, 0), 1)
    return rest * rest
  }
}

extension RoundedRectangle {
  /// The outline whose normals count: with rounder corners, around which they turn more slowly.
  var forNormals: RoundedRectangle {
    var rounder = self
    rounder.radius = 1.5 * radius
    rounder.isContinuous = false
    return rounder
  }

  /// The direction away from the border, of length 1; from the nearest side, or from a corner's
  /// center.
  func normal(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let halfWidth = (right - left) / 2
    let halfHeight = (bottom - top) / 2
    let corner = min(radius, max(min(halfWidth, halfHeight), 0))
    let (fromX, fromY) = (x - (left + right) / 2, y - (top + bottom) / 2)
    let dx = abs(fromX) - (halfWidth - corner)
    let dy = abs(fromY) - (halfHeight - corner)
    let (signX, signY) = (fromX < 0 ? -1.0 : 1.0, fromY < 0 ? -1.0 : 1.0)
    guard dx > 0, dy > 0 else { return dx > dy ? (signX, 0) : (0, signY) }
    let length = (dx * dx + dy * dy).squareRoot()
    return (signX * dx / length, signY * dy / length)
  }
}
