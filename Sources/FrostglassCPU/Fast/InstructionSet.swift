internal import CKernels

/// Operations a processor may have.
package enum InstructionSet: CaseIterable, Sendable {
  /// What every compiler can make of the kernels.
  case portable
  /// What every processor of this kind has.
  case baseline
  /// The most this processor has.
  case best

  /// The kernels that use them.
  var kernels: fg_row_kernels {
    switch self {
    case .portable: fg_portable_kernels().pointee
    case .baseline: fg_baseline_kernels().pointee
    case .best: fg_best_kernels().pointee
    }
  }
}
