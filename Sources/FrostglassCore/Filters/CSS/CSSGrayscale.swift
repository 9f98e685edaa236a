/// CSS `grayscale()`: `Y + (1 − amount)(c − Y)` with the weights .2126 .7152 .0722.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
public struct CSSGrayscale: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSGrayscale>(
    "grayscale", "CSS grayscale(): takes color away.",
    [.factor("amount", \.amount, in: 0..., "0 changes nothing, 1 is gray; more counts as 1.")])

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    return planner.colorMatrix(source, .saturation(1 - amount, luma: Luma.rec709.weights))
  }
}

extension Filter where Self == CSSGrayscale {
  /// CSS `grayscale()`.
  public static func grayscale(_ amount: Double) -> CSSGrayscale { CSSGrayscale(amount) }
}
