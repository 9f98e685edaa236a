public import FrostglassBackends
internal import FrostglassCore
public import FrostglassStills
internal import Synchronization

/// The stages from a file to its blurred copy: decode, plan, execute, encode.
///
/// One pipeline can run any number of jobs, also concurrently; its backend starts with the first.
///
///     let pipeline = Pipeline()
///     try await pipeline.blur("photo.jpg", to: "frosted.jpg", [.gaussian(sigma: 20)])
public struct Pipeline: Sendable {
  /// The backend that will run the plans.
  public let selector: BackendSelector
  /// The threads for long computations and waits.
  var threads = ThreadPool()

  /// - Parameter threads: CPU workers; `nil` means one per core.
  public init(backend: BackendChoice = .auto, threads: Int? = nil) {
    selector = BackendSelector(backend, threads: threads)
  }

  /// - Parameter selector: chooses the backend; may serve several pipelines.
  public init(selector: BackendSelector) {
    self.selector = selector
  }

  /// - Parameter options: the backend, its setup, and the expected number of images.
  public init(_ options: BackendOptions) {
    selector = BackendSelector(options)
  }

  /// Runs a job.
  ///
  /// If the backend streams rows, decoding, computing and encoding overlap. None of it runs on
  /// Swift's cooperative threads. Canceling the task, and `Job.deadline`, stop
  /// it within some ten milliseconds.
  ///
  /// An animated GIF, WebP or PNG stays animated if an output is GIF, WebP or APNG and no frame is chosen: one
  /// plan runs on each frame. Otherwise its first frame is used. Of several outputs, none is
  /// published before all are encoded and written.
  ///
  /// - Parameter progress: receives the progress, one call at a time, from any thread;
  ///   it must not block.
  /// - Throws: `FrostglassError`; then nothing was written.
  @discardableResult
  public func run(
    _ job: Job, progress: @escaping @Sendable (Job.Progress) -> Void = { _ in }
  ) async throws(FrostglassError) -> Report {
    let cancellation = Cancellation(deadline: job.deadline)
    return try await cancellation.whileTaskRuns(actsAtDeadline: true) {
      () async throws(FrostglassError) in
      let start = ContinuousClock.now
      let meter = ProgressMeter(progress)
      meter.begin(.decode)
      let line = try await threads.run(until: cancellation, FrostglassError.init) {
        () throws(FrostglassError) in try JobLine(job, meter, refusingMasksOn: selector.cpu)
      }
      let selection = try await selection(for: line.plan, times: line.frames)
      let backend = selector.backend(of: selection)
      try line.checkMemory(on: backend)
      let ran = try await line.run(on: backend, threads, cancellation)
      // It rereads some data.
      let input = await threads.run { line.reader.finalHeader }
      return Report(
        input: input, plan: line.plan, backend: ran.backend, reason: selection.reason,
        warning: selection.warning, outputs: line.written,
        recoveries: ran.recoveries.newTo([]), timings: line.timings,
        duration: start.duration(to: .now))
    }
  }

  /// Returns the plan of a job, from the input's header alone.
  public func plan(_ job: Job) throws(FrostglassError) -> Plan { try estimate(job).plan }

  /// Returns the plan of a job and the memory it takes, from the input's header alone.
  ///
  /// - Throws: as `run(_:progress:)`, except for too much memory.
  public func estimate(_ job: Job) throws(FrostglassError) -> Job.Estimate {
    let line = try JobLine(job)
    return Job.Estimate(
      plan: line.plan, sizes: line.outputs.map(\.size), need: MemoryNeed(line, cpu: selector.cpu))
  }

  /// The outputs that a job would write.
  package struct Check: Sendable, Hashable {
    /// The size of each output.
    package var sizes: [Size]
    /// The number of frames of each output; more than 1 for an animation.
    package var frames: [Int]
  }

