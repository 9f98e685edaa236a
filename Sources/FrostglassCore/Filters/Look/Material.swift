/// One of the materials of iOS: a blur over colors whose brightness was drawn to a curve.
///
/// Colors change first, on an image of a quarter of the size, as on iOS; the rest of the blur
/// follows. With σ = 29.5 on both axes the plan reads
///
///     Load → Resample ÷2 → Resample ÷2 → LumaCurve → Resample ÷2 → Convolve x → Convolve y → …
///
/// A blur so small that it halves the image less often changes colors after its last halving, at
/// half the size or at full size. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
/// The numbers are read and measured ones; these are re-creations. In linear light the same numbers
/// act on light, which is not what iOS shows.
package struct Material: PresetStyle {
  package let preset: Preset
  package var sigma: Sigma
  package var intensity = 1.0

  package init() { self.init(.materialLight) }

  package init(_ preset: Preset) {
    self.preset = preset
    sigma = Sigma(preset.points, .points)
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard intensity > 0 else { return source }
    let full = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: preset.name)
    let blur = grown(full)
    let coloring = preset.color.pass(intensity: intensity)
    if let strength = planner.strength {
      return planner.gaussian(planner.lumaCurve(source, coloring), upTo: blur, by: strength)
    }
    return planner.gaussian(
      source, x: blur, y: blur, coloring: coloring)
  }
}

