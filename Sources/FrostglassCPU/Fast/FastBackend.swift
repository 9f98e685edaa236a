internal import CKernels
public import FrostglassCore
internal import Glibc
internal import Synchronization

/// The CPU backend for everyday work: row by row with the processor's vectors, in strips on every
/// core.
///
/// Intermediate rows are 16-bit fixed point, or 32-bit floats where a plan needs them: float
/// images, linear light, colors that magnify errors. All bytes are those of the whole image
/// computed at once. Threads, and the memory of whole images, are kept for the next one.
public struct FastBackend: Backend {
  /// `fast`.
  public let name = "fast"
  /// Strips computed at once; 1 or more.
  public let threads: Int
  private let engine: PerProcess<RowEngine>
  private let callers = ThreadPool()

  /// - Parameter threads: at least 1, taken as 1 below; `nil` means one per core.
  public init(threads: Int? = nil) {
    self.init(threads: threads ?? ProcessorCores.count, instructions: .best)
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

  /// The name of the processor's operations, such as `AVX2`.
  package var instructions: String { String(cString: engine.value.kernels.name) }

  /// The most bytes that rows of a run have taken so far, of runs that were not made ready before.
  package var mostRowBytes: Int { engine.value.mostBytes.load(ordering: .relaxed) }

  /// Runs a plan on this backend's threads.
  ///
  /// Rows are computed as they come, where the plan reads its input in one way.
  public func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    try await io.run(on: callers) { io throws(BackendError) in try runNow(plan, io) }
  }

  /// Runs a plan in this thread and the backend's, without Swift concurrency: also in a process that
  /// was forked from one that has used this backend.
  public func runNow(_ plan: Plan, _ io: PixelIO) throws(BackendError) -> RunReport {
    let engine = engine.value
    try io.endingSources { io throws(BackendError) in
      let known = engine.known(plan)
      if known == nil { try io.check(plan) } else { try io.checkPlaces(plan) }
      try io.cancellation?.check()
      try engine.run(known ?? engine.learn(plan), io)
    }
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
    do { try plan.validate(for: .none) } catch {
      throw .failed(backend: name, what: "\(error)")
    }
    let rows = PreparedRows(plan, on: engine)
    try rows.check()
    return rows
  }

  /// Makes the plans for images in planes ready for frame after frame.
  public func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedPlan {
    try preparePlanes(plan)
  }

  /// Makes the plans for images in planes ready for frame after frame.
  ///
  /// - Throws: `BackendError.failed` for plans that are not well formed.
  public func preparePlanes(_ plan: YCbCrPlan) throws(BackendError) -> PreparedPlanes {
    try PreparedPlanes(plan, prepareRows)
  }

  /// Returns true if the plan reads its input once from top to bottom, so that rows can be taken as they arrive.
  public func streams(_ plan: Plan) -> Bool { plan.streamedInput != nil }

  /// Bytes that a run takes in addition to inputs and outputs: those of what is prepared for it, and runs it
  /// if it follows.
  ///
  /// A result of several parts that goes where an input is can take as much again as the result. A run
  /// that follows need not find out again what was found out for this.
  public func memory(for plan: Plan, byRows: Bool) -> Int {
    let engine = engine.value
    // A cached plan is not validated again.
    let known =
      engine.known(plan)
      ?? ((try? plan.validate(for: .none)) == nil ? engine.made(plan) : engine.learn(plan))
    if byRows, streams(plan) { return engine.memory(of: known, byRows: true) }
    let whole = engine.memory(of: known, byRows: false)
    return byRows ? whole + plan.inputBytes + plan.resultBytes : whole
  }

  /// The operations on rows that a plan is run as, for people.
  package func operations(of plan: Plan) -> String {
    "\(engine.value.made(plan).lowered)"
  }

  /// Returns true if two plans compute the same bytes for a shared part.
  public func isBitIdentical(_ first: Plan, _ second: Plan) -> Bool {
    first.isBuilt(like: second)
      || first.roundsBetweenSteps && second.roundsBetweenSteps && first.isFixed == second.isFixed
  }
}

