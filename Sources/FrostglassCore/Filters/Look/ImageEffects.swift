/// One of the looks of Apple's ImageEffects sample: three boxes, richer colors, a veil.
///
/// `out = (1 − alpha) · saturated(blurred) + alpha · veil`, the saturated color limited to 0…1 before
/// the veil, which lies over what is visible. The sample loses a saturation that comes with radius 0;
/// here it stays. Radius is in UIKit points: `PlanOptions.scale` makes pixels of them.
public struct ImageEffects<Preset: ImageEffectsPreset>: Style {
  /// The sample's blur radius; `OddBoxes` makes boxes of it.
  public var radius: Length
  public var intensity = 1.0

  public static var definition: FilterDefinition<ImageEffects> {
    FilterDefinition(Preset.name, Preset.summary, [.boxRadius(\.radius), .intensity])
  }

  public init() { radius = Length(Preset.points, .points) }

  /// Nearly: box widths are whole and odd.
  public var sigma: Sigma {
    get { Sigma(boxRadius: radius) }
    set { radius = newValue.boxRadius }
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    try planner.imageEffects(
      source, self, radius: radius, saturation: Preset.saturation, veil: Preset.veil)
  }
}

/// What one of the sample's looks is called and what it does: a name for `ImageEffects`.
public protocol ImageEffectsPreset: Sendable {
  /// The name in text form.
  static var name: String { get }
  /// One sentence.
  static var summary: String { get }
  /// Blur radius in UIKit points.
  static var points: Double { get }
  /// 1 leaves colors as they are.
  static var saturation: Double { get }
  /// The veil, with how much of it as its alpha.
  static var veil: Color { get }
}

extension ImageEffectsPreset {
  public static var saturation: Double { 1.8 }
}

/// The named looks of Apple's ImageEffects sample.
public enum ImageEffectsSample {
  public enum Light: ImageEffectsPreset {
    public static let name = "image-effects-light"
    public static let summary = "Light, as in Apple's ImageEffects sample."
    public static let points = 30.0
    public static let veil = Color(white: 1, alpha: 0.3)
  }

  public enum ExtraLight: ImageEffectsPreset {
    public static let name = "image-effects-extra-light"
    public static let summary = "Extra light, as in Apple's ImageEffects sample."
    public static let points = 20.0
    public static let veil = Color(white: 0.97, alpha: 0.82)
  }

  public enum Dark: ImageEffectsPreset {
    public static let name = "image-effects-dark"
    public static let summary = "Dark, as in Apple's ImageEffects sample."
    public static let points = 20.0
    public static let veil = Color(white: 0.11, alpha: 0.73)
  }
}

/// The tint of Apple's ImageEffects sample: colors of the complement, under a veil of a given color.
///
/// The color's own alpha does not count: it is 0.6, and the saturation is −1, as in the sample.
public struct ImageEffectsTint: Style {
  public var color = Color(red: 0, green: 0.48, blue: 1)
  /// The sample's blur radius; `OddBoxes` makes boxes of it.
  public var radius = Length(10, .points)
  public var intensity = 1.0

  public static let definition = FilterDefinition<ImageEffectsTint>(
    "image-effects-tint", "A colored veil, as in Apple's ImageEffects sample.",
    [
      .color("color", \.color, "The veil's color; its alpha is always 0.6."),
      .boxRadius(\.radius), .intensity,
    ])

  public init() {}

  /// Nearly: box widths are whole and odd.
  public var sigma: Sigma {
    get { Sigma(boxRadius: radius) }
    set { radius = newValue.boxRadius }
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    var veil = color
    veil.alpha = 0.6
    return try planner.imageEffects(source, self, radius: radius, saturation: -1, veil: veil)
  }
}

extension Parameter {
  /// The blur radius of three boxes.
  static func boxRadius(_ path: Path<Length>) -> Parameter {
    .length("radius", path, in: 0...1000, "Blur radius: 3 boxes with 0.94 times its deviation.")
  }
}

extension Sigma {
  /// The standard deviation that boxes with this radius have, but for the rounding of their width.
  fileprivate init(boxRadius radius: Length) {
    self.init(radius.value * OddBoxes.sigmaPerRadius, radius.unit)
  }

  var boxRadius: Length { Length(value / OddBoxes.sigmaPerRadius, unit) }
}

extension Planner {
  /// Three boxes, a saturation, a veil, all at the style's intensity.
  mutating func imageEffects<Look: Style>(
    _ source: Surface, _ style: Look, radius: Length, saturation: Double, veil: Color
  ) throws(PlanError) -> Surface {
    let full = try radius.pixels(
      for: size, scale: options.scale, in: 0...1000, filter: Look.definition.name,
      parameter: "radius")
    guard style.intensity > 0 else { return source }
    let box = OddBoxes(radius: style.grown(full))
    let blurred = boxes(source, radius: box.radius, iterations: 3)
    let rich = Saturation(style.grown(saturation, from: 1)).plan(blurred, with: &self)
    return Tint(veil, alpha: style.intensity).plan(rich, with: &self)
  }
}
