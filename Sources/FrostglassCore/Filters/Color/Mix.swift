/// Sets the strength of everything before it: a mix of the chain's picture with the result so far.
public struct Mix: Filter {
  /// 0 gives the picture the chain began with, 1 the full effect.
  public var strength = 1.0

  public static let definition = FilterDefinition<Mix>(
    "mix", "Sets the strength of the whole effect before it.",
    [.factor("strength", \.strength, in: 0...1, "0 is the picture itself, 1 the full effect.")],
    example: "blur(8px) mix(50%)")

  public init() {}

  public init(_ strength: Double) { self.strength = strength }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    switch strength {
    case 1: source
    case 0: planner.original
    default: planner.mix(planner.original, source, amount: strength)
    }
  }
}

extension Filter where Self == Mix {
  /// The strength of the whole effect before it, 0…1.
  public static func mix(_ strength: Double) -> Mix { Mix(strength) }
}
