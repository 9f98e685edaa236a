/// Operations a processor may have.
package enum InstructionSet: CaseIterable, Sendable {
  /// What every compiler can make of the kernels.
  case portable
  /// What every processor of this kind has.
  case baseline
  /// The most this processor has.
  case best
}
