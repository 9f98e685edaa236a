/// A look of one's own in the words of iOS blur effects: a blur, a saturation, a gray and a color.
///
/// `blurred → saturated, limited to 0…1 → gray over it → color over that`. σ is in UIKit points:
/// `PlanOptions.scale` makes pixels of them.
public struct CustomStyle: Style, CompositeFilter {
  public var sigma = Sigma(20, .points)
  /// 1 leaves colors as they are.
  public var saturation = 1.8
  /// The gray laid over the picture: 0 is black, 1 white.
  public var grayscaleTintLevel = 1.0
  /// How much of the gray.
  public var grayscaleTintAlpha = 0.2
  /// The color laid over all.
  public var colorTint = Color.white
  /// How much of the color, on top of its own alpha.
  public var colorTintAlpha = 0.0
  public var intensity = 1.0

  public static let definition = FilterDefinition<CustomStyle>(
    "custom-style", "A look of one's own in the words of iOS blur effects.",
    [
      .styleSigma,
      .factor("saturation", \.saturation, in: -10...10, "0 is gray, 1 changes nothing."),
      .factor("grayscale-tint-level", \.grayscaleTintLevel, in: 0...1, "0 is black, 1 white."),
      .factor("grayscale-tint-alpha", \.grayscaleTintAlpha, in: 0...1, "How much of that gray."),
      .color("color-tint", \.colorTint, "The color over all; its own alpha counts too."),
      .factor("color-tint-alpha", \.colorTintAlpha, in: 0...1, "How much of that color."),
      .intensity,
    ])

  public init() {}

  public var filters: [any Filter] {
    guard intensity > 0 else { return [] }
    return [
      .gaussian(sigma: grown(sigma)), .saturation(grown(saturation, from: 1)),
      .tint(Color(white: grayscaleTintLevel), alpha: grown(grayscaleTintAlpha)),
      .tint(colorTint, alpha: grown(colorTintAlpha)),
    ]
  }
}
