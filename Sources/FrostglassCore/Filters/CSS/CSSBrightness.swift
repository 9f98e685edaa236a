/// CSS `brightness()`: `c · amount`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 65536 nothing changes any more.
public struct CSSBrightness: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSBrightness>(
    "brightness", "CSS brightness(): multiplies every color.",
    [.factor("amount", \.amount, in: 0..., "0 is black, 1 changes nothing.")],
    example: "brightness(140%)")

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  /// At 65536 one step of 16 bits is already all of full scale.
  private var countedAmount: Double { min(amount, 65536) }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, ColorMatrix(scale: countedAmount))
  }
}

extension Filter where Self == CSSBrightness {
  /// CSS `brightness()`.
  public static func brightness(_ amount: Double) -> CSSBrightness { CSSBrightness(amount) }
}
