/// A blur of a picture that is made up, such as the fill of a hole: on a grid that is just fine enough for it,
/// by a few taps. What it does is what it is meant to do; there is no true Gaussian that it has to be near to.
struct CoarseBlur {
  /// Growing by more has more phases than devices hold.
  static let mostLevels = 7

  /// The grid along one axis, and what is left to blur there.
  struct Axis {
    /// The number of times samples are halved.
    private(set) var levels = 0
    /// The standard deviation of the taps, in samples of the grid.
    private(set) var sigma = 0.0

    /// Samples as they are, and no blur.
    init() {}

    /// - Parameters:
    ///   - sigma: the standard deviation of all of it, in samples of the picture.
    ///   - most: levels at most.
    ///   - shrinking: the variance that a way to the grid has, in samples of the grid; `nil` is halving by
    ///     `[1 3 3 1]`. Growing by it has another ¼ (1 − 4⁻ˡ), halving as much.
    init(_ sigma: Double, most: Int = CoarseBlur.mostLevels, shrinking: Double? = nil) {
      while levels < most, sigma / Double(2 << levels) >= Self.leastSigma { levels += 1 }
      guard levels > 0 else {
        self.sigma = sigma
        return
      }
      let factor = Double(1 << levels)
      let growing = 0.25 * (1 - 1 / (factor * factor))
      let variance = (sigma / factor) * (sigma / factor)
      self.sigma = (variance - growing - (shrinking ?? growing)).squareRoot()
    }

    /// A blur is no narrower on its grid, so that the grid does not show.
    private static let leastSigma = 1.25

    /// Samples of the picture for one of the grid.
    var factor: Int { 1 << levels }

    fileprivate func taps(_ precision: Precision) -> [Float] {
      let radius = max(Int((3 * sigma).rounded(.up)), 1)
      return TapForm(precision).normalized(GaussianKernel(sigma: sigma).cut(at: radius))
    }
  }

  var x = Axis()
  var y = Axis()
}

extension Planner {
  /// Shrunk to the grid of a blur.
  mutating func shrunk(_ surface: Surface, for blur: CoarseBlur) -> Surface {
    var small = surface
    for level in 0..<max(blur.x.levels, blur.y.levels) {
      small = halve(small, x: level < blur.x.levels, y: level < blur.y.levels)
    }
    return small
  }

  /// Blurred on its grid.
  mutating func blurred(_ small: Surface, by blur: CoarseBlur) -> Surface {
    var surface = small
    if blur.x.sigma > GaussianDesign.weakestSigma {
      surface = convolve(surface, .x, .taps(blur.x.taps(precision)))
    }
    if blur.y.sigma > GaussianDesign.weakestSigma {
      surface = convolve(surface, .y, .taps(blur.y.taps(precision)))
    }
    return surface.extended(x: nil, y: nil)
  }

  /// Grown from the grid of one blur to that of another, which is as fine or finer.
  mutating func grown(
    _ surface: Surface, from blur: CoarseBlur, to finer: CoarseBlur = CoarseBlur()
  ) -> Surface {
    let (x, y) = (blur.x.levels - finer.x.levels, blur.y.levels - finer.y.levels)
    guard x > 0 || y > 0 else { return surface }
    return resample(
      surface, x: PyramidKernel(levels: x).growing, y: PyramidKernel(levels: y).growing
    ).extended(x: nil, y: nil)
  }
}
