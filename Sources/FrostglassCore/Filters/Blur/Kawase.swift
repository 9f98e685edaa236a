/// Dual Kawase blur: nearly a Gaussian, from few taps on ever smaller images.
///
/// An approximation that real-time compositors use. Its second moment is exactly the true
/// Gaussian's at every σ; its shape is not: for the worst of images it is off by up to 21.4 levels
/// of 255 at σ 0.65, 18.6 at 1.7, 10.6 at 3.8 and 9.1 from 7.7 up, which the certified error counts.
/// `KawaseDesign` says how it is made. For a true Gaussian take `Gaussian`.
package struct Kawase: Filter {
  package var sigma: Sigma = 10

  package static let definition = FilterDefinition<Kawase>(
    "kawase", "Blurs with dual Kawase passes: fast on GPUs, nearly a Gaussian.",
    [.sigma("sigma", \.sigma, "Standard deviation, kept exactly; 0 changes nothing.")])

  package init() {}

  package init(sigma: Sigma) {
    self.sigma = sigma
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: Self.definition.name)
    let design = KawaseDesign(sigma: pixels)
    if design.isIdentity { return source }
    var surface = planner.withEdges(source)
    for _ in 0..<design.levels { surface = planner.stencil(surface, KawaseDesign.halving) }
    if let small = design.small {
      for _ in 0..<KawaseDesign.smallPasses { surface = planner.stencil(surface, small) }
    }
    for _ in 0..<design.levels { surface = planner.stencil(surface, KawaseDesign.growing) }
    return surface.extended(x: nil, y: nil).adding(model: design.bound)
  }
}

extension FilterChain {
  /// A dual Kawase blur; 0…1000 px.
  public static func kawase(sigma: Sigma) -> FilterChain { FilterChain(Kawase(sigma: sigma)) }
}

/// Dual Kawase for any σ: how often the image is halved, and how far the taps lie apart.
///
/// Halving reads 4/8 of the four samples around its middle and 1/8 of each four around the corners
/// one sample out; growing reads 2/12 at the four diagonals half a small sample away and 1/12 at
/// the four neighbors a whole one away, all interpolated linearly (M. Bjørge, Bandwidth-efficient
/// rendering, SIGGRAPH 2015). With fixed distances, n levels have the variance 17/6 (4ⁿ − 1)/3.
/// What σ² asks for beyond that is made up on the smallest image, by three passes of the growing
/// pattern, one to one, whose distance is solved for: variances add, so the kernel's second moment
/// is exactly that of the true Gaussian.
package struct KawaseDesign: Sendable, Hashable {
  /// The number of times the image is halved.
  let levels: Int
  /// The distance of the taps of each pass on the smallest image, in its samples.
  let distance: Double

  /// Passes on the smallest image.
  static let smallPasses = 3

  /// - Parameter sigma: in pixels, 0 or more.
  init(sigma: Double) {
    let variance = GaussianKernel(sigma: sigma).secondMoment
    var levels = 0
    while Self.variance(levels: levels + 1) <= variance { levels += 1 }
    self.levels = levels
    let wanted =
      (variance - Self.variance(levels: levels)) / Double(1 << (2 * levels))
      / Double(Self.smallPasses)
    // The variance of a pattern grows with its distance, and is more than 2 at 3.
    var (low, high) = (0.0, 3.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if Self.pattern(distance: middle).secondMoment(aroundX: 0) < wanted {
        low = middle
      } else {
        high = middle
      }
    }
    distance = low
  }

  /// Returns the variance of halving and growing `levels` times: 3/4 for each halving and 25/12 for each growing, in
  /// the larger image's samples.
  private static func variance(levels: Int) -> Double {
    17 / 6 * Double((1 << (2 * levels)) - 1) / 3
  }

  /// The largest distance of the kernel from the true Gaussian, in levels of 255.
  ///
  /// Measured as `KernelBound` does, in two dimensions and over all phases, for 40 values of σ per
  /// number of levels, and rounded up: 21.4, 18.6, 10.6, 9.1, 8.8 for 0…4 levels, 8.7 for 5. The
  /// worst σ of a number of levels is its smallest.
  var bound: Double {
    if isIdentity { return 0 }
    return [22, 19, 11, 9.5][min(levels, 3)]
  }

  var isIdentity: Bool { levels == 0 && small == nil }

  package static let halving: Stencil = {
    var offsets = WeightedOffsets()
    offsets.add(4 / 8, x: 0.5, y: 0.5)
    for (x, y) in [(-0.5, -0.5), (1.5, -0.5), (-0.5, 1.5), (1.5, 1.5)] {
      offsets.add(1 / 8, x: x, y: y)
    }
    // Halves of eighths along both axes.
    return Stencil(offsets.wholeTaps(times: 32), stride: 2, form: .dualHalving)
  }()

  package static let growing: Stencil = {
    // Where the samples of a period of two lie on the small image.
    let places = [-0.25, 0.25]
    let taps = places.flatMap { y in
      // Quarters of twelfths along both axes.
      places.map { x in pattern(distance: 1, x: x, y: y).wholeTaps(times: 192) }
    }
    return Stencil(stride: 1, phases: 2, taps: taps, form: .dualGrowing)
  }()

  /// The pass that is repeated on the smallest image; `nil` when it changes nothing.
  var small: Stencil? {
    // 2⁻²⁰ of a sample moves no weight by as much as a float's rounding.
    guard distance > 0x1p-20 else { return nil }
    // Multiples of about 1/32000 are off by less than 2⁻¹⁶, each.
    return Stencil(Self.pattern(distance: distance).wholeTaps(times: 32000))
  }

  /// 2/12 at the diagonals, half the distance away along each axis, and 1/12 along the axes.
  private static func pattern(
    distance: Double, x: Double = 0, y: Double = 0
  ) -> WeightedOffsets {
    var offsets = WeightedOffsets()
    for side in [-distance, distance] {
      offsets.add(1 / 12, x: x + side, y: y)
      offsets.add(1 / 12, x: x, y: y + side)
      for other in [-distance, distance] {
        offsets.add(2 / 12, x: x + side / 2, y: y + other / 2)
      }
    }
    return offsets
  }
}
