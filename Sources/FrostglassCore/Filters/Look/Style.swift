/// A finished look that can be asked for by name alone; its σ can be replaced, its strength set.
package protocol Style: Filter {
  /// Standard deviation of the look's blur at full intensity.
  var sigma: Sigma { get set }
  /// From 0, the image untouched, to 1, the full look.
  ///
  /// Every number of the look grows with it, as an animation from no effect to the effect does it:
  /// half the intensity is half the blur, not a sharp image mixed with a blurred one.
  var intensity: Double { get set }
}

extension FilterParameter where Root: Style {
  /// The σ of a style that keeps it as it is.
  static var styleSigma: FilterParameter {
    .sigma("sigma", \.sigma, "Standard deviation of the blur.")
  }

  /// The intensity of a style.
  static var intensity: FilterParameter {
    .factor(
      "intensity", \.intensity, in: 0...1,
      "0 leaves the image as it is, 1 is the full look; blur and colors grow together.")
  }
}

extension Style {
  /// A number that changes nothing when it is `none`, at the style's intensity.
  func grown(_ full: Double, from none: Double = 0) -> Double {
    none + (full - none) * intensity
  }

  /// A standard deviation at the style's intensity.
  func grown(_ full: Sigma) -> Sigma { Sigma(full.value * intensity, full.unit) }
}

/// A look that is one row of a table: its arithmetic is the type's, its numbers are the row's.
package protocol PresetStyle: Style {
  /// A row of the table.
  associatedtype Preset: StylePreset
  /// The row this look is.
  var preset: Preset { get }
  /// The parameters that every row has.
  static var parameters: [FilterParameter<Self>] { get }
  /// The look of a row, with every parameter at its default.
  init(_ preset: Preset)
}

/// A row of a table of looks.
package protocol StylePreset: Sendable, Hashable, CaseIterable {
  /// The name in text form.
  var name: String { get }
  /// One sentence.
  var summary: String { get }
  /// A chain in text form that shows the look at work on a small photograph, where the defaults
  /// do not.
  var example: String? { get }
}

extension PresetStyle {
  package static var definition: FilterDefinition<Self> { Self().definition }
  package static var parameters: [FilterParameter<Self>] { [.styleSigma, .intensity] }

  package var definition: FilterDefinition<Self> {
    FilterDefinition(preset.name, preset.summary, Self.parameters, example: preset.example)
  }

  package var defaults: Self { Self(preset) }
}

/// A blur, richer colors, a veil of one color: the styles of iOS 8 and what is made like them.
///
/// `out = (1 − alpha) · saturated(blur(picture)) + alpha · veil`, the saturated color limited to
/// 0…1 before the veil. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
package struct ClassicStyle: PresetStyle, CompositeFilter {
  package let preset: Preset
  package var sigma: Sigma
  package var intensity = 1.0

  package init() { self.init(.light) }

  package init(_ preset: Preset) {
    self.preset = preset
    sigma = Sigma(preset.points, .points)
  }

  package var chain: FilterChain {
    guard intensity > 0 else { return [] }
    return [
      .gaussian(sigma: grown(sigma)), .saturation(grown(preset.saturation, from: 1)),
      .tint(preset.veil, alpha: intensity),
    ]
  }
}

extension ClassicStyle {
  /// The table of classic styles.
  package struct Preset: StylePreset {
    package let name: String
    package let summary: String
    /// Standard deviation of the blur in UIKit points.
    package let points: Double
    /// 1 leaves colors as they are.
    package let saturation: Double
    /// The veil, with how much of it as its alpha.
    package let veil: Color
    package let example: String?

    private init(
      _ name: String, _ summary: String, points: Double, saturation: Double, veil: Color,
      example: String? = nil
    ) {
      self.name = name
      self.summary = summary
      self.points = points
      self.saturation = saturation
      self.veil = veil
      self.example = example
    }
  }
}

extension ClassicStyle.Preset {
  package static let allCases = uikit + sevenBlur

  /// The styles of UIKit; the saturation was measured on iOS 26.
  package static let uikit: [ClassicStyle.Preset] = [.light, .extraLight, .dark]

