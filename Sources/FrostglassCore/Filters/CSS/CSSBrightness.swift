/// CSS `brightness()`: `c · amount`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
public struct CSSBrightness: Filter {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSBrightness>(
    "brightness", "CSS brightness(): multiplies every color.",
    [.factor("amount", \.amount, in: 0...100, "0 is black, 1 changes nothing.")],
    example: "brightness(140%)")

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, ColorMatrix(scale: amount))
  }
}

extension Filter where Self == CSSBrightness {
  /// CSS `brightness()`.
  public static func brightness(_ amount: Double) -> CSSBrightness { CSSBrightness(amount) }
}
