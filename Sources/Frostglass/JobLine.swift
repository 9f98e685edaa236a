internal import FrostglassCPU
internal import FrostglassCore
internal import FrostglassStills
internal import Synchronization

/// A prepared job: its file is open, its plan made, and everything checked that can be checked
/// before decoding.
///
/// Rows go from the file through a backend to encoders. The backend pulls decoded rows: the first
/// rows and whole images are decoded in a thread that can be abandoned, others in the backend's; each encoder has
/// its own thread.
final class JobLine: Sendable {
  /// The plan for a still and for the first frame, with one result per output.
  let plan: Plan
  /// Frames that are read: more than 1 for an animation.
  let frames: Int
  let outputs: [OutputLine]
  /// Decodes for `source` alone once the job runs.
  nonisolated(unsafe) let reader: StillReader
  let job: Job
  /// The plan for all later frames, for the outputs that hold them.
  private let laterPlan: Plan
  private let source: StillFrames
  private let clock = StageClock()
  private let together: OutputOrder
  /// The recoveries so far, for a run that is stopped as its last rows arrive and so returns no report.
  private let recoveries = RecoveryLog()
  private let progress: ProgressMeter

  /// - Parameter cpu: the backend on which masks that need too much memory are refused; `nil` makes them anyway.
  init(
    _ job: Job, _ progress: ProgressMeter = ProgressMeter { _ in },
    refusingMasksOn cpu: (any Backend)? = nil
  ) throws(FrostglassError) {
    self.job = job
    self.progress = progress
    try mapped(FrostglassError.encode, job.checkOutputs())
    let decoder = StillDecoder(job.decoding)
    var reader: StillReader
    reader = try mapped(FrostglassError.decode, decoder.reader(of: job.source))
    progress.begin(.plan)
    let inFile = job.decoding.frame == nil ? reader.header.frames : 1
    if let cpu, job.hasMasks { try job.checkMasks(for: reader, frames: inFile, on: cpu) }
    (outputs, plan, laterPlan) = try clock.measure(.plan) { () throws(FrostglassError) in
      let outputs = try job.outputs.map { output throws(FrostglassError) in
        try OutputLine(output, of: reader, frames: inFile)
      }
      let plan = try mapped(FrostglassError.plan, Plan(joining: outputs.map(\.plan)))
      let animated = outputs.filter { $0.frames > 1 }.map(\.plan)
      guard !animated.isEmpty, animated.count < outputs.count else { return (outputs, plan, plan) }
      return (outputs, plan, try mapped(FrostglassError.plan, Plan(joining: animated)))
    }
    frames = outputs.map(\.frames).max() ?? 1
    for output in outputs {
      guard let size = output.largest,
        Double(size.area) * Double(output.frames) > Double(job.decoding.maxPixels)
      else { continue }
      throw .decode(
        .tooManyPixels(name: job.source.name, size: size, limit: job.decoding.maxPixels))
    }
    if frames > 1 {
      reader = try mapped(FrostglassError.decode, decoder.allFrames(of: reader))
    }
    self.reader = reader
    source = StillFrames(reader, frames: frames)
    together = OutputOrder(outputs)
    progress.expect(
      rows: outputs.reduce(0) { $0 + $1.plan.result.rect.height * $1.frames }, frames: frames)
  }

  /// Throws before anything is decoded if the job needs more memory than it may use.
  func checkMemory(on backend: any Backend) throws(FrostglassError) {
    try mapped(
      FrostglassError.decode,
      StillDecoder(job.decoding).checkMemory(memory(on: backend), for: reader))
  }

  /// About how many bytes the job takes at its peak on a backend.
  func memory(on backend: any Backend) -> Int {
    let memory = Self.memory(of: outputs, plan, reader, on: backend)
    guard job.hasMasks else { return memory }
    let masks = job.maskMemory(for: reader.header.size)
    return max(masks.making, masks.made + memory)
  }

  /// Returns about how many bytes the job takes at its peak without masks.
  static func memory(
    of outputs: [OutputLine], _ plan: Plan, _ reader: StillReader, on backend: any Backend
  ) -> Int {
    let frames = outputs.map(\.frames).max() ?? 1
    let byRows = backend.streams(plan)
    return (byRows || frames > 1 ? reader.rowMemory : reader.imageMemory)
      + (frames == 1
        ? backend.memory(for: plan, byRows: true)
        : (backend.memory(for: plan, byRows: false) + plan.inputBytes + plan.resultBytes)
          * min(frames, max(backend.framesInFlight, 1)))
      + outputs.reduce(0) { $0 + $1.memory }
  }

  /// The working time of each stage.
  var timings: [Report.Timing] {
    clock.timings(decode: source.duration, outputs.map(\.queue), together)
  }

  /// The outputs that are written.
  var written: [Report.Output] {
    let inFile = job.decoding.frame == nil ? reader.header.frames : 1
    return outputs.map { line in
      let encoding = line.output.encoding
      return Report.Output(
        format: line.format, size: line.size, frames: line.frames,
        framesLeftOut: inFile - line.frames,
        hasHardEdges: line.hasHardEdges, changesOutside: line.changesOutside,
        metadataLeftOut: encoding.strip
          ? [] : encoding.kept(reader.metadata, of: line.imageSize).leftOut(by: line.format))
    }
  }

