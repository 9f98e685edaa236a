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