/// Operations a processor may have.
package enum InstructionSet: CaseIterable, Sendable {
  /// The operations that every compiler can generate for the kernels.
  case portable
  /// The operations that every processor of this kind has.
  case baseline
  /// The most this processor has, but for vectors of 512 bits.
  case narrow
  /// The most this processor has.
  case best

  /// The kernels that use them.
  var kernels: fgk_row_kernels {
    switch self {
    case .portable: fgk_portable_kernels().pointee
    case .baseline: fgk_baseline_kernels().pointee
    case .narrow: fgk_narrow_kernels().pointee
    case .best: fgk_best_kernels().pointee
    }
  }
}

// What covers pixels in vectors.
extension CoverageVectors {
  /// - Parameter instructions: that the vectors are of.
  package init(_ instructions: InstructionSet) { self.init(instructions.kernels) }

  init(_ kernels: fgk_row_kernels) {
    // Each alone: all together would be copied for each call.
    let (coverCircle, countBetween) = (kernels.cover_circle, kernels.count_between)
    self.init(
      cover: { circle, target, count in
        var circle = fgk_circle(
          column: circle.column, center: circle.center, square: circle.square,
          radius: circle.radius, grow: circle.grow, feather: circle.feather)
        coverCircle(&circle, target, count)
      },
      countBetween: { countBetween($0, $1, $2, $3) })
  }
}

/// The facts that a run derives from a plan before it computes a pixel. The next run of the same plan reuses them.
///
/// For 1920×1080 pixels and a σ of 20 or more, deriving them takes a twelfth of a run's time.
final class CachedPlan: Sendable {
  /// As it was given; it is well formed.
  let plan: Plan
  /// With the steps taken apart that are not computed at once.
  let parted: Plan
  /// The same as operations on rows.
  let lowered: LoweredPlan
  private let engine: (strips: Int, usesReference: Bool)
  private let inOrder = Mutex<RowSchedule?>(nil)
  private let made = Mutex<ImageStages?>(nil)

  /// - Parameters:
  ///   - plan: a valid one.
  ///   - strips: the most parts of an image that are made side by side.
  ///   - usesReference: true if every pass runs on its reference kernel.
  init(_ plan: Plan, strips: Int, usesReference: Bool) {
    self.plan = plan
    parted = plan.inParts {
      $0.isFixedAtOnce && plan.arithmetic(allowsFixed: !usesReference) == .fixed
    }
    lowered = LoweredPlan(parted, allowsFixed: !usesReference)
    engine = (strips, usesReference)
  }

  /// The order in which the rows of a stream are made, derived on first use.
  var streamed: RowSchedule {
    inOrder.withLock { inOrder in
      let schedule =
        inOrder
        ?? RowSchedule(
          parted,
          RowNeeds(parted, target: nil, rows: parted.result.rect.rows, complete: [], ending),
          rowsPerBand: streamedRows, ending)
      inOrder = schedule
      return schedule
    }
  }

  private var ending: PlanEnding? { lowered.ending() }
  /// Each thread gets as many rows of a band as one alone would take.
  private var streamedRows: Int { RowSchedule.rowsPerBand * engine.strips }

  /// The stages of whole images, derived on first use.
  var stages: ImageStages {
    made.withLock { made in
      let stages =
        made ?? ImageStages(lowered, strips: engine.strips, usesReference: engine.usesReference)
      made = stages
      return stages
    }
  }
}

/// A sample type of intermediate rows, which decides the kernels that compute them.
protocol RowSample: BitwiseCopyable {
  /// Nothing is there.
  static var transparent: Self { get }
  /// True if an image that is shown in parts of another may take its rows.
  static var mixesInPlace: Bool { get }
  /// Samples per pixel of an image.
  static func channels(of layout: PixelFormat.Layout) -> Int
  /// Returns the program of an operation in a strip's schedule.
  static func program(for op: RowOp, of strip: RowStrip<Self>) -> RowProgram?
  /// Takes over pixels of floats, as many as fill `source`.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Self>)
  /// Gives pixels as floats, as many as fill `target`.
  static func give(
    _ source: UnsafePointer<Self>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>)
}

