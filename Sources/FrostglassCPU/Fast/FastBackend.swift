internal import CKernels
public import FrostglassCore

/// The CPU backend for everyday work: row by row with the processor's vectors, in strips on every
/// core.
///
/// Intermediate rows are 16-bit fixed point, or 32-bit floats where a plan needs them: float
/// pictures, linear light, colors that magnify errors. All bytes are those of the whole picture
/// computed at once. Threads and memory are kept for the next picture.
public struct FastBackend: Backend {
  public let name = "fast"
  /// Strips computed at once; 1 or more.
  public let threads: Int
  private let engine: RowEngine

  /// - Parameter threads: at least 1; taken as 1 below.
  public init(threads: Int) { self.init(threads: threads, instructions: .best) }

  /// - Parameters:
  ///   - instructions: the processor's operations to use; all give the same bytes.
  ///   - usesReference: run every pass on its reference kernel, as passes without another one do.
  ///   - fill: puts every row, those of inputs and results too, between pages that cannot be touched,
  ///     and fills what is not written yet with this byte; `nil` does neither. See `RowMemory`.
  package init(
    threads: Int, instructions: InstructionSet, usesReference: Bool = false,
    guardedWith fill: UInt8? = nil
  ) {
    self.threads = max(threads, 1)
    engine = RowEngine(
      threads: self.threads, instructions, usesReference: usesReference, guardedWith: fill)
  }

  /// What the processor's operations are called, such as `AVX2`.
  package var instructions: String { String(cString: engine.kernels.name) }

  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    var result = Image(
      uninitialized: plan.result.rect.size, format: plan.result.format, alpha: plan.result.alpha,
      transfer: plan.result.transfer)
    try await execute(plan, inputs, into: &result)
    return result
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    try plan.check(inputs)
    if !result.isReady(for: plan.result) {
      result = Image(
        uninitialized: plan.result.rect.size, format: plan.result.format,
        alpha: plan.result.alpha, transfer: plan.result.transfer)
    }
    engine.run(plan, inputs, into: &result)
  }

  /// Runs a plan on rows that arrive one after another, on this backend's threads.
  ///
  /// - Parameters:
  ///   - plan: a valid plan with one input.
  ///   - read: brings input rows, each once and from the top, while result rows are computed.
  /// - Returns: `nil` where a plan needs more than the rows of one input as they come.
  public func stream(_ plan: Plan, read: @escaping RowStream.Reading) -> RowStream? {
    RowStream(plan, on: engine, read: read)
  }

  public func computesAlike(_ first: Plan, _ second: Plan) -> Bool {
    first.isBuilt(like: second)
      || first.roundsBetweenSteps && second.roundsBetweenSteps && first.isFixed == second.isFixed
  }
}

extension Image {
  /// Whether a result can be written into this image as it is.
  fileprivate func isReady(for result: Plan.Result) -> Bool {
    size == result.rect.size && format == result.format && alpha == result.alpha
      && transfer == result.transfer && bytesPerRow == size.width * format.bytesPerPixel
      && bytes.count >= bytesPerRow * size.height
  }
}

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
