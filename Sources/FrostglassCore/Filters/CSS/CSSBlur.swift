/// CSS `blur()`: the argument is the standard deviation.
///
/// A browser's edges are transparent for `filter` and mirrored for `backdrop-filter`; a declaration
/// read by `FilterChain(text:)` sets them.
public struct CSSBlur: CompositeFilter, CSSFunction {
  public var radius: Sigma = 0
  /// What is seen beyond the picture; `nil` means what the plan's options say.
  public var edge: EdgeMode?

  public static let definition = FilterDefinition<CSSBlur>(
    "blur", "CSS blur(): a Gaussian whose standard deviation is the argument.",
    [
      .sigma("radius", \.radius, "Standard deviation; 0 changes nothing."),
      .choice("edge", \.edge, "Beyond the border; as the chain's when left out."),
    ], example: "blur(4px)")

  public init() {}

  public init(_ radius: Sigma, edge: EdgeMode? = nil) {
    self.radius = radius
    self.edge = edge
  }

  public var filters: [any Filter] { [Gaussian(x: radius, edge: edge)] }
}

extension Filter where Self == CSSBlur {
  /// CSS `blur()`; 0…1000 px.
  public static func blur(_ radius: Sigma, edge: EdgeMode? = nil) -> CSSBlur {
    CSSBlur(radius, edge: edge)
  }
}