  package static let light = ClassicStyle.Preset(
    "light", "iOS light: bright glass that lets colors through.", points: 30, saturation: 1.8,
    veil: Color(white: 1, alpha: 0.30), example: "light(6px)")
  package static let extraLight = ClassicStyle.Preset(
    "extra-light", "iOS extra light: nearly white glass.", points: 20, saturation: 1.8,
    veil: Color(white: 0.97, alpha: 0.80), example: "extra-light(5px)")
  package static let dark = ClassicStyle.Preset(
    "dark", "iOS dark: dark glass.", points: 20, saturation: 1.8,
    veil: Color(white: 0.11, alpha: 0.73), example: "dark(5px)")

  /// The color presets of 7blur: a blur, very rich colors, a veil.
  ///
  /// 7blur shrinks a snapshot to a quarter, blurs that with three boxes of width 11 (radius 6) or 15
  /// (radius 8), saturates and tints it, and shows it stretched four times. Boxes and stretching
  /// together have a variance of `16 · 3 (d² − 1) / 12 + 16 / 6` pixels: σ = 22 and σ = 30, a Gaussian
  /// of which is what is computed here, at full precision. Its pixels are UIKit points.
  package static let sevenBlur: [ClassicStyle.Preset] = [
    .sevenBlurLight,
    ClassicStyle.Preset(
      "7blur-dark", "7blur's dark effect.", points: 30, saturation: 3,
      veil: Color(white: 0, alpha: 0.5)),
    ClassicStyle.Preset(
      "7blur-coral", "7blur's coral effect: a touch of red.", points: 30, saturation: 3,
      veil: Color(red: 1, green: 0, blue: 0, alpha: 0.1)),
    ClassicStyle.Preset(
      "7blur-neon", "7blur's neon effect: a touch of green.", points: 30, saturation: 3,
      veil: Color(red: 0, green: 1, blue: 0, alpha: 0.1)),
    ClassicStyle.Preset(
      "7blur-sky", "7blur's sky effect: a touch of blue.", points: 30, saturation: 3,
      veil: Color(red: 0, green: 0, blue: 1, alpha: 0.1)),
  ]

  package static let sevenBlurLight = ClassicStyle.Preset(
    "7blur-light", "7blur's light effect.", points: 22, saturation: 1.8,
    veil: Color(white: 0.8, alpha: 0.2))
}

extension FilterChain {
  /// iOS light: bright glass that lets colors through.
  public static var light: FilterChain { FilterChain(ClassicStyle(.light)) }
  /// iOS extra light: nearly white glass.
  public static var extraLight: FilterChain { FilterChain(ClassicStyle(.extraLight)) }
  /// iOS dark: dark glass.
  public static var dark: FilterChain { FilterChain(ClassicStyle(.dark)) }
}

/// A look of one's own in the words of iOS blur effects: a blur, a saturation, a gray and a color.
///
/// `blurred → saturated, limited to 0…1 → gray over it → color over that`. σ is in UIKit points:
/// `PlanOptions.scale` makes pixels of them.
package struct CustomStyle: Style, CompositeFilter {
  package var sigma = Sigma(20, .points)
  /// 1 leaves colors as they are.
  package var saturation = 1.8
  /// The gray laid over the image: 0 is black, 1 white.
  package var grayscaleTintLevel = 1.0
  /// The opacity of the gray.
  package var grayscaleTintAlpha = 0.2
  /// The color laid over all.
  package var colorTint = Color.white
  /// The opacity of the color, on top of its own alpha.
  package var colorTintAlpha = 0.0
  package var intensity = 1.0

  package static let definition = FilterDefinition<CustomStyle>(
    "custom-style", "A look of one's own in the words of iOS blur effects.",
    [
      .styleSigma,
      .factor("saturation", \.saturation, in: -10...10, "0 is gray, 1 changes nothing."),
      .factor("grayscale-tint-level", \.grayscaleTintLevel, in: 0...1, "0 is black, 1 white."),
      .factor("grayscale-tint-alpha", \.grayscaleTintAlpha, in: 0...1, "How much of that gray."),
      .color("color-tint", \.colorTint, "The color over all; its own alpha counts too."),
      .factor("color-tint-alpha", \.colorTintAlpha, in: 0...1, "How much of that color."),
      .intensity,
    ])

  package init() {}

  package var chain: FilterChain {
    guard intensity > 0 else { return [] }
    return [
      .gaussian(sigma: grown(sigma)), .saturation(grown(saturation, from: 1)),
      .tint(Color(white: grayscaleTintLevel), alpha: grown(grayscaleTintAlpha)),
      .tint(colorTint, alpha: grown(colorTintAlpha)),
    ]
  }
}

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
