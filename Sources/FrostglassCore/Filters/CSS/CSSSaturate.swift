/// CSS `saturate()`: `Y + amount (c − Y)` with the weights .213 .715 .072.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 65536 nothing changes any more.
public struct CSSSaturate: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSSaturate>(
    "saturate", "CSS saturate(): moves colors away from gray, or toward it.",
    [.factor("amount", \.amount, in: 0..., "0 is gray, 1 changes nothing.")])

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  /// One step of 16 bits is then already all of full scale, and floats keep grays gray.
  private var countedAmount: Double { min(amount, 65536) }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, .saturation(countedAmount, luma: Luma.css.weights))
  }
}

extension Filter where Self == CSSSaturate {
  /// CSS `saturate()`.
  public static func saturate(_ amount: Double) -> CSSSaturate { CSSSaturate(amount) }
}