  /// Decodes and computes all rows, and writes the files.
  ///
  /// - Throws: `FrostglassError`; then nothing was written.
  func run(
    on backend: any Backend, _ threads: ThreadPool, _ cancellation: Cancellation
  ) async throws(FrostglassError) -> RunReport {
    progress.begin(.execute)
    cancellation.onCancel { [self] in
      source.stop()
      stopOutputs()
    }
    async let encoding = encoded(threads, cancellation)
    let ran = await runFrames(on: backend, cancellation)
    if case .failure = ran { stopOutputs() }
    let written = await encoding
    do { try cancellation.check() } catch {
      // Finished work is not canceled.
      if case .failure = written { throw FrostglassError(error) }
    }
    if let failure = source.failure { throw .decode(failure) }
    // The first failure stopped the other side.
    switch (ran, written) {
    case (.success(let report), .success): return report
    // It was stopped after all rows had arrived.
    case (.failure(.cancelled), .success), (.failure(.deadlineExceeded), .success):
      return lateReport(of: backend)
    case (.failure(.interrupted), .failure(let error)), (.failure(.cancelled), .failure(let error)),
      (.success, .failure(let error)):
      throw error
    case (.failure(let error), _): throw FrostglassError(error)
    }
  }

  /// A report for a run that did not return one: the last backend and the recoveries so far.
  private func lateReport(of backend: any Backend) -> RunReport {
    var report = RunReport(backend: backend.name, recoveries: recoveries.all)
    for case .otherBackend(let name) in report.recoveries.map(\.remedy) { report.backend = name }
    return report
  }

  private func stopOutputs() {
    for output in outputs { output.queue.stop() }
    together.stop()
  }

  /// Writes the files from the rows that come.
  ///
  /// - Returns: the failure that has stopped the other files, if one has.
  private func encoded(
    _ threads: ThreadPool, _ cancellation: Cancellation
  ) async -> Result<Void, FrostglassError> {
    await withTaskGroup(of: FrostglassError?.self) { group in
      for output in outputs {
        group.addTask { [self] in
          do throws(FrostglassError) {
            try await threads.run(
              until: cancellation, FrostglassError.init,
              mayLeave: { [together] in together.stop() }
            ) { [self] () throws(FrostglassError) in
              try clock.measure(.encode) { () throws(FrostglassError) in
                try output.encode(
                  reader.metadata, cancellation, progress, together: together,
                  accepting: job.accepting)
              }
            }
            return nil
          } catch {
            stopOutputs()
            return error
          }
        }
      }
      var failure: FrostglassError?
      for await case let error? in group {
        // Outputs stopped by another's failure have no error of their own.
        if case .cancelled = failure ?? .cancelled { failure = error }
      }
      return failure.map { .failure($0) } ?? .success(())
    }
  }

  /// Runs the plan on all frames, as many at once as keep the backend busy, and stops at the first that
  /// fails.
  private func runFrames(
    on backend: any Backend, _ cancellation: Cancellation
  ) async -> Result<RunReport, BackendError> {
    let report = Mutex(RunReport(backend: backend.name))
    return await Result { () async throws(BackendError) in
      let prepared = try self.prepared(on: backend)
      let loop = FrameLoop<BackendError>(atOnce: backend.framesInFlight)
      try await loop.run { [frames] frame throws(BackendError) in
        frame < frames ? frame : nil
      } work: { [self] frame throws(BackendError) in
        await clock.measure(.execute) {
          await run(frame, on: backend, prepared, cancellation)
        }
      } write: { [self] _, ran throws(BackendError) in
        if case .failure = ran {
          // Later frames wait for its rows.
          source.stop()
          stopOutputs()
        }
        let ran = try ran.get()
        report.withLock {
          $0.backend = ran.backend
          $0.recoveries += ran.recoveries
        }
        progress.frameDone()
      }
      return report.withLock { $0 }
    }
  }

  /// An animation's plans made ready: for the first frame, and for all others where that is something
  /// else. None for a still.
  private func prepared(on backend: any Backend) throws(BackendError) -> [any PreparedPlan] {
    guard frames > 1 else { return [] }
    let first = try backend.prepare(plan)
    return laterPlan == plan ? [first] : [first, try backend.prepare(laterPlan)]
  }

  private func run(
    _ frame: Int, on backend: any Backend, _ prepared: [any PreparedPlan],
    _ cancellation: Cancellation
  ) async -> Result<RunReport, BackendError> {
    let wanted = outputs.filter { frame < $0.frames }
    var io = PixelIO(
      [.rows(source.rows(of: frame))], to: wanted.map { .rows($0.queue.rows(of: frame)) },
      cancellation: cancellation)
    io.recovered = { [recoveries] in recoveries.add($0) }
    return await Result { () async throws(BackendError) in
      guard let last = prepared.last else { return try await backend.run(plan, io) }
      return try await (frame == 0 ? prepared[0] : last).run(io)
    }
  }
}

