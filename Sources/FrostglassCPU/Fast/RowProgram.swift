internal import CKernels
internal import FrostglassCore

/// One step of a plan made ready: computes the given rows of its target, the lowest first.
typealias RowProgram = (Range<Int>) -> Void

/// What a step is made ready with, for one worker.
struct RowTools {
  let kernels: fg_row_kernels
  /// Whether every pass runs on its reference kernel.
  var usesReference = false
  /// Where scratch rows come from.
  let memory: RowMemory
  /// Who shares the rows of a pass that is slow and needs all it reads in one place; `nil` where rows
  /// are shared otherwise.
  var workers: Workers?

  /// A row of samples with room around it.
  func scratch<Sample: RowSample>(_ samples: Int) -> UnsafeMutablePointer<Sample> {
    memory.take(samples + 2 * Int(FG_SLACK)) + Int(FG_SLACK)
  }
}
