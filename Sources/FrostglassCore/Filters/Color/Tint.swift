/// Lays a color over the picture: `c (1 − a) + color a` on straight colors; the picture's own alpha
/// stays, so what was transparent stays transparent.
public struct Tint: Filter {
  public var color = Color.white
  /// How much of the color, on top of the color's own alpha.
  public var alpha = 0.3

  public static let definition = FilterDefinition<Tint>(
    "tint", "Lays a color over the picture.",
    [
      .color("color", \.color, "The color; its own alpha counts too."),
      .factor("alpha", \.alpha, in: 0...1, "0 changes nothing, 1 leaves only the color."),
    ])

  public init() {}

  public init(_ color: Color, alpha: Double) {
    self.color = color
    self.alpha = alpha
  }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = alpha * color.alpha
    return planner.colorMatrix(
      source, ColorMatrix(scale: 1 - amount, offset: planner.working(color) * amount))
  }
}

extension Filter where Self == Tint {
  /// Lays a color over the picture; alpha 0…1.
  public static func tint(_ color: Color, alpha: Double) -> Tint { Tint(color, alpha: alpha) }
}