  /// Refuses what a run would refuse before decoding a pixel, and returns what it would write; writes nothing.
  ///
  /// - Throws: as `run(_:progress:)`, except for errors that only a started backend finds.
  package func check(_ job: Job) throws(FrostglassError) -> Check {
    let line = try JobLine(job, refusingMasksOn: selector.cpu)
    let need = MemoryNeed(line, cpu: selector.cpu)
    try checkMemory(need.byRows, for: line.reader, job.decoding)
    return Check(sizes: line.outputs.map(\.size), frames: line.outputs.map(\.frames))
  }

  /// Throws before anything is decoded if the job needs more memory than it may use.
  func checkMemory(
    _ need: Int, for reader: StillReader, _ decoding: DecodeOptions
  ) throws(FrostglassError) {
    try mapped(FrostglassError.decode, StillDecoder(decoding).checkMemory(need, for: reader))
  }

  func open(
    _ source: StillSource, _ decoding: DecodeOptions
  ) throws(FrostglassError) -> StillReader {
    try mapped(FrostglassError.decode, StillDecoder(decoding).reader(of: source))
  }

  private func selection(
    for plan: Plan, times: Int
  ) async throws(FrostglassError) -> BackendSelector.Selection {
    return try await mapped(
      FrostglassError.execute, async: await selector.selection(for: plan, times: times))
  }

  func mapEncode<Value>(
    _ body: () throws(EncodeError) -> Value
  ) throws(FrostglassError) -> Value {
    return try mapped(FrostglassError.encode, body())
  }
}

extension Job {
  /// The progress of a job.
  public struct Progress: Sendable, Hashable {
    /// The current stage: `.decode` before the file is opened, `.plan`, `.execute` while rows are decoded, computed
    /// and encoded, and `.encode` once encoders have all rows.
    public var stage = Report.Stage.decode
    /// The share of result rows that encoders have received, in hundredths: 0 to 1. It stays 0 while a backend
    /// that processes whole images is running.
    public var fraction = 0.0
    /// The number of computed frames.
    public var framesDone = 0
    /// The number of frames; more than 1 for an animation.
    public var frames = 1
  }

  /// The work a job would do, and the memory it would need.
  public struct Estimate: Sendable {
    /// The plan that would run.
    public var plan: Plan
    /// The size of each output.
    public var sizes: [Size]
    /// The memory it would take.
    public var need: MemoryNeed
  }
}

extension Plan.Input {
  /// The plan input that decoding a file with this header gives.
  init(_ header: StillHeader) {
    self.init(
      size: header.size, format: header.pixelFormat, alpha: .straight, transfer: .encoded)
  }
}

/// Reports the progress of a job at each hundredth, frame and stage.
final class ProgressMeter: Sendable {
  private struct State {
    var progress = Job.Progress()
    var rowsDone = 0
    var rows = 0
  }

  private let state = Mutex(State())
  private let tell: @Sendable (Job.Progress) -> Void

  init(_ tell: @escaping @Sendable (Job.Progress) -> Void) { self.tell = tell }

  func begin(_ stage: Report.Stage) {
    state.withLock { state in
      state.progress.stage = stage
      tell(state.progress)
    }
  }

  /// - Parameter rows: of all frames of all outputs.
  func expect(rows: Int, frames: Int) {
    state.withLock { state in
      state.rows = rows
      state.progress.frames = frames
    }
  }

  /// An encoder has another row.
  func rowDone() {
    change { state in
      state.rowsDone += 1
      state.progress.fraction = Double(state.rowsDone * 100 / state.rows) / 100
      if state.rowsDone == state.rows { state.progress.stage = .encode }
    }
  }

  /// Another frame is computed.
  func frameDone() { change { $0.progress.framesDone += 1 } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      let old = state.progress
      body(&state)
      if state.progress != old { tell(state.progress) }
    }
  }
}

