/// A bilateral filter: smooths surfaces and keeps the edges between them.
///
/// A Gaussian mean in which a pixel counts less the more its color differs from the center's
/// (Tomasi and Manduchi, 1998): `Σ exp(−d²/2σ²) exp(−D²/2ρ²) c / Σ exp(−d²/2σ²) exp(−D²/2ρ²)`, d
/// being the distance and D the difference, the root mean square over red, green and blue; alpha
/// counts as one color more. The window is the whole square, cut at 3σ: what lies beyond would have
/// under 0.6 % of the weight. Colors are premultiplied, so a soft edge of alpha is an edge
/// as well, and nothing is dark along it.
package struct BilateralFilter: Filter {
  /// Standard deviation of the distance.
  package var sigma: Length = 3
  /// Standard deviation of the difference, as a fraction of full scale.
  package var range = 0.1

  /// The standard deviations that are allowed: the window has 3σ to each side, so its cost grows with σ².
  private static let sigmas = 0.0...10.0

  package static let definition = FilterDefinition<BilateralFilter>(
    "bilateral", "Smooths surfaces and keeps edges; exact in two dimensions.",
    [
      .length(
        "sigma", \.sigma, in: sigmas,
        "Standard deviation of the distance; 0 changes nothing. Time grows with its square."),
      .factor(
        "range", \.range, in: 0...10,
        "Standard deviation of the difference of colors, 1 being full scale; 0 changes nothing."),
    ])

  package init() {}

  package init(sigma: Length, range: Double) {
    self.sigma = sigma
    self.range = range
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try planner.pixels(sigma, of: BilateralFilter.self, parameter: "sigma")
    guard pixels > 0, range > 0 else { return source }
    let bilateral = Bilateral.gaussian(x: pixels, y: pixels, range: range)
    return planner.bilateral(
      planner.withEdges(source), bilateral, gain: bilateral.gaussianGain(source.layout))
  }
}

extension FilterChain {
  /// Smooths surfaces and keeps edges; σ 0…10 px, range 0…10 of full scale.
  public static func bilateral(sigma: Length, range: Double = 0.1) -> FilterChain {
    FilterChain(BilateralFilter(sigma: sigma, range: range))
  }
}

/// A bilateral filter along x, then along y: not the bilateral filter, but near it and much faster.
///
/// It leaves faint streaks along rows and columns where the image has fine structure, and where
/// edges are slanted; the exact one is `BilateralFilter`. Its cost grows with σ, not σ².
package struct SeparableBilateralFilter: Filter {
  /// Standard deviation of the distance.
  package var sigma: Length = 6
  /// Standard deviation of the difference, as a fraction of full scale.
  package var range = 0.1

  private static let sigmas = 0.0...100.0

  package static let definition = FilterDefinition<SeparableBilateralFilter>(
    "bilateral-separable",
    "Smooths surfaces and keeps edges, along x and then y: an approximation, for larger sigma.",
    [
      .length(
        "sigma", \.sigma, in: sigmas, "Standard deviation of the distance; 0 changes nothing."),
      .factor(
        "range", \.range, in: 0...10,
        "Standard deviation of the difference of colors, 1 being full scale; 0 changes nothing."),
    ])

  package init() {}

  package init(sigma: Length, range: Double) {
    self.sigma = sigma
    self.range = range
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try planner.pixels(sigma, of: SeparableBilateralFilter.self, parameter: "sigma")
    guard pixels > 0, range > 0 else { return source }
    let alongX = Bilateral.gaussian(x: pixels, y: 0, range: range)
    let alongY = Bilateral.gaussian(x: 0, y: pixels, range: range)
    let gain = alongX.gaussianGain(source.layout)
    let rows = planner.bilateral(planner.withEdges(source), alongX, gain: gain)
    return planner.bilateral(rows, alongY, gain: gain)
  }
}

extension FilterChain {
  /// Smooths surfaces and keeps edges, nearly; σ 0…100 px, range 0…10 of full scale.
  public static func separableBilateral(
    sigma: Length, range: Double = 0.1
  ) -> FilterChain {
    FilterChain(SeparableBilateralFilter(sigma: sigma, range: range))
  }
}

/// A median filter: each channel's middle value in a square window.
///
/// Removes specks and lines that fill less than half of the window, and keeps edges. Exact: the
/// result is one of the window's samples, so nothing is rounded beyond the precision of the plan.
/// Other ranks are the local darkest (erosion), brightest (dilation), or between.
package struct MedianFilter: Filter {
  /// Pixels to each side of the center.
  package var radius = 2
  /// The position in the window's ascending order: 0 the lowest value, 0.5 the median, 1 the highest.
  package var rank = 0.5

  package static let definition = FilterDefinition<MedianFilter>(
    "median", "Takes the median of a square; removes specks, keeps edges.",
    [
      .integer(
        "radius", \.radius, in: 0...15,
        "Pixels to each side; 0 changes nothing. Time grows with it, on a GPU with its square."),
      .factor(
        "rank", \.rank, in: 0...1, "50% is the median, 0 the lowest value, 1 the highest."),
    ])

  package init() {}

  package init(radius: Int, rank: Double = 0.5) {
    self.radius = radius
    self.rank = rank
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    guard radius > 0 else { return source }
    let side = 2 * radius + 1
    let index = Int((rank * Double(side * side - 1)).rounded())
    return planner.median(planner.withEdges(source), Median(radius: radius, rank: index))
  }
}

extension FilterChain {
  /// The median of a square of `2 radius + 1` pixels; radius 0…15.
  public static func median(radius: Int) -> FilterChain {
    FilterChain(MedianFilter(radius: radius))
  }
}
