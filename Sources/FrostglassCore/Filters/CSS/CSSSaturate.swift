/// CSS `saturate()`: `Y + amount (c − Y)` with the weights .213 .715 .072.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 4096 nothing changes any more.
public struct CSSSaturate: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSSaturate>(
    "saturate", "CSS saturate(): moves colors away from gray, or toward it.",
    [.factor("amount", \.amount, in: 0..., "0 is gray, 1 changes nothing.")],
    example: "saturate(180%)")

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  /// At 4096 one step of 8 bits in one channel is already all of full scale; more would make the
  /// rounding of floats visible on grays.
  private var countedAmount: Double { min(amount, 4096) }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, .saturation(countedAmount, luma: Luma.css.weights))
  }
}

extension Filter where Self == CSSSaturate {
  /// CSS `saturate()`.
  public static func saturate(_ amount: Double) -> CSSSaturate { CSSSaturate(amount) }
}
