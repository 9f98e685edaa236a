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