extension Pipeline {
  /// Runs a job on its own threads, until it is done, its task is canceled or its deadline passes.
  ///
  /// - Parameter body: is canceled like a task while it waits; where it computes it has
  ///   to check the cancellation regularly.
  /// - Throws: errors of `body`; `.cancelled` or `.deadlineExceeded` if that stopped it.
  package func apart<Value: Sendable>(
    until deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (Cancellation) async throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    let cancellation = Cancellation(deadline: deadline)
    return try await cancellation.whileTaskRuns(actsAtDeadline: true) {
      () async throws(FrostglassError) in
      let task = Task(executorPreference: threads) { () async -> Result<Value, FrostglassError> in
        await Result { () async throws(FrostglassError) in try await body(cancellation) }
      }
      cancellation.onCancel { task.cancel() }
      let result = await task.value
      if case .failure = result { try cancellation.checkJob() }
      return try result.get()
    }
  }
}

extension Pipeline {
  /// Runs something without visible effects on its own thread, and abandons it if the task is canceled or the deadline
  /// passes.
  func leaving<Value: Sendable>(
    until deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (Cancellation) throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    let cancellation = Cancellation(deadline: deadline)
    return try await cancellation.whileTaskRuns(actsAtDeadline: true) {
      () async throws(FrostglassError) in
      try await threads.run(until: cancellation, FrostglassError.init) {
        () throws(FrostglassError) in try body(cancellation)
      }
    }
  }

  /// `estimate` on its own thread, until the task is canceled or the job's deadline: mask
  /// images take long.
  package func estimate(apart job: Job) async throws(FrostglassError) -> Job.Estimate {
    try await leaving(until: job.deadline) { [self] _ throws(FrostglassError) in
      try estimate(job)
    }
  }
}

extension Cancellation {
  /// - Throws: `.cancelled` or `.deadlineExceeded` where the job should stop.
  package func checkJob() throws(FrostglassError) {
    do { try check() } catch { throw FrostglassError(error) }
  }
}

/// An image to process for one or more destinations, each with a recipe of its own.
public struct Job: Sendable {
  /// The recipe for one result, and its destination.
  public struct Output: Sendable {
    /// The filters and their options.
    public var recipe: Recipe
    /// The destination of the result.
    public var sink: StillSink
    /// The format; `nil` takes it from the path's extension, and for standard output from the input.
    public var format: StillFormat?
    /// The encoding options.
    public var encoding: EncodeOptions
    /// Called with the complete result, before it is published; `nil` for nothing.
    package var telling: Telling?

    /// Makes a result's sidecar from the input's size and, for a file, its SHA-256; both are published
    /// together; if it throws, nothing is written.
    package typealias Telling =
      @Sendable (_ size: Size, _ digest: String?) throws(FrostglassError) -> Sidecar

    /// Creates an output; options left out have their defaults.
    public init(
      _ recipe: Recipe, to sink: StillSink, format: StillFormat? = nil,
      encoding: EncodeOptions = EncodeOptions()
    ) {
      self.recipe = recipe
      self.sink = sink
      self.format = format
      self.encoding = encoding
    }
  }

  /// The source of the image.
  public var source: StillSource
  /// The outputs, one or more. The image is decoded once for all of them, and the steps that their recipes share at
  /// the beginning are computed once. No output is published before all are encoded and written next to their
  /// destinations.
  public var outputs: [Output]
  /// The decoding options and limits.
  public var decoding: DecodeOptions
  /// The time at which an unfinished job is canceled; `nil` for never.
  public var deadline: ContinuousClock.Instant?
  /// Called when an output is complete, before any is published; if it throws, nothing is written. `nil` accepts
  /// everything.
  package var accepting: (@Sendable () throws(FrostglassError) -> Void)?

  /// A job with any number of outputs.
  ///
  /// - Parameter outputs: one or more.
  public init(
    source: StillSource, outputs: [Output], decoding: DecodeOptions = DecodeOptions(),
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.source = source
    self.outputs = outputs
    self.decoding = decoding
    self.deadline = deadline
  }

  /// A job with one output.
  ///
  /// - Parameter format: see `Output`.
  public init(
    source: StillSource, recipe: Recipe, sink: StillSink, format: StillFormat? = nil,
    decoding: DecodeOptions = DecodeOptions(), encoding: EncodeOptions = EncodeOptions(),
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.init(
      source: source, outputs: [Output(recipe, to: sink, format: format, encoding: encoding)],
      decoding: decoding, deadline: deadline)
  }
}

