/// CSS `invert()`: `c (1 − 2 amount) + amount`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
public struct CSSInvert: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSInvert>(
    "invert", "CSS invert(): turns colors into their complements.",
    [
      .factor(
        "amount", \.amount, in: 0..., "0 changes nothing, 1 is the negative; more counts as 1.")
    ])

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    let offset = SIMD3(repeating: amount)
    return planner.colorMatrix(source, ColorMatrix(scale: 1 - 2 * amount, offset: offset))
  }
}

extension Filter where Self == CSSInvert {
  /// CSS `invert()`.
  public static func invert(_ amount: Double) -> CSSInvert { CSSInvert(amount) }
}