/// A change of colors by a material: it pulls their brightness to a curve, then changes their saturation.
///
/// On an encoded straight color `c`, with `L` its brightness limited to 0…1 and `B` the cubic Bézier
/// curve through `values` at L,
///
///     mixed = c + amount (B(L) − c)
///     out = limited(Y(mixed) + saturation (mixed − Y(mixed)) + brightness)
///
/// where only the end is limited, to 0…1. Both steps are linear in how rich a color is, so that the
/// whole is a matrix and a curve: `LumaCurve`. L is weighed as GPUImage does it, Y by Rec. 709.
package struct MaterialColor: Sendable, Hashable {
  /// The share of the curve, 0…1; 0 leaves brightness as it is.
  package var amount: Double
  /// The curve's control values, from the darkest color to the brightest.
  package var values: SIMD4<Double>
  /// 1 leaves colors as rich as they are.
  package var saturation: Double
  /// Added to every color; 0 changes nothing.
  package var brightness: Double

  package init(
    amount: Double, values: SIMD4<Double>, saturation: Double = 1, brightness: Double = 0
  ) {
    self.amount = amount
    self.values = values
    self.saturation = saturation
    self.brightness = brightness
  }

  /// The pass that does it, its numbers grown to `intensity`, 0…1, from ones that change nothing.
  package func pass(intensity: Double = 1) -> LumaCurve {
    let amount = amount * intensity
    let saturation = 1 + (saturation - 1) * intensity
    let kept = 1 - amount
    let toGray = (1 - saturation) * kept * Luma.rec709.weights
    let identity = [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    var curve = amount * polynomial
    curve.x += brightness * intensity
    return LumaCurve(
      rows: identity.map { saturation * kept * $0 + toGray }, luma: Luma.gpuimage.weights,
      curve: curve)
  }

  /// The Bézier curve's coefficients, the constant first.
  private var polynomial: SIMD4<Double> {
    let v = values
    return SIMD4(
      v.x, 3 * (v.y - v.x), 3 * (v.z - 2 * v.y + v.x), v.w - 3 * v.z + 3 * v.y - v.x)
  }
}

extension Material {
  /// The table of materials: a name, what it is, σ in UIKit points, and what it does to colors.
  package struct Preset: StylePreset {
    package let name: String
    /// A name for the material, without the words that all share.
    private let glass: String
    /// Standard deviation of the blur in UIKit points.
    package let points: Double
    package let color: MaterialColor

    /// - Parameters: the row's numbers; those of the colors are `MaterialColor`'s.
    private init(
      _ name: String, _ glass: String, points: Double, amount: Double, _ values: SIMD4<Double>,
      saturation: Double, brightness: Double = 0
    ) {
      self.name = name
      self.glass = glass
      self.points = points
      color = MaterialColor(
        amount: amount, values: values, saturation: saturation, brightness: brightness)
    }

    package var summary: String { "iOS material: \(glass)." }
    package var example: String? { nil }
  }
}

extension Material.Preset {
  package static let allCases = system + surfaces

  /// The ten system materials of iOS 13 and later, by how much they let through.
  ///
  /// Curves from published recipes on which several authors agree, σ as live layers carry it. Against
  /// colors measured on a device the ten are under 3 levels of 255 off.
  package static let system: [Material.Preset] = [
    .ultraThinLight, .thinLight, .materialLight, .thickLight, .chromeLight, .ultraThinDark,
    .thinDark, .materialDark, .thickDark, .chromeDark,
  ]

  /// Materials that iOS uses for one kind of surface, from published recipes; nobody measured these.
  package static let surfaces: [Material.Preset] = [
    .dockLight, .dockDark, .platterLight, .platterDark, .toolbarButton,
  ]

  package static let ultraThinLight = Material.Preset(
    "ultra-thin-light", "a breath of light glass", points: 22.5, amount: 0.5,
    SIMD4(0.45, 0.55, 0.65, 0.68), saturation: 1.1, brightness: 0.12)
  package static let thinLight = Material.Preset(
    "thin-light", "thin light glass", points: 29.5, amount: 0.6,
    SIMD4(0.725, 0.825, 0.76, 0.73), saturation: 1.35, brightness: 0.12)
  package static let materialLight = Material.Preset(
    "material-light", "light glass", points: 29.5, amount: 0.75,
    SIMD4(0.9, 0.83, 0.925, 0.815), saturation: 1.5, brightness: 0.1)
  package static let thickLight = Material.Preset(
    "thick-light", "light glass that lets little through", points: 45, amount: 0.88,
    SIMD4(0.99, 0.95, 0.98, 0.905), saturation: 1.5, brightness: 0.045)
  package static let chromeLight = Material.Preset(
    "chrome-light", "the light glass of bars", points: 22.5, amount: 0.75,
    SIMD4(0.8, 0.9, 1.1, 0.825), saturation: 1.1, brightness: 0.1)
  package static let ultraThinDark = Material.Preset(
    "ultra-thin-dark", "a breath of dark glass", points: 22.5, amount: 0.5,
    SIMD4(0.24, 0.24, 0.3, 0.39), saturation: 1.1)
  package static let thinDark = Material.Preset(
    "thin-dark", "thin dark glass", points: 29.5, amount: 0.6,
    SIMD4(0.2, 0.21, 0.1, 0.15), saturation: 1.35)
  package static let materialDark = Material.Preset(
    "material-dark", "dark glass", points: 29.5, amount: 0.75,
    SIMD4(0.16, 0.26, 0.1, 0.1), saturation: 1.5)
  package static let thickDark = Material.Preset(
    "thick-dark", "dark glass that lets little through", points: 45, amount: 0.88,
    SIMD4(0.14, 0.16, 0.1, 0.03), saturation: 1.5)
  package static let chromeDark = Material.Preset(
    "chrome-dark", "the dark glass of bars", points: 22.5, amount: 0.75,
    SIMD4(0.23, 0.52, 0.27, 0.255), saturation: 2, brightness: -0.1)
  package static let dockLight = Material.Preset(
    "dock-light", "the light glass under a dock", points: 30, amount: 0.5,
    SIMD4(0.3, 0.5, 1, 0.77), saturation: 1.8, brightness: 0.08)
  package static let dockDark = Material.Preset(
    "dock-dark", "the dark glass under a dock", points: 30, amount: 0.5,
    SIMD4(0.29, -0.2, 0.375, 0.65), saturation: 1.6)
  package static let platterLight = Material.Preset(
    "platter-light", "the light glass of notices", points: 30, amount: 0.6,
    SIMD4(0.775, 0.85, 1.05, 0.94), saturation: 2.4)
  package static let platterDark = Material.Preset(
    "platter-dark", "the dark glass of notices", points: 30, amount: 0.4,
    SIMD4(0.41, -0.4, 0.3, 0), saturation: 1.4, brightness: -0.03)
  package static let toolbarButton = Material.Preset(
    "toolbar-button", "the glass of buttons in toolbars", points: 15, amount: 0.5,
    SIMD4(0.24, 0.24, 0.3, 0.39), saturation: 1.1)
}

extension FilterChain {
  /// The iOS material: a breath of light glass.
  public static var ultraThinLight: FilterChain { FilterChain(Material(.ultraThinLight)) }
  /// The iOS material: thin light glass.
  public static var thinLight: FilterChain { FilterChain(Material(.thinLight)) }
  /// The iOS material: light glass.
  public static var materialLight: FilterChain { FilterChain(Material(.materialLight)) }
  /// The iOS material: light glass that lets little through.
  public static var thickLight: FilterChain { FilterChain(Material(.thickLight)) }
  /// The iOS material: the light glass of bars.
  public static var chromeLight: FilterChain { FilterChain(Material(.chromeLight)) }
  /// The iOS material: a breath of dark glass.
  public static var ultraThinDark: FilterChain { FilterChain(Material(.ultraThinDark)) }
  /// The iOS material: thin dark glass.
  public static var thinDark: FilterChain { FilterChain(Material(.thinDark)) }
  /// The iOS material: dark glass.
  public static var materialDark: FilterChain { FilterChain(Material(.materialDark)) }
  /// The iOS material: dark glass that lets little through.
  public static var thickDark: FilterChain { FilterChain(Material(.thickDark)) }
  /// The iOS material: the dark glass of bars.
  public static var chromeDark: FilterChain { FilterChain(Material(.chromeDark)) }
}

/// The color of vibrant content, made from the material beneath it: much richer colors around a shifted brightness.
///
///     out = limited(gain (B − Y) + contrast Y + bias)
///
/// with B the material's color and Y its Rec. 601 brightness; over light materials gain 2, contrast
/// 0.375, bias 0.0625, over dark ones 1.75, 0.5, 0.5. That is a label; other levels keep some of the
/// material as it is. Only the content's alpha counts, never its color: lay this over the material
/// through a mask of that alpha.
package struct Vibrancy: Filter {
  package var level = FilterChain.VibrancyLevel.label
  package var appearance = FilterChain.Appearance.light

  package static let definition = FilterDefinition<Vibrancy>(
    "vibrancy", "The color of vibrant content over a material, to be applied through a mask.",
    [
      .choice("level", \.level, "What the content is; from label on, each stands out less."),
      .choice("appearance", \.appearance, "Whether the material is light or dark."),
    ])

  package init() {}

  package init(
    _ level: FilterChain.VibrancyLevel = .label, _ appearance: FilterChain.Appearance
  ) {
    self.level = level
    self.appearance = appearance
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, matrix)
  }

  /// The label's matrix, mixed with one that changes nothing.
  private var matrix: ColorMatrix {
    let (gain, contrast, bias) = appearance.numbers
    let toLuma = (contrast - gain) * SIMD3(0.299, 0.587, 0.114)
    let identity = [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    let strength = level.strength
    return ColorMatrix(
      rows: identity.map { unit in
        let row = strength * (gain * unit + toLuma) + (1 - strength) * unit
        return SIMD4(row, strength * bias)
      })
  }
}

extension FilterChain {
  /// The kind of vibrant content, by UIKit's names.
  public enum VibrancyLevel: String, Sendable, Hashable, CaseIterable {
    /// The main text.
    case label
    /// Text below the main text.
    case secondaryLabel = "secondary-label"
    /// Text that stands out less.
    case tertiaryLabel = "tertiary-label"
    /// Text that stands out least.
    case quaternaryLabel = "quaternary-label"
    /// A large shape.
    case fill
    /// A shape of middle size.
    case secondaryFill = "secondary-fill"
    /// A small shape.
    case tertiaryFill = "tertiary-fill"
    /// A line between parts.
    case separator

    /// The share of the label's matrix.
    ///
    /// Nobody published matrices for levels below label. These are chosen here: labels fall off in
    /// steps that are easy to tell apart; fills stay behind the labels on them.
    var strength: Double {
      switch self {
      case .label: 1
      case .secondaryLabel: 0.65
      case .tertiaryLabel: 0.4
      case .quaternaryLabel: 0.2
      case .fill: 0.3
      case .secondaryFill: 0.24
      case .tertiaryFill: 0.18
      case .separator: 0.3
      }
    }
  }

  /// The light or dark variant of a material or a pane of glass.
  public enum Appearance: String, Sendable, Hashable, CaseIterable {
    /// Light, for dark content.
    case light
    /// Dark, for light content.
    case dark

    /// Read from live layers; the published matrices are these numbers multiplied out.
    var numbers: (gain: Double, contrast: Double, bias: Double) {
      switch self {
      case .light: (2, 0.375, 0.0625)
      case .dark: (1.75, 0.5, 0.5)
      }
    }
  }
}

extension FilterChain {
  /// The color of vibrant content over a material, to be applied through a mask.
  ///
  /// - Parameters:
  ///   - level: the kind of content; from label on, each stands out less.
  ///   - appearance: the appearance of the material.
  public static func vibrancy(
    _ level: VibrancyLevel, _ appearance: Appearance
  ) -> FilterChain { FilterChain(Vibrancy(level, appearance)) }
}
