internal import CKernels
public import FrostglassCore
internal import Glibc
internal import Synchronization

/// The CPU backend for everyday work: row by row with the processor's vectors, in strips on every
/// core.
///
/// Intermediate rows are 16-bit fixed point, or 32-bit floats where a plan needs them: float
/// pictures, linear light, colors that magnify errors. All bytes are those of the whole picture
/// computed at once. Threads, and the memory of whole pictures, are kept for the next one.
public struct FastBackend: Backend {
  /// `fast`.
  public let name = "fast"
  /// Strips computed at once; 1 or more.
  public let threads: Int
  private let engine: PerProcess<RowEngine>
  private let callers = ThreadPool()

  /// - Parameter threads: at least 1, taken as 1 below; one per core unless given.
  public init(threads: Int = ProcessorCores.count) {
    self.init(threads: threads, instructions: .best)
  }

  /// - Parameters:
  ///   - instructions: the processor's operations to use; all give the same bytes.
  ///   - usesReference: run every pass on its reference kernel, as passes without another one do.
  ///   - fill: puts every row, those of inputs and results too, between pages that cannot be touched,
  ///     and fills what is not written yet with this byte; `nil` does neither. See `RowMemory`.
  ///   - limit: bytes that rows of a thread, or of a stream, may take, as if the machine had no more.
  package init(
    threads: Int, instructions: InstructionSet, usesReference: Bool = false,
    guardedWith fill: UInt8? = nil, limit: Int = .max
  ) {
    let threads = max(threads, 1)
    self.threads = threads
    engine = PerProcess {
      RowEngine(
        threads: threads, instructions, usesReference: usesReference, guardedWith: fill,
        limit: limit)
    }
  }

  /// What the processor's operations are called, such as `AVX2`.
  package var instructions: String { String(cString: engine.value.kernels.name) }

  /// The most bytes that rows of a run have taken so far, of runs that were not made ready before.
  package var mostRowBytes: Int { engine.value.mostBytes.load(ordering: .relaxed) }

  /// Runs a plan on this backend's threads.
  ///
  /// Rows are computed as they come, where the plan reads its input in one way.
  public func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    var io = io
    let cancellation = io.cancellation ?? Cancellation()
    io.cancellation = cancellation
    return try await cancellation.whileTaskRuns { [io] () async throws(BackendError) in
      try await callers.run { () throws(BackendError) in try runNow(plan, io) }
    }
  }

  /// Runs a plan in this thread and the backend's, without Swift concurrency: also in a process that
  /// was forked from one that has used this backend.
  public func runNow(_ plan: Plan, _ io: PixelIO) throws(BackendError) -> RunReport {
    let engine = engine.value
    let known = engine.known(plan)
    if known == nil { try io.check(plan) } else { try io.checkPlaces(plan) }
    try io.cancellation?.check()
    try engine.run(known ?? engine.learn(plan), io)
    return RunReport(backend: name)
  }

  /// Makes a plan ready for frame after frame.
  public func prepare(_ plan: Plan) throws(BackendError) -> any PreparedPlan {
    try prepareRows(plan)
  }

  /// Makes a plan ready for frame after frame.
  ///
  /// - Throws: `BackendError.failed` for a plan that is not well formed, and where there is no memory for its
  ///   rows.
  public func prepareRows(_ plan: Plan) throws(BackendError) -> PreparedRows {
    do throws(PlanError) { try plan.validate(for: .none) } catch {
      throw .failed(backend: name, what: "\(error)")
    }
    let rows = PreparedRows(plan, on: engine)
    try rows.check()
    return rows
  }

  /// Makes the plans for pictures in planes ready for frame after frame.
  public func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedPlan {
    try preparePlanes(plan)
  }

  /// Makes the plans for pictures in planes ready for frame after frame.
  ///
  /// - Throws: `BackendError.failed` for plans that are not well formed.
  public func preparePlanes(_ plan: YCbCrPlan) throws(BackendError) -> PreparedPlanes {
    try PreparedPlanes(plan, prepareRows)
  }

  /// Whether the plan reads its input once from top to bottom, so that rows can be taken as they
  /// come.
  public func streams(_ plan: Plan) -> Bool { plan.streamedInput != nil }

  /// Bytes that a run takes beside its inputs and outputs: as rows are made ready for it, in memory that is
  /// only counted. Of more than a million rows that come one by one, three parts are looked at.
  ///
  /// A result of several parts that goes where an input is can take as much again as the result. A run
  /// that follows need not find out again what was found out for this.
  public func memory(for plan: Plan, byRows: Bool) -> Int {
    let engine = engine.value
    // A run of what is known does not look again whether it is well formed.
    let known =
      engine.known(plan)
      ?? ((try? plan.validate(for: .none)) == nil
        ? KnownPlan(plan, strips: threads, usesReference: engine.usesReference)
        : engine.learn(plan))
    if byRows, streams(plan) { return RowStream.memory(of: known, on: engine) }
    let whole = engine.memory(of: known)
    return byRows ? whole + plan.inputBytes + plan.resultBytes : whole
  }

  /// Whether two plans give a shared part the same bytes.
  public func computesAlike(_ first: Plan, _ second: Plan) -> Bool {
    first.isBuilt(like: second)
      || first.roundsBetweenSteps && second.roundsBetweenSteps && first.isFixed == second.isFixed
  }
}

/// Operations a processor may have.
package enum InstructionSet: CaseIterable, Sendable {
  /// What every compiler can make of the kernels.
  case portable
  /// What every processor of this kind has.
  case baseline
  /// The most this processor has, but for vectors of 512 bits.
  case narrow
  /// The most this processor has.
  case best

  /// The kernels that use them.
  var kernels: fg_row_kernels {
    switch self {
    case .portable: fg_portable_kernels().pointee
    case .baseline: fg_baseline_kernels().pointee
    case .narrow: fg_narrow_kernels().pointee
    case .best: fg_best_kernels().pointee
    }
  }
}

/// The processor's cores.
public enum ProcessorCores {
  /// How many are online: 1 or more.
  public static var count: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }
}

// What covers pixels in vectors.
extension CoverageVectors {
  /// - Parameter instructions: that the vectors are of.
  package init(_ instructions: InstructionSet) { self.init(instructions.kernels) }

  init(_ kernels: fg_row_kernels) {
    // By themselves: all of them together would be copied for each call.
    let (coverCircle, countBetween) = (kernels.cover_circle, kernels.count_between)
    self.init(
      cover: { circle, target, count in
        var circle = fg_circle(
          column: circle.column, center: circle.center, square: circle.square,
          radius: circle.radius, grow: circle.grow, feather: circle.feather)
        coverCircle(&circle, target, count)
      },
      countBetween: { countBetween($0, $1, $2, $3) })
  }
}
