internal import Glibc

/// A spin blur: the even mean over a turn around a center, half of it to each side.
///
/// Samples lie at most a pixel apart at the farthest corner. Turns compose, so a few passes stand
/// for thousands of samples.
public struct Spin: Filter {
  /// The center, as fractions of width and height.
  public var x = 0.5
  public var y = 0.5
  /// The whole turn.
  public var angle = Angle(degrees: 10)

  public static let definition = FilterDefinition<Spin>(
    "spin", "Blurs around a center, as a turning camera does.",
    [
      .factor("x", \.x, in: 0...1, "The center's place across; 0 is the left edge."),
      .factor("y", \.y, in: 0...1, "The center's place down; 0 is the top edge."),
      .angle("angle", \.angle, "The whole turn, up to 360deg; 0 changes nothing."),
    ])

  public init() {}

  public init(x: Double = 0.5, y: Double = 0.5, angle: Angle) {
    self.x = x
    self.y = y
    self.angle = angle
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard abs(angle.degrees) <= 360 else {
      throw .badValue(
        filter: Self.definition.name, parameter: "angle", value: "\(angle)",
        accepted: "from -360 to 360 degrees")
    }
    let center = try planner.center(x: x, y: y)
    let arc = abs(angle.radians)
    guard arc * center.farthest > 1e-3 else { return source }
    let samples = PathSamples(atLeast: Int((arc * center.farthest).rounded(.up)) + 1)
    var surface = planner.withEdges(source)
    for pass in samples.passes {
      let step = arc / Double(samples.count) * Double(pass.spacing)
      let views = (0..<pass.count).map { index in
        let turn = (Double(index) - Double(pass.count - 1) / 2) * step
        return Gather.View(
          map: AffineMap(
            scale: 1, cosine: cos(turn), sine: sin(turn), aroundX: center.x, y: center.y),
          weight: 1 / Float(pass.count))
      }
      surface = planner.gather(surface, Gather(views: views))
    }
    return surface
  }
}

extension Filter where Self == Spin {
  /// A spin blur around a center given in fractions of width and height.
  public static func spin(x: Double = 0.5, y: Double = 0.5, angle: Angle) -> Spin {
    Spin(x: x, y: y, angle: angle)
  }
}
