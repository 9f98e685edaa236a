internal import Glibc

/// A Gaussian blur that grows from one side of the image to the other: the standard deviation
/// itself changes, not the share of a blurred image.
///
/// `σ = sigma × easing(t)`, with `t` 0 at `from` and 1 at `to`, both measured along the direction
/// as fractions of the image's extent in it; before `from` the image is sharp, beyond `to` fully
/// blurred.
package struct ProgressiveBlur: Filter {
  /// Standard deviation where the blur is strongest.
  package var sigma: Sigma = 20
  /// The direction in which the blur grows; 0 is up, as in a style sheet.
  package var direction = Angle(degrees: 0)
  /// The position where the image begins to be blurred.
  package var from = 0.0
  /// The position where the blur is strongest.
  package var to = 1.0
  package var easing = MaskShape.Easing.linear

  package static let definition = FilterDefinition<ProgressiveBlur>(
    "progressive-blur", "Blurs more and more toward one side.",
    [
      .sigma("sigma", \.sigma, "Standard deviation where the blur is strongest."),
      .angle("direction", \.direction, "Where the blur grows to: 0deg up, 90deg right."),
      .factor("from", \.from, in: -1...2, "Where it begins, as a fraction of the extent."),
      .factor("to", \.to, in: -1...2, "Where it is strongest, as a fraction of the extent."),
      .choice("easing", \.easing, "How it grows."),
    ], example: "progressive-blur(18px)")

  package init() {}

  package init(
    sigma: Sigma, direction: Angle = Angle(degrees: 0), from: Double = 0, to: Double = 1,
    easing: MaskShape.Easing = .linear
  ) {
    self.sigma = sigma
    self.direction = direction
    self.from = from
    self.to = to
    self.easing = easing
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let name = ProgressiveBlur.definition.name
    let most = try sigma.pixels(for: planner.size, scale: planner.options.scale, filter: name)
    guard most > 0 else { return source }
    let ramp = Ramp(across: planner.size, direction, from: from, to: to, easing: easing)
    return planner.gaussian(source, upTo: most, by: Coverage([CoverageShape(.ramp(ramp))]))
  }
}

extension FilterChain {
  /// A blur that grows toward one side of the image; 0deg is up.
  public static func progressiveBlur(sigma: Sigma, direction: Angle) -> FilterChain {
    FilterChain(ProgressiveBlur(sigma: sigma, direction: direction))
  }
}

/// A blur that grows with the distance from a sharp band: the look of a miniature.
///
/// `σ = sigma × smoothstep(d / falloff)`, with `d` the distance from the band.
package struct TiltShift: Filter {
  /// Standard deviation far from the band.
  package var sigma: Sigma = Sigma(1.5, .percent)
  /// The band's middle, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  /// The sharp band's width, as a fraction of the height.
  package var band = 0.2
  /// The distance over which the blur reaches its full strength, as a fraction of the height.
  package var falloff = 0.25
  /// The direction of the band; 0 is level.
  package var angle = Angle(degrees: 0)

  package static let definition = FilterDefinition<TiltShift>(
    "tilt-shift", "Keeps a band sharp and blurs the rest, as if it were a miniature.",
    [
      .sigma("sigma", \.sigma, "Standard deviation far from the band."),
      .factor("x", \.x, in: 0...1, "A point in the band's middle, as a fraction of the width."),
      .factor("y", \.y, in: 0...1, "The same point, as a fraction of the height."),
      .factor("band", \.band, in: 0...1, "Width of the sharp band, as a fraction of the height."),
      .factor(
        "falloff", \.falloff, in: 0...1,
        "How far the blur takes to grow, likewise; 0 is a sharp line."),
      .angle("angle", \.angle, "Direction of the band, clockwise; 0deg is level."),
    ])

  package init() {}

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let name = TiltShift.definition.name
    let size = planner.size
    let most = try sigma.pixels(for: size, scale: planner.options.scale, filter: name)
    guard most > 0 else { return source }
    let (dx, dy) = angle.upward
    let middle = Polygon.Corner(x: x * Double(size.width), y: y * Double(size.height))
    func point(_ distance: Double) -> Polygon.Corner {
      Polygon.Corner(x: middle.x + dx * distance, y: middle.y + dy * distance)
    }
    let near = band / 2 * Double(size.height)
    // A gradient needs a direction, also where it is a border.
    let far = near + max(falloff * Double(size.height), 1e-3)
    let ramps = [
      Ramp(from: point(near), to: point(far), easing: .smooth),
      Ramp(from: point(-near), to: point(-far), easing: .smooth),
    ]
    return planner.gaussian(
      source, upTo: most, by: Coverage(ramps.map { CoverageShape(.ramp($0)) }))
  }
}

