/// A bound on the distance between what a plan computes and what is mathematically true.
///
/// In levels of 255 (0.5 means half a level of 8 bit, 128 levels of 16 bit), before the final
/// rounding, on premultiplied values. The bound holds for every input in 0…1.
/// Derivation: docs/blur-mathematics.md.
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

  /// What tighter kernels and more precision can reduce.
  var reducible: Double { kernel + arithmetic }

  func scaled(by gain: Double) -> CertifiedError {
    CertifiedError(kernel: kernel * gain, model: model * gain, arithmetic: arithmetic * gain)
  }

  static func + (left: CertifiedError, right: CertifiedError) -> CertifiedError {
    CertifiedError(
      kernel: left.kernel + right.kernel, model: left.model + right.model,
      arithmetic: left.arithmetic + right.arithmetic)
  }

  /// What holds wherever either of two pictures is shown.
  func worst(_ other: CertifiedError) -> CertifiedError {
    CertifiedError(
      kernel: max(kernel, other.kernel), model: max(model, other.model),
      arithmetic: max(arithmetic, other.arithmetic))
  }
}

/// What storing and computing with limited precision can add to the error, in levels of 255.
///
/// Fixed point has units of 1/128 level; every sum is formed exactly and rounded once per axis, to
/// half a unit, or to a whole one where growing and storing are one step. A half float loses up to
/// 1/8 level per store. A float loses up to 2⁻²⁴ of full scale per operation.
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

/// The least precision an intermediate picture must be stored with. A backend may always use more.
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
