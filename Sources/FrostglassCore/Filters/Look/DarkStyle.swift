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
