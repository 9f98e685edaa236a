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
