/// A pane of glass over the picture: blurred and bent inside its outline, light on its rim, a shadow
/// around it. Inspired by the glass of iOS 26; outside, the picture stays sharp.
///
/// Inside, in this order: a blur, refraction at the rim (`GlassLens`, `Displace`), the face's colors
/// (`GlassFace`, `LumaCurve`), light on the rim (`GlassRim`).
public struct Glass: Filter {
  public var variant = Variant.regular
  public var appearance = Appearance.light
  /// The middle of the pane, as fractions of width and height.
  public var x = 0.5
  public var y = 0.5
  public var width = Length(90, .percent)
  public var height = Length(36, .percent)
  /// Radius of the corners. Half the pane's shorter side or more makes a capsule.
  public var radius = Length(100, .percent)
  /// Standard deviation of the blur; `nil` is the variant's own.
  public var blur: Sigma?
  /// How far from inside the rim shows what is behind.
  public var refraction = Length(60, .points)
  /// How far inside the rim light is bent.
  public var depth = Length(20, .points)
  /// How far colors part at the rim.
  public var dispersion = 0.0
  public var highlight = 0.5
  /// Where the light comes from: 45° is one corner and the one across.
  public var light = Angle(degrees: 45)
  public var shadow = 0.15

  public static let definition = FilterDefinition<Glass>(
    "glass", "Lays a pane of glass with a bent rim over the picture.",
    [
      .choice("variant", \.variant, "Milky or clear."),
      .choice("appearance", \.appearance, "Light or dark glass."),
      .factor("x", \.x, in: -1...2, "The pane's middle, as a fraction of the width."),
      .factor("y", \.y, in: -1...2, "The pane's middle, as a fraction of the height."),
      .length("width", \.width, in: 0...100_000, "Width of the pane."),
      .length("height", \.height, in: 0...100_000, "Height of the pane."),
      .length("radius", \.radius, in: 0...100_000, "Of the corners; a large one makes a capsule."),
      .sigma("blur", \.blur, "Standard deviation behind the glass; the variant's when left out."),
      .length("refraction", \.refraction, in: 0...1000, "How far the rim bends what is behind."),
      .length("depth", \.depth, in: 0...1000, "How far inside the rim it bends; 0 is a flat pane."),
      .factor("dispersion", \.dispersion, in: 0...1, "How far colors part at the rim."),
      .factor("highlight", \.highlight, in: 0...1, "Light on the rim."),
      .angle("light", \.light, "Where the light comes from."),
      .factor("shadow", \.shadow, in: 0...1, "Shadow around the pane."),
    ])

  public init() {}

  public init(_ variant: Variant, _ appearance: Appearance) {
    self.variant = variant
    self.appearance = appearance
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    try planner.glass(source, GlassPane(self, planner))
  }
}

extension Glass {
  /// How much of what is behind can be told.
  public enum Variant: String, Sendable, Hashable, CaseIterable {
    case regular
    case clear
  }

  public enum Appearance: String, Sendable, Hashable, CaseIterable {
    case light
    case dark
  }

  /// Read from the layers of iOS 26; what dark clear glass does is chosen here.
  var face: GlassFace {
    switch (variant, appearance) {
    case (.regular, .light):
      GlassFace(black: 0.4, white: 0.96, chroma: 1.2, fill: 0.2, brightest: 0.94)
    case (.regular, .dark): GlassFace(black: 0.08, white: 1.125, chroma: 1.3, brightest: 0.35)
    case (.clear, .light): GlassFace(black: 0.2, white: 0.95, fill: 0.1)
    case (.clear, .dark): GlassFace(black: 0.05, white: 0.85)
    }
  }

  /// The standard deviation where none is given.
  var ownBlur: Sigma { Sigma(variant == .regular ? 5 : 2.25, .points) }
}

extension Filter where Self == Glass {
  /// A capsule of glass in the middle of the picture.
  public static func glass(
    _ variant: Glass.Variant = .regular, _ appearance: Glass.Appearance = .light
  ) -> Glass { Glass(variant, appearance) }
}
