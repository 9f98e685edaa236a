/// A circle or ellipse stays sharp, the rest is blurred more the farther it is.
///
/// `σ = sigma × smoothstep(d / falloff)`, with `d` the distance from the outline.
public struct SelectiveBlur: Filter {
  /// Standard deviation far from the circle.
  public var sigma: Sigma = Sigma(1.5, .percent)
  /// The center, as fractions of width and height.
  public var x = 0.5
  public var y = 0.5
  public var radius: Length = Length(30, .percent)
  /// How far the blur takes to reach its full strength.
  public var falloff: Length = Length(20, .percent)
  /// Height of the sharp area divided by its width.
  public var aspect = 1.0

  public static let definition = FilterDefinition<SelectiveBlur>(
    "selective-blur", "Keeps a circle sharp and blurs the rest.",
    [
      .sigma("sigma", \.sigma, "Standard deviation far from the circle."),
      .factor("x", \.x, in: 0...1, "Center, as a fraction of the width."),
      .factor("y", \.y, in: 0...1, "Center, as a fraction of the height."),
      .length("radius", \.radius, in: 0...100_000, "Radius of the sharp circle along x."),
      .length("falloff", \.falloff, in: 0...100_000, "How far the blur takes to grow."),
      .factor("aspect", \.aspect, in: 0.01...100, "Height of the sharp area over its width."),
    ])

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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

extension Filter where Self == SelectiveBlur {
  /// A sharp circle in the middle of a blurred picture.
  public static var selectiveBlur: SelectiveBlur { SelectiveBlur() }
}
