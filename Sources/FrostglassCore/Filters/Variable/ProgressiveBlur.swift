internal import Glibc

/// A Gaussian blur that grows from one side of the picture to the other: the standard deviation
/// itself changes, not the share of a blurred picture.
///
/// `σ = sigma × easing(t)`, with `t` 0 at `from` and 1 at `to`, both measured along the direction
/// as fractions of the picture's extent in it; before `from` the picture is sharp, beyond `to` fully
/// blurred.
public struct ProgressiveBlur: Filter {
  /// Standard deviation where the blur is strongest.
  public var sigma: Sigma = 20
  /// Where the blur grows to; 0 is up, as in a style sheet.
  public var direction = Angle(degrees: 0)
  /// Where the picture begins to be blurred.
  public var from = 0.0
  /// Where the blur is strongest.
  public var to = 1.0
  public var easing = Ramp.Easing.linear

  public static let definition = FilterDefinition<ProgressiveBlur>(
    "progressive-blur", "Blurs more and more toward one side.",
    [
      .sigma("sigma", \.sigma, "Standard deviation where the blur is strongest."),
      .angle("direction", \.direction, "Where the blur grows to: 0deg up, 90deg right."),
      .factor("from", \.from, in: -1...2, "Where it begins, as a fraction of the extent."),
      .factor("to", \.to, in: -1...2, "Where it is strongest, as a fraction of the extent."),
      .choice("easing", \.easing, "How it grows."),
    ])

  public init() {}

  public init(
    sigma: Sigma, direction: Angle = Angle(degrees: 0), from: Double = 0, to: Double = 1,
    easing: Ramp.Easing = .linear
  ) {
    self.sigma = sigma
    self.direction = direction
    self.from = from
    self.to = to
    self.easing = easing
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let name = ProgressiveBlur.definition.name
    let most = try sigma.pixels(for: planner.size, scale: planner.options.scale, filter: name)
    guard most > 0 else { return source }
    let ramp = Ramp(across: planner.size, direction, from: from, to: to, easing: easing)
    return planner.gaussian(source, upTo: most, by: Coverage([CoverageShape(.ramp(ramp))]))
  }
}

extension Filter where Self == ProgressiveBlur {
  /// A blur that grows toward one side of the picture; 0deg is up.
  public static func progressiveBlur(sigma: Sigma, direction: Angle) -> ProgressiveBlur {
    ProgressiveBlur(sigma: sigma, direction: direction)
  }
}

extension Ramp {
  /// A gradient over a picture, as CSS lays out `linear-gradient`: its line goes through the center
  /// and is as long as the picture's corners reach along it.
  init(
    across size: Size, _ direction: Angle, from: Double, to: Double, easing: Easing
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
  var upward: (x: Double, y: Double) {
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
