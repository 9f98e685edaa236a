/// CSS `blur()`: the argument is the standard deviation.
public struct CSSBlur: CompositeFilter {
  public var radius: Sigma = 0

  public static let definition = FilterDefinition<CSSBlur>(
    "blur", "CSS blur(): a Gaussian whose standard deviation is the argument.",
    [.sigma("radius", \.radius, "Standard deviation; 0 changes nothing.")], example: "blur(4px)")

  public init() {}

  public init(_ radius: Sigma) { self.radius = radius }

  public var filters: [any Filter] { [.gaussian(sigma: radius)] }
}

extension Filter where Self == CSSBlur {
  /// CSS `blur()`; 0…1000 px.
  public static func blur(_ radius: Sigma) -> CSSBlur { CSSBlur(radius) }
}
