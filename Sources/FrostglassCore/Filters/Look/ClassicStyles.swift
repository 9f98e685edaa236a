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
  /// The gray laid over the picture: 0 is black, 1 white.
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
