/// iOS light: bright glass that lets colors through.
public struct LightStyle: ClassicStyle {
  public var sigma = Sigma(30, .points)
  public static let gray = 1.0
  public static let alpha = 0.30

  public static let definition = FilterDefinition<LightStyle>(
    "light", "iOS light: bright glass that lets colors through.",
    [.sigma("sigma", \.sigma, "Standard deviation of the blur.")], example: "light(6px)")

  public init() {}
}

extension Filter where Self == LightStyle {
  /// iOS light: bright glass that lets colors through.
  public static var light: LightStyle { LightStyle() }
}
