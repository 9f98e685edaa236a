/// One of the materials of iOS: a blur over colors whose brightness was drawn to a curve.
///
/// Colors change first, on a picture of a quarter of the size, as on iOS; the rest of the blur
/// follows. With σ = 29.5 on both axes the plan reads
///
///     Load → Resample ÷2 → Resample ÷2 → LumaCurve → Resample ÷2 → Convolve x → Convolve y → …
///
/// A blur so small that it halves the picture less often changes colors after its last halving, at
/// half the size or at full size. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
/// The numbers are read and measured ones; these are re-creations. In linear light the same numbers
/// act on light, which is not what iOS shows.
public struct Material<Kind: MaterialKind>: Style {
  public var sigma: Sigma
  public var intensity = 1.0

  public static var definition: FilterDefinition<Material> {
    FilterDefinition(Kind.name, Kind.summary, [.styleSigma, .intensity])
  }

  public init() { sigma = Sigma(Kind.points, .points) }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard intensity > 0 else { return source }
    let full = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: Kind.name)
    let blur = grown(full)
    let coloring = Kind.color.pass(intensity: intensity)
    if let strength = planner.strength {
      return planner.gaussian(planner.lumaCurve(source, coloring), upTo: blur, by: strength)
    }
    return planner.gaussian(
      source, x: blur, y: blur, coloring: coloring)
  }
}

/// What a material is called and what it does: a name for `Material`.
public protocol MaterialKind: Sendable {
  /// The name in text form.
  static var name: String { get }
  /// One sentence.
  static var summary: String { get }
  /// Standard deviation of the blur in UIKit points.
  static var points: Double { get }
  static var color: MaterialColor { get }
}
