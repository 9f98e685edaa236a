/// iOS dark: dark glass.
public struct DarkStyle: ClassicStyle {
  public var sigma = Sigma(20, .points)
  public static let gray = 0.11
  public static let alpha = 0.73

  public static let definition = FilterDefinition<DarkStyle>(
    "dark", "iOS dark: dark glass.",
    [.sigma("sigma", \.sigma, "Standard deviation of the blur.")], example: "dark(5px)")

  public init() {}
}

extension Filter where Self == DarkStyle {
  /// iOS dark: dark glass.
  public static var dark: DarkStyle { DarkStyle() }
}
