internal import FrostglassCore
internal import Synchronization

/// The line from a file to its blurred copy: decode, plan, execute, encode.
///
/// One pipeline can run any number of jobs, also at once; its backend is started with the first.
///
///     let pipeline = Pipeline()
///     try await pipeline.blur("photo.jpg", to: "frosted.jpg", [.gaussian(sigma: 20)])
public struct Pipeline: Sendable {
  /// The backend that will run the plans.
  public let selector: BackendSelector
  /// For what computes or waits for long.
  let threads = ThreadPool()

  /// - Parameter threads: CPU workers; `nil` means one per core.
  public init(backend: BackendChoice = .auto, threads: Int? = nil) {
    selector = BackendSelector(backend, threads: threads)
  }

  /// - Parameter selector: chooses the backend; may serve several pipelines.
  public init(selector: BackendSelector) {
    self.selector = selector
  }

  /// - Parameter options: which backend, how it is set up, and how many pictures are to come.
  public init(_ options: BackendOptions) {
    selector = BackendSelector(options)
  }

  /// Runs a job.
  ///
  /// Where the backend takes rows as they come, it has them decoded as it asks for them, and they are
  /// encoded beside it. None of it is done on Swift's cooperative threads. A cancelled task, and `Job.deadline`, end
  /// it within some ten milliseconds.
  ///
  /// An animated GIF, WebP or PNG stays one where an output is GIF, WebP or APNG and no frame is asked for: one
  /// plan is run on each frame. Otherwise its first frame is taken. Of several outputs, none has its
  /// place before all are encoded and written beside theirs.
  ///
  /// - Parameter progress: told how far the job has come, one call at a time, from whatever thread has
  ///   done something; it is not to wait.
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
        () throws(FrostglassError) in try JobLine(job, meter)
      }
      let selection = try await selection(for: line.plan, times: line.frames)
      let backend = selector.backend(of: selection)
      try line.checkMemory(on: backend)
      let ran = try await line.run(on: backend, threads, cancellation)
      return Report(
        input: line.reader.header, plan: line.plan, backend: ran.backend, reason: selection.reason,
        warning: selection.warning, outputs: line.written,
        recoveries: ran.recoveries.newTo([]), timings: line.timings,
        duration: start.duration(to: .now))
    }
  }

  /// Decides what a job would do, from the input's header alone.
  public func plan(_ job: Job) throws(FrostglassError) -> Plan { try estimate(job).plan }

  /// Decides what a job would do, and says what memory that takes, from the input's header alone.
  ///
  /// - Throws: as `run(_:progress:)`, but for too much memory.
  public func estimate(_ job: Job) throws(FrostglassError) -> Job.Estimate {
    let line = try JobLine(job)
    return Job.Estimate(plan: line.plan, need: MemoryNeed(line, threads: selector.threads))
  }

  /// What would be written.
  package struct Check: Sendable, Hashable {
    /// Of each output.
    package var sizes: [Size]
    /// Of each output, more than 1 for an animation.
    package var frames: [Int]
  }

  /// Refuses what a run would refuse before it decodes a pixel, and says what it would write; writes nothing.
  ///
  /// - Throws: as `run(_:progress:)`, but for what only a started backend knows.
  package func check(_ job: Job) throws(FrostglassError) -> Check {
    let line = try JobLine(job)
    let need = MemoryNeed(line, threads: selector.threads)
    try checkMemory(need.byRows, for: line.reader, job.decoding)
    return Check(sizes: line.plan.results.map(\.rect.size), frames: line.outputs.map(\.frames))
  }

  /// What takes more memory than it may is refused before anything is decoded.
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
  /// How far a job has come.
  public struct Progress: Sendable, Hashable {
    /// What it is at: `.decode` before the file is opened, `.plan`, `.execute` while rows are decoded,
    /// computed and encoded, and `.encode` once encoders have all of them.
    public var stage = Report.Stage.decode
    /// Rows of the results that encoders have, of all, in hundredths: 0 to 1. It stays 0 while a backend
    /// that takes whole pictures is at work.
    public var fraction = 0.0
    /// Frames that are computed.
    public var framesDone = 0
    /// Frames there are; more than 1 for an animation.
    public var frames = 1
  }

  /// What a job would do, and what that takes.
  public struct Estimate: Sendable {
    /// What would be run.
    public var plan: Plan
    /// The memory it would take.
    public var need: MemoryNeed
  }
}

extension Plan.Input {
  /// What decoding a file with this header gives.
  init(_ header: StillHeader) {
    self.init(
      size: header.size, format: header.pixelFormat, alpha: .straight, transfer: .encoded)
  }
}

/// Tells how far a job has come, whenever that is a hundredth, a frame or a stage more.
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
  /// Runs a job on threads of its own, until it is done, its task is cancelled or its time is over.
  ///
  /// - Parameter body: learns of the end as of a cancelled task, in what it waits for; where it computes it is
  ///   to look at the cancellation now and then.
  /// - Throws: what `body` throws; `.cancelled` or `.deadlineExceeded` where that was why.
  func apart<Value: Sendable>(
    until deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (Cancellation) async throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    let cancellation = Cancellation(deadline: deadline)
    return try await cancellation.whileTaskRuns(actsAtDeadline: true) {
      () async throws(FrostglassError) in
      let task = Task(executorPreference: threads) { () async -> Result<Value, FrostglassError> in
        do throws(FrostglassError) { return .success(try await body(cancellation)) } catch {
          return .failure(error)
        }
      }
      cancellation.onCancel { task.cancel() }
      let result = await task.value
      if case .failure = result { try cancellation.checkJob() }
      return try result.get()
    }
  }
}

extension Cancellation {
  /// - Throws: `.cancelled` or `.deadlineExceeded` where the job should stop.
  func checkJob() throws(FrostglassError) {
    do throws(BackendError) { try check() } catch { throw FrostglassError(error) }
  }
}