/// The filters and options to apply to an image.
public struct Recipe: Sendable, Hashable {
  /// The filters, in order.
  public var chain: FilterChain
  /// The options for planning: edges, quality, light, scale, mask.
  public var options: PlanOptions
  /// The color behind transparent results if the output has no alpha.
  public var background: Color

  /// A recipe; `background` is used only if the output has no alpha.
  public init(
    _ chain: FilterChain, options: PlanOptions = PlanOptions(), background: Color = .white
  ) {
    self.chain = chain
    self.options = options
    self.background = background
  }
}

extension Report {
  /// The four stages of a job.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Reading the file.
    case decode
    /// Planning.
    case plan
    /// Running the plan.
    case execute
    /// Writing the result.
    case encode
  }
}

/// The result of processing one image.
public struct Report: Sendable {
  /// An output that was written.
  public struct Output: Sendable, Hashable {
    /// The format that was written.
    public var format: StillFormat
    /// The size of what was written.
    public var size: Size
    /// The number of frames written; more than 1 for an animation.
    public var frames: Int
    /// The number of frames dropped because the output is a still.
    public var framesLeftOut: Int
    /// True if the format made partly transparent pixels fully transparent or opaque, as GIF does.
    public var hasHardEdges = false
    /// True if pixels outside a mask or regions changed, too, as a GIF holds only 256 colors per frame.
    public var changesOutside = false
    /// The metadata of the input that this file cannot hold, such as `IPTC`; empty if metadata was not to be
    /// kept.
    public var metadataLeftOut: [String] = []

    /// The meaning of `changesOutside`, after the output's name.
    package var wordsOnColors: String {
      "is a GIF and holds 256 colors a frame: pixels outside the regions changed too; PNG, APNG and "
        + "WebP with lossless keep them"
    }
  }

  /// The working time of one stage.
  public struct Timing: Sendable, Hashable {
    /// The stage.
    public var stage: Stage
    /// The time it worked.
    public var duration: Duration
  }

  /// The header of the input.
  public var input: StillHeader
  /// The plan that ran, with as many results as there are outputs.
  public var plan: Plan
  /// The name of the backend that ran it.
  public var backend: String
  /// The reason for choosing that backend, in words.
  public var reason = ""
  /// A warning for the user, such as a GPU that cannot be used.
  public var warning: String?
  /// The outputs that were written, in the order of the job's outputs.
  public var outputs: [Output] = []
  /// The recovered failures, each kind once; usually empty.
  public var recoveries: [Recovery] = []
  /// The working time of each stage, in order. All but planning overlap, so the sum may exceed `duration`.
  public var timings: [Timing] = []
  /// The duration of the job.
  public var duration: Duration = .zero
}

extension [Recovery] {
  /// Returns the recoveries whose remedy is not among others', the first of each kind.
  package func newTo(_ others: [Recovery]) -> [Recovery] {
    var known = Set(others.map(\.remedy))
    return filter { known.insert($0.remedy).inserted }
  }
}

extension StillSink {
  /// The format to write: the one chosen, or the path's, or the input's.
  ///
  /// - Parameters:
  ///   - chosen: `nil` takes it from the path's extension, and for standard output from the input.
  ///   - input: the input's.
  /// - Throws: `EncodeError.unknownFormat` for an unknown extension.
  package func format(_ chosen: StillFormat?, input: StillFormat) throws(EncodeError) -> StillFormat
  {
    if let chosen { return chosen }
    switch self {
    // Devices and pipes have no extension to tell a format by.
    case .file(let path, _) where !path.hasPrefix("/dev/"):
      let named = try StillFormat.toWrite(path: path)
      // Most animated PNGs have the name of a still one.
      return named == .png && input == .apng ? .apng : named
    default: return input
    }
  }
}
