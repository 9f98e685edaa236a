/// Moves colors away from their gray or toward it: `Y + amount (c − Y)`, limited to 0…1.
///
/// Source of the formula: Apple's ImageEffects sample (Rec. 709 weights, 1.8 for its styles) and
/// GPUImage's saturation filter (its own rounding of the weights).
public struct Saturation: Filter {
  /// 0 is gray, 1 changes nothing, negative values swap colors with their complements.
  public var amount = 1.0
  /// The weights of the gray.
  public var luma = Luma.rec709

  public static let definition = FilterDefinition<Saturation>(
    "saturation", "Moves colors away from gray, or toward it.",
    [
      .factor("amount", \.amount, in: -10...10, "0 is gray, 1 changes nothing, 1.8 is iOS."),
      .choice("luma", \.luma, "Weights of red, green and blue in the gray."),
    ], example: "saturation(1.8)")

  public init() {}

  public init(_ amount: Double, luma: Luma = .rec709) {
    self.amount = amount
    self.luma = luma
  }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, .saturation(amount, luma: luma.weights))
  }
}

extension Filter where Self == Saturation {
  /// Saturation, -10…10; 1 changes nothing.
  public static func saturation(_ amount: Double) -> Saturation { Saturation(amount) }
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
public struct Lift: Filter {
  /// A fraction of full scale; 0 changes nothing.
  public var amount = 0.0

  public static let definition = FilterDefinition<Lift>(
    "lift", "Adds to every color, as GPUImage's brightness does.",
    [.factor("amount", \.amount, in: -1...1, "Fraction of full scale; 0 changes nothing.")],
    example: "lift(0.2)")

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, ColorMatrix(scale: 1, offset: SIMD3(repeating: amount)))
  }
}

extension Filter where Self == Lift {
  /// Additive brightness, -1…1; 0 changes nothing.
  public static func lift(_ amount: Double) -> Lift { Lift(amount) }
}

/// Pulls the brightness of every color toward the middle: `c + (0.5 − Y) reduction`, limited to 0…1.
///
/// Source of the formula: GPUImage's luminance range filter, with its weights.
public struct LuminanceRange: Filter {
  /// 0 changes nothing, 1 makes every brightness the same.
  public var reduction = 0.6

  public static let definition = FilterDefinition<LuminanceRange>(
    "luminance-range", "Pulls brightness toward the middle.",
    [.factor("reduction", \.reduction, in: 0...1, "0 changes nothing, 1 leaves one brightness.")])

  public init() {}

  public init(reduction: Double) { self.reduction = reduction }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
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

extension Filter where Self == LuminanceRange {
  /// Pulls brightness toward the middle, 0…1; 0 changes nothing.
  public static func luminanceRange(reduction: Double) -> LuminanceRange {
    LuminanceRange(reduction: reduction)
  }
}

/// Lays a color over the picture: `c (1 − a) + color a` on straight colors; the picture's own alpha
/// stays, so what was transparent stays transparent.
public struct Tint: Filter {
  public var color = Color.white
  /// How much of the color, on top of the color's own alpha.
  public var alpha = 0.3

  public static let definition = FilterDefinition<Tint>(
    "tint", "Lays a color over the picture.",
    [
      .color("color", \.color, "The color; its own alpha counts too."),
      .factor("alpha", \.alpha, in: 0...1, "0 changes nothing, 1 leaves only the color."),
    ])

  public init() {}

  public init(_ color: Color, alpha: Double) {
    self.color = color
    self.alpha = alpha
  }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = alpha * color.alpha
    return planner.colorMatrix(
      source, ColorMatrix(scale: 1 - amount, offset: planner.working(color) * amount))
  }
}

extension Filter where Self == Tint {
  /// Lays a color over the picture; alpha 0…1.
  public static func tint(_ color: Color, alpha: Double) -> Tint { Tint(color, alpha: alpha) }
}

/// Sets the strength of everything before it: a mix of the chain's picture with the result so far.
public struct Mix: Filter {
  /// 0 gives the picture the chain began with, 1 the full effect.
  public var strength = 1.0

  public static let definition = FilterDefinition<Mix>(
    "mix", "Sets the strength of the whole effect before it.",
    [.factor("strength", \.strength, in: 0...1, "0 is the picture itself, 1 the full effect.")],
    example: "blur(8px) mix(50%)")

  public init() {}

  public init(_ strength: Double) { self.strength = strength }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    switch strength {
    case 1: source
    case 0: planner.original
    default: planner.mix(planner.original, source, amount: strength)
    }
  }
}

extension Filter where Self == Mix {
  /// The strength of the whole effect before it, 0…1.
  public static func mix(_ strength: Double) -> Mix { Mix(strength) }
}

/// Lays the result so far over the picture the chain began with, as `backdrop-filter` does.
///
/// Where that picture is opaque, so is the result.
public struct Over: Filter {
  public static let definition = FilterDefinition<Over>(
    "over", "Lays the result of the filters before it over the picture they began with.",
    example: "blur(8px) opacity(60%) over()")

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    source.layout.hasAlpha ? planner.over(source, planner.original) : source
  }
}

extension Filter where Self == Over {
  /// Lays the result so far over the picture the chain began with.
  public static var over: Over { Over() }
}
