/// A blur, richer colors, a veil of one color: the styles of iOS 8 and what is made like them.
///
/// `out = (1 − alpha) · saturated(blur(picture)) + alpha · veil`, the saturated color limited to
/// 0…1 before the veil. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
public protocol ClassicStyle: Style, CompositeFilter {
  /// 1 leaves colors as they are.
  static var saturation: Double { get }
  /// The veil, with how much of it as its alpha.
  static var veil: Color { get }
}

extension ClassicStyle {
  /// That of UIKit's styles; measured on iOS 26.
  public static var saturation: Double { 1.8 }

  public var filters: [any Filter] {
    guard intensity > 0 else { return [] }
    return [
      .gaussian(sigma: grown(sigma)), .saturation(grown(Self.saturation, from: 1)),
      .tint(Self.veil, alpha: intensity),
    ]
  }
}

/// iOS light: bright glass that lets colors through.
public struct LightStyle: ClassicStyle {
  public var sigma = Sigma(30, .points)
  public var intensity = 1.0
  public static let veil = Color(white: 1, alpha: 0.30)

  public static let definition = FilterDefinition<LightStyle>(
    "light", "iOS light: bright glass that lets colors through.",
    [.styleSigma, .intensity], example: "light(6px)")

  public init() {}
}

extension Filter where Self == LightStyle {
  /// iOS light: bright glass that lets colors through.
  public static var light: LightStyle { LightStyle() }
}

/// iOS extra light: nearly white glass.
public struct ExtraLightStyle: ClassicStyle {
  public var sigma = Sigma(20, .points)
  public var intensity = 1.0
  public static let veil = Color(white: 0.97, alpha: 0.80)

  public static let definition = FilterDefinition<ExtraLightStyle>(
    "extra-light", "iOS extra light: nearly white glass.",
    [.styleSigma, .intensity], example: "extra-light(5px)")

  public init() {}
}

extension Filter where Self == ExtraLightStyle {
  /// iOS extra light: nearly white glass.
  public static var extraLight: ExtraLightStyle { ExtraLightStyle() }
}

/// iOS dark: dark glass.
public struct DarkStyle: ClassicStyle {
  public var sigma = Sigma(20, .points)
  public var intensity = 1.0
  public static let veil = Color(white: 0.11, alpha: 0.73)

  public static let definition = FilterDefinition<DarkStyle>(
    "dark", "iOS dark: dark glass.",
    [.styleSigma, .intensity], example: "dark(5px)")

  public init() {}
}

extension Filter where Self == DarkStyle {
  /// iOS dark: dark glass.
  public static var dark: DarkStyle { DarkStyle() }
}

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
