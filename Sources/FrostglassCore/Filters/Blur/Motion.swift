/// A motion blur: the mean along a straight line, at any angle.
///
/// `length` is the full extent of the box profile. The Gaussian profile of the same length has the
/// same second moment: its standard deviation is the length divided by 2√3. Along the line both
/// are exact (`Kernels/Line.swift`); across it, lines between pixels are softened by the linear
/// mixing of neighbors, with a deviation of at most 0.5 pixel per pass, up to three passes for long
/// lines, and none at multiples of 45°. The certified error counts what happens along the line.
package struct Motion: Filter {
  package var length: Length = 40
  /// Clockwise on the screen; 0 is along x.
  package var angle = Angle(degrees: 0)
  package var profile = FilterChain.MotionProfile.box

  private static let lengths: ClosedRange<Double> = 0...2000

  package static let definition = FilterDefinition<Motion>(
    "motion", "Blurs along a straight line.",
    [
      .length(
        "length", \.length, in: lengths, "The whole line; up to 1 px changes nothing."),
      .angle("angle", \.angle, "Of the line: 0deg is along x, 90deg along y, clockwise."),
      .choice(
        "profile", \.profile, "All pixels of the line alike, or a Gaussian of the same deviation."),
    ])

  package init() {}

  package init(length: Length, angle: Angle, profile: FilterChain.MotionProfile = .box) {
    self.length = length
    self.angle = angle
    self.profile = profile
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try length.pixels(
      for: planner.size, scale: planner.options.scale, in: Self.lengths,
      filter: Self.definition.name, parameter: "length")
    let line = Line(angle: angle)
    let steps = pixels * line.stepsPerPixel
    let surface = planner.withEdges(source)
    let blurred =
      switch profile {
      case .box: steps > 1 ? planner.mean(surface, LineBox(length: steps, on: line), line) : surface
      case .gaussian: planner.gaussian(surface, sigma: steps / 12.0.squareRoot(), line)
      }
    return blurred.extended(x: nil, y: nil)
  }
}

extension Planner {
  fileprivate mutating func mean(_ surface: Surface, _ box: LineBox, _ line: Line) -> Surface {
    var levels = [surface]
    for block in box.blocks {
      let weights = block.map { (step: $0, weight: 1 / Double(block.count)) }
      levels.append(stencil(levels[levels.count - 1], line.mean(weights)))
    }
    var result: (surface: Surface, mass: Double)?
    for part in box.parts {
      // Mixing takes pixels as they are, so all of them are computed.
      let made = stencil(levels[part.level], line.mean(part.steps)).extended(x: nil, y: nil)
      let mass = (result?.mass ?? 0) + part.mass
      result = (result.map { mix($0.surface, made, amount: part.mass / mass) } ?? made, mass)
    }
    return result?.surface ?? surface
  }

  fileprivate mutating func gaussian(
    _ source: Surface, sigma: Double, _ line: Line
  ) -> Surface {
    guard sigma > 0.03 else { return source }
    let design = LineGaussian(sigma: sigma)
    var surface = source
    for weights in design.passes { surface = stencil(surface, line.stencil(weights)) }
    return surface.adding(model: design.bound)
  }
}

extension FilterChain {
  /// How samples along the line of a motion blur count.
  public enum MotionProfile: String, Sendable, Hashable, CaseIterable {
    /// All alike.
    case box
    /// Less toward the ends, without any.
    case gaussian
  }

  /// A motion blur: the mean along a straight line.
  ///
  /// - Parameters:
  ///   - length: of the whole line, 0…2000 px; up to 1 px changes nothing.
  ///   - angle: 0° is along x, 90° along y, clockwise.
  ///   - profile: how samples along the line count.
  public static func motion(
    length: Length, angle: Angle, profile: MotionProfile = .box
  ) -> FilterChain {
    FilterChain(Motion(length: length, angle: angle, profile: profile))
  }
}
