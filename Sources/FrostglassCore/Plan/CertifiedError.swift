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
