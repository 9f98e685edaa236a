/// iOS extra light: nearly white glass.
public struct ExtraLightStyle: ClassicStyle {
  public var sigma = Sigma(20, .points)
  public static let gray = 0.97
  public static let alpha = 0.80

  public static let definition = FilterDefinition<ExtraLightStyle>(
    "extra-light", "iOS extra light: nearly white glass.",
    [.sigma("sigma", \.sigma, "Standard deviation of the blur.")], example: "extra-light(5px)")

  public init() {}
}

extension Filter where Self == ExtraLightStyle {
  /// iOS extra light: nearly white glass.
  public static var extraLight: ExtraLightStyle { ExtraLightStyle() }
}
