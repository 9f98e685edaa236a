/// CSS `opacity()`: multiplies alpha.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
public struct CSSOpacity: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSOpacity>(
    "opacity", "CSS opacity(): makes the picture transparent.",
    [
      .factor(
        "amount", \.amount, in: 0..., "0 is invisible, 1 changes nothing; more counts as 1.")
    ], example: "opacity(50%)")

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    var matrix = ColorMatrix(scale: 1)
    matrix.opacity = Float(amount)
    return planner.colorMatrix(source, matrix)
  }
}

extension Filter where Self == CSSOpacity {
  /// CSS `opacity()`.
  public static func opacity(_ amount: Double) -> CSSOpacity { CSSOpacity(amount) }
}