extension Job {
  /// Refuses outputs that cannot be written, before the input is opened.
  fileprivate func checkOutputs() throws(EncodeError) {
    var places = Set<FilePlace>()
    var inMemory = Set<ObjectIdentifier>()
    for output in outputs {
      _ = try output.sink.format(output.format, input: .png)
      try output.sink.preflight()
      if case .memory(let file) = output.sink, !inMemory.insert(ObjectIdentifier(file)).inserted {
        throw .namedTwice(path: "memory")
      }
      guard let place = output.sink.place else { continue }
      guard places.insert(place).inserted else {
        let path = if case .file(let path, _) = output.sink { path } else { "-" }
        throw .namedTwice(path: path)
      }
    }
  }
}

extension Recipe {
  /// Returns the plan for an image whose result is written in `format`.
  func plan(
    for input: Plan.Input, as format: StillFormat
  ) throws(FrostglassError) -> Plan {
    do {
      let plan = try chain.plan(for: input, options: options)
      let stored = plan.storing(
        as: format.pixelFormat(preserving: plan.result.format), on: background)
      try stored.validate(for: .none)
      return stored
    } catch { throw .plan(error) }
  }
}

/// Adds up the working time of stages, several of which overlap.
private final class StageClock: Sendable {
  private let durations = Mutex<[Report.Stage: Duration]>([:])

  func measure<Value, Failure: Error>(
    _ stage: Report.Stage, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let start = ContinuousClock.now
    defer { add(start.duration(to: .now), to: stage) }
    return try body()
  }

  func measure<Value>(_ stage: Report.Stage, _ body: () async -> Value) async -> Value {
    let start = ContinuousClock.now
    let value = await body()
    add(start.duration(to: .now), to: stage)
    return value
  }

  private func add(_ duration: Duration, to stage: Report.Stage) {
    durations.withLock { $0[stage, default: .zero] += duration }
  }

  /// - Parameters:
  ///   - decode: the time spent reading rows, during which backends wait.
  ///   - queues: know how long each side waited for the other.
  ///   - together: knows how long encoders waited for others.
  func timings(
    decode: Duration, _ queues: [RowQueue], _ together: OutputOrder
  ) -> [Report.Timing] {
    var durations = durations.withLock { $0 }
    durations[.decode] = decode
    durations[.execute, default: .zero] -= decode
    durations[.encode, default: .zero] -= together.waited
    for queue in queues {
      durations[.execute, default: .zero] -= queue.timeWriterWaited
      durations[.encode, default: .zero] -= queue.timeReaderWaited
    }
    return Report.Stage.allCases.map {
      Report.Timing(stage: $0, duration: max(durations[$0] ?? .zero, .zero))
    }
  }
}

extension Job {
  /// True if any result is blurred through a mask.
  fileprivate var hasMasks: Bool { outputs.contains { $0.recipe.options.mask != nil } }
}

/// About how many bytes a job takes at its peak, from the input's header, the plan and the formats.
public struct MemoryNeed: Sendable, Hashable {
  /// The bytes where rows stream from the decoder through the blur to the encoder: on the CPU.
  public let byRows: Int
  /// The bytes where a whole image is decoded before it is blurred: on a GPU and on the reference.
  public let whole: Int

  /// - Parameter cpu: the backend that takes rows. It runs the job next, perhaps, and then knows its plan.
  init(_ line: JobLine, cpu: any Backend) {
    byRows = line.memory(on: cpu)
    whole = line.memory(on: ReferenceBackend())
  }
}

extension Job {
  /// Bytes of images in masks for its image.
  func maskMemory(for size: Size) -> MaskMemory {
    MaskMemory(outputs.compactMap(\.recipe.options.mask), for: size)
  }

  /// Refuses masks that take more memory than the job may before they are made: planning makes them.
  ///
  /// - Parameters:
  ///   - frames: in the file.
  ///   - cpu: the backend that may run the job.
  func checkMasks(
    for reader: StillReader, frames: Int, on cpu: any Backend
  ) throws(FrostglassError) {
    let masks = maskMemory(for: reader.header.size)
    let decoder = StillDecoder(decoding)
    do { return try decoder.checkMemory(masks.making, for: reader) } catch {}
    // The error states the whole need: rows of a mask's image take a little more than
    // those of the outline that stands for it.
    let others = 9 * ((try? othersMemory(for: reader, frames: frames, on: cpu)) ?? 0) / 8
    try mapped(
      FrostglassError.decode,
      decoder.checkMemory(max(masks.making, masks.made + others), for: reader))
  }

  /// Approximate bytes of the job without its masks.
  private func othersMemory(
    for reader: StillReader, frames: Int, on cpu: any Backend
  ) throws -> Int {
    let lines = try outputs.map { output throws(FrostglassError) -> OutputLine in
      var output = output
      output.recipe.options.mask = output.recipe.options.mask?.withoutImages
      return try OutputLine(output, of: reader, frames: frames)
    }
    return try JobLine.memory(of: lines, Plan(joining: lines.map(\.plan)), reader, on: cpu)
  }
}
