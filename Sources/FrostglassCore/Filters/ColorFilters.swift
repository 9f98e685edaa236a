/// Moves colors away from their gray or toward it: `Y + amount (c − Y)`, limited to 0…1.
///
/// Source of the formula: Apple's ImageEffects sample (Rec. 709 weights, 1.8 for its styles) and
/// GPUImage's saturation filter (its own rounding of the weights).
package struct Saturation: Filter {
  /// 0 is gray, 1 changes nothing, negative values swap colors with their complements.
  package var amount = 1.0
  /// The weights of the gray.
  package var luma = Luma.rec709

  package static let definition = FilterDefinition<Saturation>(
    "saturation", "Moves colors away from gray, or toward it.",
    [
      .factor("amount", \.amount, in: -10...10, "0 is gray, 1 changes nothing, 1.8 is iOS."),
      .choice("luma", \.luma, "Weights of red, green and blue in the gray."),
    ], example: "saturation(1.8)", isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double, luma: Luma = .rec709) {
    self.amount = amount
    self.luma = luma
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, .saturation(amount, luma: luma.weights))
  }
}

extension FilterChain {
  /// Moves colors away from gray, or toward it.
  ///
  /// - Parameters:
  ///   - amount: −10…10; 0 is gray, 1 changes nothing, 1.8 is that of iOS.
  ///   - luma: the weights of red, green and blue in the gray.
  public static func saturation(_ amount: Double, luma: Luma = .rec709) -> FilterChain {
    FilterChain(Saturation(amount, luma: luma))
  }
}

extension ColorMatrix {
  /// `Y + amount (c − Y)` with the given weights of the gray.
  static func saturation(_ amount: Double, luma: SIMD3<Double>) -> ColorMatrix {
    let toGray = luma * (1 - amount)
    return ColorMatrix(rows: [
      SIMD4(toGray + SIMD3(amount, 0, 0), 0),
      SIMD4(toGray + SIMD3(0, amount, 0), 0),
      SIMD4(toGray + SIMD3(0, 0, amount), 0),
    ])
  }
}

/// Adds the same amount to red, green and blue: GPUImage's brightness filter.
package struct BrightnessOffset: Filter {
  /// A fraction of full scale; 0 changes nothing.
  package var amount = 0.0

  package static let definition = FilterDefinition<BrightnessOffset>(
    "lift", "Adds to every color, as GPUImage's brightness does.",
    [.factor("amount", \.amount, in: -1...1, "Fraction of full scale; 0 changes nothing.")],
    example: "lift(0.2)", isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, ColorMatrix(scale: 1, offset: SIMD3(repeating: amount)))
  }
}

extension FilterChain {
  /// Additive brightness, -1…1; 0 changes nothing.
  public static func lift(_ amount: Double) -> FilterChain { FilterChain(BrightnessOffset(amount)) }
}

/// Pulls the brightness of every color toward the middle: `c + (0.5 − Y) reduction`, limited to 0…1.
///
/// Source of the formula: GPUImage's luminance range filter, with its weights.
package struct LuminanceRange: Filter {
  /// 0 changes nothing, 1 makes every brightness the same.
  package var reduction = 0.6

  package static let definition = FilterDefinition<LuminanceRange>(
    "luminance-range", "Pulls brightness toward the middle.",
    [.factor("reduction", \.reduction, in: 0...1, "0 changes nothing, 1 leaves one brightness.")],
    isTranslationInvariant: true)

  package init() {}

  package init(reduction: Double) { self.reduction = reduction }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let pull = -reduction * Luma.gpuimage.weights
    let middle = 0.5 * reduction
    return planner.colorMatrix(
      source,
      ColorMatrix(rows: [
        SIMD4(pull + SIMD3(1, 0, 0), middle), SIMD4(pull + SIMD3(0, 1, 0), middle),
        SIMD4(pull + SIMD3(0, 0, 1), middle),
      ]))
  }
}

extension FilterChain {
  /// Pulls brightness toward the middle, 0…1; 0 changes nothing.
  public static func luminanceRange(reduction: Double) -> FilterChain {
    FilterChain(LuminanceRange(reduction: reduction))
  }
}

/// Lays a color over the image: `c (1 − a) + color a` on straight colors; the image's own alpha
/// stays, so what was transparent stays transparent.
package struct Tint: Filter {
  package var color = Color.white
  /// The opacity of the color, on top of the color's own alpha.
  package var alpha = 0.3

  package static let definition = FilterDefinition<Tint>(
    "tint", "Lays a color over the image.",
    [
      .color("color", \.color, "The color; its own alpha counts too."),
      .factor("alpha", \.alpha, in: 0...1, "0 changes nothing, 1 leaves only the color."),
    ], isTranslationInvariant: true)

  package init() {}

  package init(_ color: Color, alpha: Double) {
    self.color = color
    self.alpha = alpha
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = alpha * color.alpha
    return planner.colorMatrix(
      source, ColorMatrix(scale: 1 - amount, offset: planner.working(color) * amount))
  }
}

extension FilterChain {
  /// Lays a color over the image; alpha 0…1.
  public static func tint(_ color: Color, alpha: Double) -> FilterChain {
    FilterChain(Tint(color, alpha: alpha))
  }
}

/// Sets the strength of everything before it: a mix of the chain's image with the result so far.
package struct Mix: Filter {
  /// 0 gives the image the chain began with, 1 the full effect.
  package var strength = 1.0

  package static let definition = FilterDefinition<Mix>(
    "mix", "Sets the strength of the whole effect before it.",
    [.factor("strength", \.strength, in: 0...1, "0 is the image itself, 1 the full effect.")],
    example: "blur(8px) mix(50%)")

  package init() {}

  package init(_ strength: Double) { self.strength = strength }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    switch strength {
    case 1: source
    case 0: planner.original
    default: planner.mix(planner.original, source, amount: strength)
    }
  }
}

extension FilterChain {
  /// The strength of the whole effect before it, 0…1.
  public static func mix(_ strength: Double) -> FilterChain { FilterChain(Mix(strength)) }
}

/// Lays the result so far over the image the chain began with, as `backdrop-filter` does.
///
/// Where that image is opaque, so is the result.
package struct Over: Filter {
  package static let definition = FilterDefinition<Over>(
    "over", "Lays the result of the filters before it over the image they began with.",
    example: "blur(8px) opacity(60%) over()")

  package init() {}

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    source.layout.hasAlpha ? planner.over(source, planner.original) : source
  }
}

extension FilterChain {
  /// Lays the result so far over the image the chain began with.
  public static var over: FilterChain { FilterChain(Over()) }
}
