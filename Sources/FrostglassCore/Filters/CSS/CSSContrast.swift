/// CSS `contrast()`: `(c − 0.5) · amount + 0.5`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 65536 nothing changes any more.
public struct CSSContrast: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSContrast>(
    "contrast", "CSS contrast(): moves colors away from middle gray, or toward it.",
    [.factor("amount", \.amount, in: 0..., "0 is middle gray, 1 changes nothing.")],
    example: "contrast(160%)")

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  /// At 65536 one step of 16 bits is already all of full scale.
  private var countedAmount: Double { min(amount, 65536) }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let offset = SIMD3(repeating: 0.5 - 0.5 * countedAmount)
    return planner.colorMatrix(source, ColorMatrix(scale: countedAmount, offset: offset))
  }
}

extension Filter where Self == CSSContrast {
  /// CSS `contrast()`.
  public static func contrast(_ amount: Double) -> CSSContrast { CSSContrast(amount) }
}
