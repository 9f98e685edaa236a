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

/// The exact worst-case distance of a computed blur from the true Gaussian along one axis.
///
/// For inputs in 0…255 the difference at an output sample is at most 255 times the larger of the
/// sums of the positive and of the negative parts of (composite − true), and an input exists that
/// reaches it. The bound is the largest over the phases of the output grid.
enum KernelBound {
  /// For symmetric taps applied at full size.
  static func direct(taps: [Float], true gaussian: GaussianKernel) -> Double {
    var parts = ErrorParts()
    for distance in 0...max(gaussian.radius, taps.count - 1) {
      let tap = distance < taps.count ? Double(taps[distance]) : 0
      let weight = distance <= gaussian.radius ? gaussian.weights[distance] : 0
      parts.add(tap - weight, times: distance == 0 ? 1 : 2)
    }
    return 255 * parts.worst
  }

  /// For shrinking, symmetric taps on the small image, and growing.
  ///
  /// - Parameter limit: the search ends early, with a value above it, when the bound exceeds it.
  static func pyramid(
    _ pyramid: PyramidKernel, taps: [Float], true gaussian: GaussianKernel, limit: Double
  ) -> Double {
    let f = pyramid.factor
    // The composite is zero beyond the reach; what the true kernel has there is added as a whole.
    let reach = f * (taps.count + 2)
    // Padded so that vectors may run over both ends.
    let lanes = 8
    let count = (2 * reach + lanes) / lanes * lanes
    let small = smallKernel(pyramid, taps: taps, origin: reach + f, count: count + 2 * f)
    let truth = (0..<count + 2 * f).map { index in
      let distance = abs(index - reach - f)
      return distance <= gaussian.radius ? gaussian.weights[distance] : 0
    }
    let tails = Tails(gaussian)
    var worst = 0.0
    // Phases p and f - 1 - p are mirror images.
    for phase in 0..<(f + 1) / 2 {
      let weights = (-1...1).map { pyramid.spread(at: phase - f * $0) }
      let beyond = tails.mass(beyond: reach + phase) + tails.mass(beyond: count - reach - 1 - phase)
      let inside = difference(small, truth, weights, f, phase, count)
      worst = max(worst, 255 * max(inside.positive, inside.negative + beyond))
      if worst > limit { return worst }
    }
    return worst
  }

  /// Shrinking followed by the taps, on the large grid: the value at `origin` belongs to offset 0.
  private static func smallKernel(
    _ pyramid: PyramidKernel, taps: [Float], origin: Int, count: Int
  ) -> [Double] {
    let f = pyramid.factor
    var kernel = [Double](repeating: 0, count: count)
    for shift in 1 - taps.count...taps.count - 1 {
      let tap = Double(taps[abs(shift)]) / Double(f)
      let start = origin + f * shift + 1 - f
      for (offset, weight) in pyramid.spread.enumerated() { kernel[start + offset] += tap * weight }
    }
    return kernel
  }

  /// The sums of positive and negative differences at one phase.
  private static func difference(
    _ small: [Double], _ truth: [Double], _ weights: [Double], _ f: Int, _ phase: Int, _ count: Int
  ) -> (positive: Double, negative: Double) {
    typealias Lanes = SIMD8<Double>
    var positive = Lanes.zero
    var negative = Lanes.zero
    small.withUnsafeBytes { small in
      truth.withUnsafeBytes { truth in
        func at(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Lanes {
          bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Double>.size, as: Lanes.self)
        }
        for index in stride(from: 0, to: count, by: Lanes.scalarCount) {
          let composite =
            weights[0] * at(small, index + 2 * f) + weights[1] * at(small, index + f)
            + weights[2] * at(small, index)
          let error = composite - at(truth, index + f - phase)
          positive += pointwiseMax(error, .zero)
          negative -= pointwiseMin(error, .zero)
        }
      }
    }
    return (positive.sum(), negative.sum())
  }
}

/// What the true kernel has on one side beyond a distance.
private struct Tails {
  private let masses: [Double]

  init(_ gaussian: GaussianKernel) {
    var masses = [Double](repeating: 0, count: gaussian.radius + 1)
    for distance in (0..<gaussian.radius).reversed() {
      masses[distance] = masses[distance + 1] + gaussian.weights[distance + 1]
    }
    self.masses = masses
  }

  func mass(beyond distance: Int) -> Double {
    distance < masses.count ? masses[distance] : 0
  }
}

/// Sums of positive and negative differences.
struct ErrorParts {
  private var positive = 0.0
  private var negative = 0.0

  mutating func add(_ difference: Double, times count: Double) {
    if difference > 0 { positive += difference * count } else { negative -= difference * count }
  }

  var worst: Double { max(positive, negative) }
}
