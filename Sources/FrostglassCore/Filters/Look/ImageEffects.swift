/// One of the looks of Apple's ImageEffects sample: three boxes, richer colors, a veil.
///
/// `out = (1 − alpha) · saturated(blurred) + alpha · veil`, the saturated color limited to 0…1 before
/// the veil, which lies over what is visible. The sample loses a saturation that comes with radius 0;
/// here it stays. Radius is in UIKit points: `PlanOptions.scale` makes pixels of them.
package struct ImageEffects: PresetStyle {
  package let preset: Preset
  /// The sample's blur radius; `OddBoxes` makes boxes of it.
  package var radius: Length
  package var intensity = 1.0

  /// Saturation of the blurred colors.
  static let saturation = 1.8

  package static let parameters: [FilterParameter<ImageEffects>] = [
    .boxRadius(\.radius), .intensity,
  ]

  package init() { self.init(.light) }

  package init(_ preset: Preset) {
    self.preset = preset
    radius = Length(preset.points, .points)
  }

  /// Nearly: box widths are whole and odd.
  package var sigma: Sigma {
    get { Sigma(boxRadius: radius) }
    set { radius = newValue.boxRadius }
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    try planner.imageEffects(
      source, self, radius: radius, saturation: Self.saturation, veil: preset.veil)
  }
}

extension ImageEffects {
  /// The table of the sample's named looks.
  package struct Preset: StylePreset {
    package let name: String
    package let summary: String
    /// Blur radius in UIKit points.
    package let points: Double
    /// The veil, with how much of it as its alpha.
    package let veil: Color
    package var example: String? { nil }

    private init(_ name: String, _ summary: String, points: Double, veil: Color) {
      self.name = name
      self.summary = summary
      self.points = points
      self.veil = veil
    }

    package static let allCases: [Preset] = [.light, .extraLight, .dark]

    package static let light = Preset(
      "image-effects-light", "Light, as in Apple's ImageEffects sample.", points: 30,
      veil: Color(white: 1, alpha: 0.3))
    package static let extraLight = Preset(
      "image-effects-extra-light", "Extra light, as in Apple's ImageEffects sample.", points: 20,
      veil: Color(white: 0.97, alpha: 0.82))
    package static let dark = Preset(
      "image-effects-dark", "Dark, as in Apple's ImageEffects sample.", points: 20,
      veil: Color(white: 0.11, alpha: 0.73))
  }
}

/// The tint of Apple's ImageEffects sample: colors of the complement, under a veil of a given color.
///
/// The color's own alpha does not count: it is 0.6, and the saturation is −1, as in the sample.
package struct ImageEffectsTint: Style {
  package var color = Color(red: 0, green: 0.48, blue: 1)
  /// The sample's blur radius; `OddBoxes` makes boxes of it.
  package var radius = Length(10, .points)
  package var intensity = 1.0

  /// Saturation of the blurred colors: that of their complements.
  static let saturation = -1.0
  /// The veil's alpha.
  static let alpha = 0.6

  package static let definition = FilterDefinition<ImageEffectsTint>(
    "image-effects-tint", "A colored veil, as in Apple's ImageEffects sample.",
    [
      .color("color", \.color, "The veil's color; its alpha is always 0.6."),
      .boxRadius(\.radius), .intensity,
    ])

  package init() {}

  /// Nearly: box widths are whole and odd.
  package var sigma: Sigma {
    get { Sigma(boxRadius: radius) }
    set { radius = newValue.boxRadius }
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    var veil = color
    veil.alpha = Self.alpha
    return try planner.imageEffects(
      source, self, radius: radius, saturation: Self.saturation, veil: veil)
  }
}

extension FilterParameter {
  /// The blur radius of three boxes.
  static func boxRadius(_ path: Path<Length>) -> FilterParameter {
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
      for: size, scale: options.scale, in: 0...1000, filter: style.definition.name,
      parameter: "radius")
    guard style.intensity > 0 else { return source }
    let box = OddBoxes(radius: style.grown(full))
    let blurred = boxes(source, radius: box.radius, iterations: 3)
    let rich = Saturation(style.grown(saturation, from: 1)).plan(blurred, with: &self)
    return Tint(veil, alpha: style.intensity).plan(rich, with: &self)
  }
}
