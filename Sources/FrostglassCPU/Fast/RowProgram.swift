internal import CKernels
internal import FrostglassCore

/// One step of a plan made ready: computes the given rows of its target, the lowest first.
typealias RowProgram = (Range<Int>) -> Void

/// What a step is made ready with, for one worker.
struct RowTools {
  let kernels: fg_row_kernels
  /// Where scratch rows come from.
  let memory: RowMemory

  /// A row of fixed point with room around it.
  func scratch(_ samples: Int) -> UnsafeMutablePointer<Int16> {
    memory.samples(samples + 2 * Int(FG_SLACK)) + Int(FG_SLACK)
  }
}
