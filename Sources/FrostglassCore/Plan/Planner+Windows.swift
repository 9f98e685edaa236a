internal import Glibc

extension Planner {
  /// The weighted mean of a window; `surface` is seen with its edges.
  ///
  /// - Parameter gain: what an error in the source is at most multiplied by.
  mutating func bilateral(_ surface: Surface, _ bilateral: Bilateral, gain: Double) -> Surface {
    // Sums over rows and columns, and some ten operations for a weight.
    let (x, y) = bilateral.radius
    let sums = Arithmetic.convolve(radius: x + y + 8, .float32)
    let error =
      surface.error.scaled(by: gain)
      + CertifiedError(arithmetic: sums + Arithmetic.store(precision))
    return append(.bilateral(bilateral), [surface.source], layout: surface.layout, error: error)
      .extended(x: x > 0 ? nil : surface.x, y: y > 0 ? nil : surface.y)
  }

  /// A sample of each window, picked by its rank; `surface` is seen with its edges.
  ///
  /// Where no sample of a window is more than ε off, neither is the one of any rank.
  mutating func median(_ surface: Surface, _ median: Median) -> Surface {
    let error = surface.error + CertifiedError(arithmetic: Arithmetic.store(precision))
    return append(.median(median), [surface.source], layout: surface.layout, error: error)
  }
}

extension Bilateral {
  /// Entries of the Gaussian range table, and how many standard deviations they go. Linear between
  /// entries is within 0.00007 of the Gaussian; beyond them it would be under 2 · 10⁻⁸.
  private static let (entries, deviations) = (256, 6.0)

  /// Gaussian in distance and in difference.
  ///
  /// - Parameters:
  ///   - x: standard deviation along rows, in pixels; 0 leaves the axis alone. Cut at 3 of them.
  ///   - y: the same along columns.
  ///   - range: standard deviation of the difference of a channel, as fraction of full scale; of
  ///     colors, that of the root mean square of red, green and blue.
  static func gaussian(x: Double, y: Double, range: Double) -> Bilateral {
    let weights = (0...entries).map { entry in
      let distance = deviations * Double(entry) / Double(entries)
      return Float(exp(-distance * distance / 2))
    }
    let taps = [x, y].map { sigma in
      GaussianKernel(sigma: sigma).cut(at: Int((3 * sigma).rounded(.up))).map { Float($0) }
    }
    return Bilateral(
      x: taps[0], y: taps[1], range: weights,
      fineness: Float(Double(entries) / (deviations * range * 3.0.squareRoot())))
  }

  /// What an error in the source is at most multiplied by, for a Gaussian range weight.
  ///
  /// With weights p that sum to 1, an error ε moves the mean by ε through the samples and through
  /// the weights by `Σ p (D/σ²) δD |c − mean|`, D being a sample's difference from the center and
  /// δD ≤ 2ε√n that of n channels. By Cauchy and Schwarz, as the mean is the best of all constants,
  /// that is at most `δD Σ p D²/σ²`, and by Gibbs' inequality `Σ p D²/2σ² ≤ −ln s₀` with the spatial
  /// weight s₀ of the center. So the gain does not depend on σ of the range. A tenth more covers
  /// that the table is linear between its entries.
  func gaussianGain(_ layout: Layout) -> Double {
    let center = Double(x[0]) * Double(y[0])
    // Gray is three equal colors, each of which is one channel's share of the difference.
    let channels = layout == .gray ? 1 : Double(layout.channels)
    return 1 + 1.1 * 4 * channels.squareRoot() * -log(center)
  }
}
