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
private struct ErrorParts {
  var positive = 0.0
  var negative = 0.0

  mutating func add(_ difference: Double, times count: Double) {
    if difference > 0 { positive += difference * count } else { negative -= difference * count }
  }

  var worst: Double { max(positive, negative) }
}
