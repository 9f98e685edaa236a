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
