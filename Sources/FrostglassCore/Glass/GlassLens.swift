/// How a pane of glass bends what is seen through it: not at all in its middle, and more and more
/// toward its border, as the rim of a lens does.
///
/// At a depth `e` inside the border the displacement is `1 − √(1 − t²)` of the largest, with
/// `t = 1 − e / depth`, along the outward normal of the outline with rounder corners. As a picture:
/// red and green are the displacement along x and y, 0.5 ± 0.5, in steps of 1/32640, which every
/// backend holds exactly.
///
/// Source of the formula: AndroidLiquidGlass.
public struct GlassLens: Sendable, Hashable {
  public var outline: RoundedRectangle
  /// How far inside the border light is bent, in pixels; above 0.
  public var depth: Double

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
