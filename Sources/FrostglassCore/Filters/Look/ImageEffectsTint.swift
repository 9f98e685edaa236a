/// The tint of Apple's ImageEffects sample: colors of the complement, under a veil of a given color.
///
/// The color's own alpha does not count: it is 0.6, and the saturation is −1, as in the sample.
public struct ImageEffectsTint: Style {
  public var color = Color(red: 0, green: 0.48, blue: 1)
  /// The sample's blur radius; `OddBoxes` makes boxes of it.
  public var radius = Length(10, .points)
  public var intensity = 1.0

  public static let definition = FilterDefinition<ImageEffectsTint>(
    "image-effects-tint", "A colored veil, as in Apple's ImageEffects sample.",
    [
      .color("color", \.color, "The veil's color; its alpha is always 0.6."),
      .boxRadius(\.radius), .intensity,
    ])

  public init() {}

  /// Nearly: box widths are whole and odd.
  public var sigma: Sigma {
    get { Sigma(boxRadius: radius) }
    set { radius = newValue.boxRadius }
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    var veil = color
    veil.alpha = 0.6
    return try planner.imageEffects(source, self, radius: radius, saturation: -1, veil: veil)
  }
}