/// 16-bit fixed point; `CKernels.h` says what a sample stands for.
extension Int16: RowSample {
  static var transparent: Int16 { -Int16(FG_FULL) }
  static var mixesInPlace: Bool { true }

  /// Colors have a fourth sample, full where there is no alpha.
  static func channels(of layout: PixelFormat.Layout) -> Int { layout == .gray ? 1 : 4 }

  static func program(for op: RowOp, of strip: RowStrip<Int16>) -> RowProgram? {
    strip.fixedProgram(for: op)
  }
}

/// 32-bit float, any value.
extension Float: RowSample {
  static var transparent: Float { 0 }
  static var mixesInPlace: Bool { false }

  static func channels(of layout: PixelFormat.Layout) -> Int { layout.channels }

  static func program(for op: RowOp, of strip: RowStrip<Float>) -> RowProgram? {
    strip.floatProgram(for: op)
  }
}

/// The sample type of a plan's intermediate rows.
package enum RowArithmetic {
  /// `Int16`.
  case fixed
  /// `Float`.
  case float
}

extension Plan {
  /// In what the plan's rows are computed.
  ///
  /// - Parameter allowsFixed: true if fixed point is used where it serves.
  package func arithmetic(allowsFixed: Bool = true) -> RowArithmetic {
    allowsFixed && isFixed ? .fixed : .float
  }

  /// True if 16-bit intermediates suffice and every pass has fixed-point kernels.
  fileprivate var isFixed: Bool {
    slots.allSatisfy { $0.precision <= .fixed16 }
      && steps.allSatisfy { $0.pass.hasFixedKernel(in: self) }
  }
}

extension Pass {
  /// Returns true if there are fixed-point kernels for exactly these numbers.
  fileprivate func hasFixedKernel(in plan: Plan) -> Bool {
    switch self {
    case .load(let load): load.fits(plan.inputs[load.input].format)
    case .resample(let resample): resample.hasFixedKernel
    case .convolve(let convolve): convolve.hasFixedKernel
    // Fixed point holds nothing outside 0…1.
    case .colorMatrix(let matrix): matrix.clamps
    // The others stay in 0…1, and run on reference kernels if they have no fast one.
    case .blend, .lumaCurve, .displace, .generate, .bilateral, .median, .cellMeans, .cellFill,
      .grain, .stencil, .gather, .highlightWeight, .packChannels:
      true
    // Fixed point has no sRGB curve.
    case .store(let store): !store.encodesFromLinear
    }
  }
}

extension Pass {
  /// True if fixed point makes at once what may be taken apart, with fewer roundings between.
  fileprivate var isFixedAtOnce: Bool {
    switch self {
    case .convolve(let convolve): convolve.boxes != nil
    case .stencil: true
    default: false
    }
  }
}

extension Load {
  /// Returns true if rows of a format can be loaded into fixed point.
  fileprivate func fits(_ format: PixelFormat) -> Bool {
    let ignoresAlpha = format.layout.hasAlpha && alpha == .opaque
    return !decodesToLinear && format.depth != .float32 && !ignoresAlpha
  }
}

extension Plan {
  /// Returns the number of multiply-adds for a row of a step's target.
  func multiplyAddsPerRow(of step: Step) -> Int {
    let slot = step.target.map { slots[$0] }
    let width = slot?.domain.width ?? result.rect.width
    let channels = slot?.layout.channels ?? result.format.layout.channels
    return width * channels * max(step.pass.multiplyAdds, 1)
  }
}

extension Range<Int> {
  /// Parts of about the same length that together give the whole; none is empty.
  func strips(_ wanted: Int) -> [Range<Int>] {
    let number = Swift.max(1, Swift.min(wanted, count))
    return (0..<number).map { index in
      lowerBound + count * index / number..<lowerBound + count * (index + 1) / number
    }
  }
}
