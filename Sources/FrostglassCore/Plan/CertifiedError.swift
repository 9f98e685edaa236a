/// A bound on the distance between what a plan computes and what is mathematically true.
///
/// In levels of 255 (0.5 means half a level of 8 bit, 128 levels of 16 bit), before the final
/// rounding, on premultiplied values. The bound holds for every input in 0…1.
/// Derivation: docs/contribute/blur-mathematics.md.
public struct CertifiedError: Sendable, Hashable {
  /// The part from approximating kernels: exact sums of the kernels' differences.
  public var kernel: Double
  /// The part from filters that approximate by definition, as scales that are interpolated; planning
  /// cannot make it smaller.
  public var model: Double
  /// The part from storing and computing with the precisions the plan allows.
  public var arithmetic: Double

  /// The parts, in levels of 255, each 0 or more.
  public init(kernel: Double = 0, model: Double = 0, arithmetic: Double = 0) {
    self.kernel = kernel
    self.model = model
    self.arithmetic = arithmetic
  }

  /// All parts together.
  public var total: Double { kernel + model + arithmetic }

  /// The part that tighter kernels and more precision can reduce.
  fileprivate var reducible: Double { kernel + arithmetic }

  func scaled(by gain: Double) -> CertifiedError {
    CertifiedError(kernel: kernel * gain, model: model * gain, arithmetic: arithmetic * gain)
  }

  static func + (left: CertifiedError, right: CertifiedError) -> CertifiedError {
    CertifiedError(
      kernel: left.kernel + right.kernel, model: left.model + right.model,
      arithmetic: left.arithmetic + right.arithmetic)
  }

  /// Returns an error that holds wherever either of two images is shown.
  func worst(_ other: CertifiedError) -> CertifiedError {
    CertifiedError(
      kernel: max(kernel, other.kernel), model: max(model, other.model),
      arithmetic: max(arithmetic, other.arithmetic))
  }
}

/// The largest errors of storing and computing with limited precision, in levels of 255.
///
/// Fixed point has units of 1/128 level. Every sum is formed exactly and rounded once per axis, to half a unit, or to a
/// whole one where growing and storing are one step. The shares by which images are mixed are rounded as well, and so
/// are the factors of color matrices. A half float loses up to 1/8 level per store. A float loses up to 2⁻²⁴ of full
/// scale per operation.
package enum Arithmetic {
  private static let unit = 1.0 / 128
  private static let halfStore = 1.0 / 8
  private static let floatOperation = 255.0 / Double(1 << 24)

  /// A store after at most a few operations per sample.
  package static func store(_ precision: Precision) -> Double {
    switch precision {
    case .half: halfStore
    case .fixed16: unit / 2
    case .float32: 4 * floatOperation
    }
  }

  /// A color matrix: in fixed point its factors are rounded.
  package static func colorMatrix(
    _ matrix: ColorMatrix, isGray: Bool, _ precision: Precision
  ) -> Double {
    let rounded = precision == .fixed16 ? FixedColorMatrix(matrix, isGray: isGray)?.error ?? 0 : 0
    return store(precision) + 255 * rounded
  }

  /// A product with a share from 0 to 1, which fixed point rounds to 1/32768.
  package static func share(_ precision: Precision) -> Double {
    store(precision) + (precision == .fixed16 ? 255.0 / Double(1 << 15) : 0)
  }

  /// `2 radius + 1` taps.
  package static func convolve(radius: Int, _ precision: Precision) -> Double {
    switch precision {
    case .half: halfStore
    case .fixed16: unit / 2
    case .float32: Double(2 * radius + 2) * floatOperation
    }
  }

  /// A weighted sum of `terms` products in floats, stored once.
  ///
  /// Each product, each sum and each weight is off by at most 2⁻²⁴ of full scale.
  static func sum(terms: Int, _ precision: Precision) -> Double {
    store(precision) + 3 * Double(terms) * floatOperation
  }

  /// Samples between four others: in fixed point, where all views count the same, the product of a place's
  /// parts is rounded to 1/16384, and counts what the one diagonal has more than the other, up to twice
  /// full scale.
  static func views(countEvenly: Bool, _ precision: Precision) -> Double {
    precision == .fixed16 && countEvenly ? 2 * 255 / Double(1 << 15) : 0
  }

  /// Short filters along one or both axes.
  package static func resample(x: Polyphase, y: Polyphase, _ precision: Precision) -> Double {
    let axes = [x, y].filter { !$0.isIdentity }
    switch precision {
    case .half: return halfStore
    case .fixed16: return unit * Double(axes.count)
    case .float32:
      return axes.reduce(0) { $0 + Double(2 * $1.longestPhase) } * floatOperation
    }
  }
}

/// The least precision an intermediate image must be stored with. A backend may always use more.
package enum Precision: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// 16-bit float: up to 1/8 level of 255 is lost per store. Serves `fast` only.
  case half
  /// 16-bit fixed point in units of 1/128 level of 255, for values in 0…1.
  case fixed16
  /// 32-bit float, any value.
  case float32

  package static func < (left: Precision, right: Precision) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Bytes per sample when nothing better is used.
  package var bytes: Int { self == .float32 ? 4 : 2 }
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

/// The sums of the true kernel's weights beyond each distance on one side.
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

/// Looks for the cheapest plan whose certified error is under a quality's tolerance: first as it is,
/// then with tighter blurs and more precise intermediates.
struct PlanSearch {
  /// The accuracy of a plan's steps.
  struct Tightness: Sendable, Hashable {
    /// The largest kernel error one axis of one Gaussian may have, in levels of 255.
    var budget: Double
    /// The precision of intermediates.
    var precision: Precision
  }

  private let tolerance: Double
  private let first: Tightness

  init(_ quality: PlanOptions.Quality, from precision: Precision) {
    tolerance = quality.tolerance
    first = Tightness(budget: quality.firstBudget, precision: precision)
  }

  /// Tries plans until one is good enough; where none is, the best of all.
  func best(
    _ make: (Tightness) throws(PlanError) -> Plan
  ) throws(PlanError) -> (plan: Plan, tightness: Tightness) {
    var next = first
    var best: (plan: Plan, tightness: Tightness)?
    for _ in 0..<8 {
      let plan = try make(next)
      let error = plan.certifiedError
      if error.reducible < tolerance { return (plan, next) }
      // A repeatedly magnified error may be infinite or NaN; the plan is valid all the same.
      if best.map({ error.reducible < $0.plan.certifiedError.reducible }) ?? true {
        best = (plan, next)
      }
      if error.arithmetic > 0.5 * tolerance && next.precision < .float32 {
        next.precision = next.precision == .half ? .fixed16 : .float32
      } else if error.kernel > 0 {
        // If floats alone lose too much, the blur should at least add little.
        let room = max(tolerance - error.arithmetic, 0.25 * error.arithmetic)
        guard error.kernel > room else { break }
        next.budget *= max(min(0.98 * room / error.kernel, 0.7), 0.01)
      }
    }
    guard let best else { throw .malformed("no plan was made") }
    return best
  }
}
