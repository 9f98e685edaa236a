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