extension FilterChain {
  /// A sharp level band in the middle of a blurred image.
  public static var tiltShift: FilterChain { FilterChain(TiltShift()) }
}

/// A circle or ellipse stays sharp, the rest is blurred more the farther it is.
///
/// `σ = sigma × smoothstep(d / falloff)`, with `d` the distance from the outline.
package struct SelectiveBlur: Filter {
  /// Standard deviation far from the circle.
  package var sigma: Sigma = Sigma(1.5, .percent)
  /// The center, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  package var radius: Length = Length(30, .percent)
  /// The distance over which the blur reaches its full strength.
  package var falloff: Length = Length(20, .percent)
  /// Height of the sharp area divided by its width.
  package var aspect = 1.0

  package static let definition = FilterDefinition<SelectiveBlur>(
    "selective-blur", "Keeps a circle sharp and blurs the rest.",
    [
      .sigma("sigma", \.sigma, "Standard deviation far from the circle."),
      .factor("x", \.x, in: 0...1, "Center, as a fraction of the width."),
      .factor("y", \.y, in: 0...1, "Center, as a fraction of the height."),
      .length("radius", \.radius, in: 0...100_000, "Radius of the sharp circle along x."),
      .length(
        "falloff", \.falloff, in: 0...100_000,
        "How far the blur takes to grow; under 1px it is a border, anti-aliased over a pixel."),
      .factor("aspect", \.aspect, in: 0.01...100, "Height of the sharp area over its width."),
    ])

  package init() {}

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let name = SelectiveBlur.definition.name
    let most = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: name)
    guard most > 0 else { return source }
    let radius = try planner.pixels(self.radius, of: SelectiveBlur.self, parameter: "radius")
    let falloff = try planner.pixels(self.falloff, of: SelectiveBlur.self, parameter: "falloff")
    let circle = Ellipse(
      x: x * Double(planner.size.width), y: y * Double(planner.size.height),
      radiusX: max(radius, 1e-3), radiusY: max(radius * aspect, 1e-3))
    let coverage = Coverage(
      [CoverageShape(.ellipse(circle), feather: falloff)], isInverted: true)
    return planner.gaussian(source, upTo: most, by: coverage)
  }
}

extension FilterChain {
  /// A sharp circle in the middle of a blurred image.
  public static var selectiveBlur: FilterChain { FilterChain(SelectiveBlur()) }
}

extension Ramp {
  /// A gradient over an image, as CSS lays out `linear-gradient`: its line goes through the center
  /// and is as long as the image's corners reach along it.
  fileprivate init(
    across size: Size, _ direction: Angle, from: Double, to: Double, easing: MaskShape.Easing
  ) {
    let (dx, dy) = direction.upward
    let (width, height) = (Double(size.width), Double(size.height))
    let length = abs(width * dx) + abs(height * dy)
    func point(_ fraction: Double) -> Polygon.Corner {
      let along = (fraction - 0.5) * length
      return Polygon.Corner(x: width / 2 + dx * along, y: height / 2 + dy * along)
    }
    // A gradient needs a direction, also where it is a border.
    let end = abs(to - from) * length < 1e-3 ? from + 1e-3 / length : to
    self.init(from: point(from), to: point(end), easing: easing)
  }
}

extension Angle {
  /// The direction of an angle that counts clockwise from up; exact for quarter turns.
  fileprivate var upward: (x: Double, y: Double) {
    let turn = degrees - (degrees / 360).rounded(.down) * 360
    switch turn {
    case 0: return (0, -1)
    case 90: return (1, 0)
    case 180: return (0, 1)
    case 270: return (-1, 0)
    default: return (sin(turn * .pi / 180), -cos(turn * .pi / 180))
    }
  }
}
