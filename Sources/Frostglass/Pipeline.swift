internal import FrostglassCPU

/// The line from a file to its blurred copy: decode, plan, execute, encode.
///
/// One pipeline can run any number of jobs, also at once; its backend is started with the first.
///
///     let pipeline = Pipeline()
///     try await pipeline.blur("photo.jpg", to: "frosted.jpg", [.gaussian(sigma: 20)])
public struct Pipeline: Sendable {
  /// The backend that will run the plans.
  public let selector: BackendSelector

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
  /// On the fast backend, decoding, blurring and encoding go on side by side, row by row; on others
  /// one comes after the other.
  ///
  /// An animated GIF or WebP stays one where the output is GIF or WebP and no frame is asked for: one
  /// plan is run on each frame. Otherwise its first frame is taken.
  ///
  /// - Parameters:
  ///   - progress: told when a stage begins.
  ///   - frameDone: told how many frames of an animation are done, and how many there are.
  /// - Throws: `FrostglassError`; then nothing was written.
  @discardableResult
  public func run(
    _ job: Job, progress: @Sendable (Stage) -> Void = { _ in },
    frameDone: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws(FrostglassError) -> Report {
    var watch = StageWatch()
    progress(.decode)
    try check(job)
    var reader = try open(job.source, job.decoding)
    let format = try mapEncode { () throws(EncodeError) in
      try job.outputFormat(input: reader.header.format)
    }
    let inFile = job.decoding.frame == nil ? reader.header.frames : 1
    let frames = format.canAnimate ? inFile : 1
    if frames > 1 { reader = try allFrames(reader, job.decoding) }
    watch.end(.decode)

    progress(.plan)
    let plan = try plan(job.recipe, for: Plan.Input(reader.header), as: format)
    try checkSize(of: plan, frames: frames, format)
    watch.end(.plan)

    var report = Report(
      plan: plan, backend: "", streamed: false, frames: frames, framesLeftOut: inFile - frames,
      timings: [])
    let selection = try await selection(for: plan, times: frames)
    (report.reason, report.warning) = (selection.reason, selection.warning)
    let need = MemoryNeed(
      plan, from: reader, frames: frames, as: format, job.encoding,
      threads: selector.threads)
    try checkMemory(
      selection.backend is FastBackend ? need.byRows : need.whole, for: reader, job.decoding)
    let stream = (selection.backend as? FastBackend).flatMap { backend in
      StreamedRows(plan, on: backend, from: reader, frames: frames) { frameDone($0, frames) }
    }
    if let stream {
      progress(.execute)
      try stream.encode(reader.metadata, as: format, for: job)
      watch.end(.encode)
      watch.add(stream.decoding, to: .decode)
      watch.add(stream.executing, to: .execute)
      report.backend = selection.backend.name
      report.streamed = true
    } else {
      let result: Image
      if frames > 1 {
        progress(.execute)
        result = try await wholeFrames(plan, reader, frames, selection, frameDone, &report)
      } else {
        progress(.decode)
        let image = try decode(reader)
        watch.end(.decode)
        progress(.execute)
        let execution = try await execute(plan, image, on: selection)
        result = execution.image
        report.add(execution)
      }
      watch.end(.execute)
      progress(.encode)
      try mapEncode { () throws(EncodeError) in
        try StillEncoder(job.encoding).encode(
          result, metadata: reader.metadata, as: format, to: job.sink)
      }
      watch.end(.encode)
    }
    report.timings = watch.timings
    return report
  }

  /// Decides what a job would do, from the input's header alone.
  public func plan(_ job: Job) throws(FrostglassError) -> Plan { try estimate(job).plan }

  /// Decides what a job would do, and says what memory that takes, from the input's header alone.
  ///
  /// - Throws: as `run(_:progress:frameDone:)`, but for too much memory.
  public func estimate(_ job: Job) throws(FrostglassError) -> (plan: Plan, need: MemoryNeed) {
    let reader = try open(job.source, job.decoding)
    let format = try mapEncode { () throws(EncodeError) in
      try job.outputFormat(input: reader.header.format)
    }
    let plan = try plan(job.recipe, for: Plan.Input(reader.header), as: format)
    let frames = format.canAnimate && job.decoding.frame == nil ? reader.header.frames : 1
    try checkSize(of: plan, frames: frames, format)
    let need = MemoryNeed(
      plan, from: reader, frames: frames, as: format, job.encoding, threads: selector.threads)
    return (plan, need)
  }

  /// What takes more memory than it may is refused before anything is decoded.
  func checkMemory(
    _ need: Int, for reader: StillReader, _ decoding: DecodeOptions
  ) throws(FrostglassError) {
    do throws(DecodeError) { try StillDecoder(decoding).checkMemory(need, for: reader) } catch {
      throw .decode(error)
    }
  }

  /// What the output's format cannot hold is refused before anything is decoded.
  private func checkSize(
    of plan: Plan, frames: Int, _ format: StillFormat
  ) throws(FrostglassError) {
    try mapEncode { () throws(EncodeError) in
      try format.checkSize(plan.result.rect.size, frames: frames)
    }
  }

  /// What can be refused before any work is done: the output's place and format.
  private func check(_ job: Job) throws(FrostglassError) {
    try mapEncode { () throws(EncodeError) in
      _ = try job.outputFormat(input: .png)
      try job.sink.preflight()
    }
  }

  func open(
    _ source: StillSource, _ decoding: DecodeOptions
  ) throws(FrostglassError) -> StillReader {
    do throws(DecodeError) {
      return try StillDecoder(decoding).reader(of: source)
    } catch { throw .decode(error) }
  }

  private func decode(_ reader: StillReader) throws(FrostglassError) -> Image {
    do throws(DecodeError) { return try reader.image() } catch { throw .decode(error) }
  }

  private func selection(
    for plan: Plan, times: Int
  ) async throws(FrostglassError) -> BackendSelector.Selection {
    do throws(BackendError) { return try await selector.selection(for: plan, times: times) } catch {
      throw .execute(error)
    }
  }

  private func plan(
    _ recipe: Recipe, for input: Plan.Input, as format: StillFormat
  ) throws(FrostglassError) -> Plan {
    do throws(PlanError) {
      let plan = try recipe.chain.plan(for: input, options: recipe.options)
      let stored = plan.storing(
        as: format.pixelFormat(preserving: plan.result.format), on: recipe.background)
      try stored.validate(for: .none)
      return stored
    } catch { throw .plan(error) }
  }

  func mapEncode<Value>(
    _ body: () throws(EncodeError) -> Value
  ) throws(FrostglassError) -> Value {
    do throws(EncodeError) { return try body() } catch { throw .encode(error) }
  }
}

extension Plan.Input {
  /// What decoding a file with this header gives.
  init(_ header: StillHeader) {
    self.init(
      size: header.size, format: header.pixelFormat, alpha: .straight, transfer: .encoded)
  }
}
