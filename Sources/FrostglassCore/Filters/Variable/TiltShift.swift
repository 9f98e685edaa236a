internal import Glibc

/// A band stays sharp, the rest is blurred more the farther it is: the look of a miniature.
///
/// `σ = sigma × smoothstep(d / falloff)`, with `d` the distance from the band.
public struct TiltShift: Filter {
  /// Standard deviation far from the band.
  public var sigma: Sigma = Sigma(1.5, .percent)
  /// The band's middle, as fractions of width and height.
  public var x = 0.5
  public var y = 0.5
  /// The sharp band's width, as a fraction of the height.
  public var band = 0.2
  /// How far the blur takes to reach its full strength, as a fraction of the height.
  public var falloff = 0.25
  /// The direction of the band; 0 is level.
  public var angle = Angle(degrees: 0)

  public static let definition = FilterDefinition<TiltShift>(
    "tilt-shift", "Keeps a band sharp and blurs the rest, as if it were a miniature.",
    [
      .sigma("sigma", \.sigma, "Standard deviation far from the band."),
      .factor("x", \.x, in: 0...1, "A point in the band's middle, as a fraction of the width."),
      .factor("y", \.y, in: 0...1, "The same point, as a fraction of the height."),
      .factor("band", \.band, in: 0...1, "Width of the sharp band, as a fraction of the height."),
      .factor("falloff", \.falloff, in: 0...1, "How far the blur takes to grow, likewise."),
      .angle("angle", \.angle, "Direction of the band, clockwise; 0deg is level."),
    ])

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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

extension Filter where Self == TiltShift {
  /// A sharp level band in the middle of a blurred picture.
  public static var tiltShift: TiltShift { TiltShift() }
}
