internal import Glibc

/// How one axis of a Gaussian will be computed, and how far it can be from the true one.
package struct GaussianDesign: Sendable, Hashable {
  /// Levels of shrinking before the taps; 0 computes at full size.
  package var levels: Int
  /// Symmetric taps, center first; empty when the axis is left alone.
  package var taps: [Float]
  /// The worst case along this axis, in levels of 255.
  package var bound: Double

  package var radius: Int { max(taps.count - 1, 0) }
  package var isIdentity: Bool { taps.isEmpty }

  private static let identity = GaussianDesign(levels: 0, taps: [], bound: 0)

  /// Up to this σ a Gaussian changes nothing: the neighbors' weight is under 10⁻²⁰⁰.
  static let weakestSigma = 0.03

  /// The cheapest design whose bound is at most `budget`; failing that, the one that comes closest.
  ///
  /// - Parameters:
  ///   - sigma: in pixels; up to `weakestSigma` nothing changes.
  ///   - budget: the bound to meet, in levels of 255.
  ///   - taps: the form the taps must have.
  package static func cheapest(
    sigma: Double, budget: Double, taps form: TapForm
  ) -> GaussianDesign {
    guard sigma > weakestSigma else { return .identity }
    let gaussian = GaussianKernel(sigma: sigma)
    let small = pyramid(gaussian, budget: budget, form)
    if let small, small.cost < directCost(sigma: sigma) { return small }
    let large = direct(gaussian, budget: budget, form)
    if large.bound <= budget && large.radius <= longestDirectRadius { return large }
    return small ?? large
  }

  /// A convolution at full size longer than this is not worth what it gains in certainty.
  private static let longestDirectRadius = 128

  /// Shrinking by more than 64 gains nothing, as the small image is next to free by then, and
  /// certifying it would take longer: the work grows with the square of the factor.
  private static let mostLevels = 6

  /// The full-size taps cut no nearer than 3.5 σ (a nearer cut would lose over 0.5 % of σ), and
  /// farther out where the budget asks for it.
  private static func direct(
    _ gaussian: GaussianKernel, budget: Double, _ form: TapForm
  ) -> GaussianDesign {
    var reach = 3.5
    while true {
      let radius = min(Int((reach * gaussian.sigma).rounded(.up)), gaussian.radius)
      let taps = form.normalized(gaussian.cut(at: radius))
      let bound = KernelBound.direct(taps: taps, true: gaussian)
      if bound <= budget || radius == gaussian.radius {
        return GaussianDesign(levels: 0, taps: taps, bound: bound)
      }
      reach += 0.5
    }
  }

  /// The pyramid with the fewest operations among those that meet the budget, from the smallest
  /// image up; `nil` when none does.
  private static func pyramid(
    _ gaussian: GaussianKernel, budget: Double, _ form: TapForm
  ) -> GaussianDesign? {
    var levels = 0
    while gaussian.sigma / Double(2 << levels) >= 1.2, levels < mostLevels { levels += 1 }
    while levels > 0 {
      let kernel = PyramidKernel(levels: levels)
      let ratio = gaussian.sigma / Double(kernel.factor)
      if ratio > 32 { return nil }
      for reach in [3.3, 4.0, 5.0] {
        let radius = Int((reach * ratio).rounded(.up))
        let solved = LeastSquaresTaps(gaussian: gaussian, pyramid: kernel, radius: radius)
        let taps = form.normalized(solved.taps)
        let bound = KernelBound.pyramid(kernel, taps: taps, true: gaussian, limit: budget)
        if bound <= budget { return GaussianDesign(levels: levels, taps: taps, bound: bound) }
      }
      levels -= 1
    }
    return nil
  }

  /// Operations per full-size sample along this axis: the taps on the small image, plus shrinking
  /// (4 taps on halves, quarters, …) and growing (3 taps).
  private var cost: Double {
    let factor = Double(1 << levels)
    return Double(2 * radius + 1) / factor + (levels > 0 ? 4 + 3 : 0)
  }

  private static func directCost(sigma: Double) -> Double {
    2 * (3.5 * sigma).rounded(.up) + 1
  }
}

/// The true Gaussian: the function `exp(-x²/2σ²)` sampled at whole pixels and normalized.
///
/// Cut at 6.5 σ, where what is lost is under 10⁻¹⁰ of the whole.
package struct GaussianKernel: Sendable {
  package let sigma: Double
  /// Samples to each side of the center.
  package let radius: Int
  /// `weights[k]` belongs to distance k; all of them, both sides counted, sum to 1.
  package let weights: [Double]

  /// - Parameter sigma: in pixels, 0 or more; 0 gives the single weight 1.
  package init(sigma: Double) {
    self.sigma = sigma
    radius = Int((6.5 * sigma).rounded(.up))
    let raw = (0...radius).map { k in
      sigma > 0 ? exp(-Double(k * k) / (2 * sigma * sigma)) : 1
    }
    let sum = 2 * raw.reduce(0, +) - raw[0]
    weights = raw.map { $0 / sum }
  }

  /// The kernel's second moment, which differs from σ² below σ ≈ 0.7.
  package var secondMoment: Double {
    weights.enumerated().reduce(0) { $0 + 2 * Double($1.offset * $1.offset) * $1.element }
  }

  /// The kernel cut at `radius` and normalized again, as symmetric taps.
  package func cut(at radius: Int) -> [Double] {
    let kept = Array(weights.prefix(radius + 1))
    let sum = 2 * kept.reduce(0, +) - kept[0]
    return kept.map { $0 / sum }
  }
}

/// The form that the taps of a symmetric filter have in a plan.
package enum TapForm: Sendable {
  /// Floats.
  case float
  /// Multiples of 1/65536 (the center's of 1/32768) that sum to exactly 1, so that fixed point
  /// computes with them and not with something near them.
  case fixed

  init(_ precision: Precision) { self = precision == .float32 ? .float : .fixed }

  /// Taps in this form, center first; `taps` sum to 1 with both sides counted.
  func normalized(_ taps: [Double]) -> [Float] {
    switch self {
    case .float: Self.floats(taps)
    case .fixed: Self.multiples(taps)
    }
  }

  /// Floats whose sum is 1 to within a rounding.
  private static func floats(_ taps: [Double]) -> [Float] {
    var floats = taps.map { Float($0) }
    let sides = floats.dropFirst().reduce(0.0) { $0 + 2 * Double($1) }
    floats[0] = Float(1 - sides)
    return floats
  }

  private static func multiples(_ taps: [Double]) -> [Float] {
    var sides = taps.dropFirst().map { ($0 * 65536).rounded() }
    while sides.count > 1, sides.last == 0 { sides.removeLast() }
    // A center of all would not be a 16-bit number.
    if sides.allSatisfy({ $0 == 0 }) { sides = [1] }
    let center = 32768 - sides.reduce(0, +)
    return ([2 * center] + sides).map { Float($0 / 65536) }
  }
}
