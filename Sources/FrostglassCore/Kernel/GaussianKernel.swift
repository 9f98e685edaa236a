internal import Glibc

/// The true Gaussian: the function `exp(-x²/2σ²)` sampled at whole pixels and normalized.
///
/// Cut at 6.5 σ, where what is lost is under 10⁻¹⁰ of the whole.
public struct GaussianKernel: Sendable {
  public let sigma: Double
  /// Samples to each side of the center.
  public let radius: Int
  /// `weights[k]` belongs to distance k; all of them, both sides counted, sum to 1.
  public let weights: [Double]

  /// - Parameter sigma: in pixels, 0 or more; 0 gives the single weight 1.
  public init(sigma: Double) {
    self.sigma = sigma
    radius = Int((6.5 * sigma).rounded(.up))
    let raw = (0...radius).map { k in
      sigma > 0 ? exp(-Double(k * k) / (2 * sigma * sigma)) : 1
    }
    let sum = 2 * raw.reduce(0, +) - raw[0]
    weights = raw.map { $0 / sum }
  }

  /// The kernel's second moment, which differs from σ² below σ ≈ 0.7.
  public var secondMoment: Double {
    weights.enumerated().reduce(0) { $0 + 2 * Double($1.offset * $1.offset) * $1.element }
  }

  /// The kernel cut at `radius` and normalized again, as symmetric taps.
  package func cut(at radius: Int) -> [Double] {
    let kept = Array(weights.prefix(radius + 1))
    let sum = 2 * kept.reduce(0, +) - kept[0]
    return kept.map { $0 / sum }
  }
}
