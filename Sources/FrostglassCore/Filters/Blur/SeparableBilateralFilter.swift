/// A bilateral filter along x, then along y: not the bilateral filter, but near it and much faster.
///
/// It leaves faint streaks along rows and columns where the picture has fine structure, and where
/// edges are slanted; the exact one is `BilateralFilter`. Its cost grows with σ, not σ².
public struct SeparableBilateralFilter: Filter {
  /// Standard deviation of the distance.
  public var sigma: Length = 6
  /// Standard deviation of the difference, as a fraction of full scale.
  public var range = 0.1

  static let sigmas = 0.0...100.0

  public static let definition = FilterDefinition<SeparableBilateralFilter>(
    "bilateral-separable",
    "Smooths surfaces and keeps edges, along x and then y: an approximation, for larger sigma.",
    [
      .length(
        "sigma", \.sigma, in: sigmas, "Standard deviation of the distance; 0 changes nothing."),
      .factor(
        "range", \.range, in: 0...10,
        "Standard deviation of the difference of colors, 1 being full scale; 0 changes nothing."),
    ])

  public init() {}

  public init(sigma: Length, range: Double) {
    self.sigma = sigma
    self.range = range
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try planner.pixels(sigma, of: SeparableBilateralFilter.self, parameter: "sigma")
    guard pixels > 0, range > 0 else { return source }
    let alongX = Bilateral.gaussian(x: pixels, y: 0, range: range)
    let alongY = Bilateral.gaussian(x: 0, y: pixels, range: range)
    let gain = alongX.gaussianGain(source.layout)
    let rows = planner.bilateral(planner.withEdges(source), alongX, gain: gain)
    return planner.bilateral(rows, alongY, gain: gain)
  }
}

extension Filter where Self == SeparableBilateralFilter {
  /// Smooths surfaces and keeps edges, nearly; σ 0…100 px, range 0…10 of full scale.
  public static func separableBilateral(
    sigma: Length, range: Double = 0.1
  ) -> SeparableBilateralFilter {
    SeparableBilateralFilter(sigma: sigma, range: range)
  }
}
