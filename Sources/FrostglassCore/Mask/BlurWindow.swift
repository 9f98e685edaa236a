internal import Glibc

/// How much of the larger of two neighboring scales makes the blur that a coverage asks for.
///
/// `σ = most × v`, and with the variance `V(σ)` of the sampled kernel the share is
/// `(V(σ) − V(low)) / (V(high) − V(low))`, limited to 0…1: the mix then has the variance of σ.
public struct BlurWindow: Sendable, Hashable {
  /// Where the share is 0, as coverage.
  public let low: Double
  /// Where the share is 1, as coverage.
  public let high: Double
  /// Standard deviation at full coverage, in pixels.
  public let most: Double
  private let lowVariance: Double
  private let highVariance: Double

  /// - Parameters: standard deviations in pixels, `low < high ≤ most`, and `high` strong enough to change something.
  init(from low: Double, to high: Double, most: Double) {
    self.low = low / most
    self.high = high / most
    self.most = most
    lowVariance = BlurWindow.variance(of: low)
    highVariance = BlurWindow.variance(of: high)
  }

  /// The share for a coverage.
  func share(of coverage: Float) -> Float {
    let value = Double(coverage)
    if value <= low { return 0 }
    if value >= high { return 1 }
    let variance = BlurWindow.variance(of: value * most)
    return Float((variance - lowVariance) / (highVariance - lowVariance))
  }

  /// The variance of the Gaussian sampled at whole numbers; that of the true one from 1 on, where
  /// they differ by less than 10⁻⁷.
  private static func variance(of sigma: Double) -> Double {
    guard sigma < 1 else { return sigma * sigma }
    guard sigma > GaussianDesign.weakestSigma else { return 0 }
    var (weights, moments) = (1.0, 0.0)
    for k in 1...6 {
      let square = Double(k * k)
      let weight = 2 * exp(-square / (2 * sigma * sigma))
      weights += weight
      moments += weight * square
    }
    return moments / weights
  }
}
