/// A box blur: the mean of a square, once or several times over.
///
/// Each iteration has the variance `((2 radius + 1)² − 1) / 12` along each axis. The result is the
/// blur of the picture continued without end, also where several iterations cross its border.
public struct Box: Filter {
  /// Pixels to each side of the center.
  public var radius = 4
  /// How often.
  public var iterations = 1

  public static let definition = FilterDefinition<Box>(
    "box", "Blurs with the mean of a square.",
    [
      .integer("radius", \.radius, in: 0...1000, "Pixels to each side; 0 changes nothing."),
      .integer("iterations", \.iterations, in: 1...10, "How often; 3 is close to a Gaussian."),
    ])

  public init() {}

  public init(radius: Int, iterations: Int = 1) {
    self.radius = radius
    self.iterations = iterations
  }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.boxes(source, radius: radius, iterations: iterations)
  }
}

extension Planner {
  /// Means of squares of `2 radius + 1` pixels, one after another; radius 0 changes nothing.
  mutating func boxes(_ source: Surface, radius: Int, iterations: Int) -> Surface {
    guard radius > 0 else { return source }
    let taps = [Float](repeating: 1 / Float(2 * radius + 1), count: radius + 1)
    var surface = withEdges(source)
    for axis in Axis.allCases {
      for _ in 0..<iterations { surface = convolve(surface, axis, taps: taps) }
    }
    return surface.extended(x: nil, y: nil)
  }
}

extension Filter where Self == Box {
  /// A box blur of `2 radius + 1` pixels, 0…1000, 1…10 times.
  public static func box(radius: Int, iterations: Int = 1) -> Box {
    Box(radius: radius, iterations: iterations)
  }
}
