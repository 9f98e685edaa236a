internal import FrostglassCore
internal import FrostglassCPU
internal import Synchronization

/// A job made ready: its file is open, its plan made, and what can be refused before any pixel is decoded
/// was not.
///
/// Rows go from the file through a backend to an encoder, each of which works in threads of its own.
final class JobLine: @unchecked Sendable {
  let plan: Plan
  /// Frames that will be written: more than 1 for an animation.
  let frames: Int
  /// Frames of the input that are left out, as the output is a still.
  let framesLeftOut: Int
  let reader: StillReader
  let format: StillFormat
  let job: Job
  private let source: StillFrames
  private let queue: RowQueue
  private let clock = StageClock()

  /// - Parameter progress: told when a stage begins.
  init(_ job: Job, _ progress: (Stage) -> Void = { _ in }) throws(FrostglassError) {
    self.job = job
    do throws(EncodeError) {
      _ = try job.sink.format(job.format, input: .png)
      try job.sink.preflight()
    } catch { throw .encode(error) }
    let decoder = StillDecoder(job.decoding)
    var reader: StillReader
    do throws(DecodeError) { reader = try decoder.reader(of: job.source) } catch {
      throw .decode(error)
    }
    do throws(EncodeError) {
      format = try job.sink.format(job.format, input: reader.header.format)
    } catch { throw .encode(error) }
    let inFile = job.decoding.frame == nil ? reader.header.frames : 1
    frames = format.canAnimate ? inFile : 1
    framesLeftOut = inFile - frames
    if frames > 1 {
      do throws(DecodeError) { reader = try decoder.allFrames(of: reader) } catch {
        throw .decode(error)
      }
    }
    self.reader = reader
    progress(.plan)
    plan = try clock.measure(.plan) { [format] () throws(FrostglassError) in
      try job.recipe.plan(for: Plan.Input(reader.header), as: format)
    }
    do throws(EncodeError) {
      try format.checkSize(plan.result.rect.size, frames: frames)
    } catch { throw .encode(error) }
    source = StillFrames(reader, frames: frames)
    queue = RowQueue(
      bytesPerRow: plan.result.rect.width * plan.result.format.bytesPerPixel,
      rowsPerFrame: plan.result.rect.height)
  }

  /// What takes more memory than it may is refused before anything is decoded.
  func checkMemory(on backend: any Backend) throws(FrostglassError) {
    do throws(DecodeError) {
      try StillDecoder(job.decoding).checkMemory(memory(on: backend), for: reader)
    } catch { throw .decode(error) }
  }

  /// About how many bytes the job takes at its peak on a backend.
  func memory(on backend: any Backend) -> Int {
    let result = plan.result
    let encoder = StillEncoder(job.encoding)
    let byRows = backend.streams(plan)
    return (byRows || frames > 1 ? reader.rowMemory : reader.imageMemory)
      + backend.memory(for: plan, byRows: true) * min(frames, backend.framesInFlight)
      + RowQueue.capacity * result.rect.width * result.format.bytesPerPixel
      + encoder.memory(result.rect.size, frames: frames, result.format, as: format, byRows: true)
  }

  /// How long each stage worked.
  var timings: [Report.Timing] { clock.timings(decode: source.duration, queue) }

  /// Lets all rows come, and writes the file.
  ///
  /// - Throws: `FrostglassError`; then nothing was written.
  func run(
    on backend: any Backend, _ threads: ThreadPool, _ cancellation: Cancellation,
    _ frameDone: @Sendable (Int, Int) -> Void
  ) async throws(FrostglassError) -> RunReport {
    cancellation.onCancel { [source, queue] in
      source.stop()
      queue.stop()
    }
    async let encoding = encoded(threads, cancellation)
    let ran = await runFrames(on: backend, cancellation, frameDone)
    if case .failure = ran { queue.stop() }
    let written = await encoding
    do throws(BackendError) { try cancellation.check() } catch {
      // Too late for what is done already.
      if case .failure = written { throw FrostglassError(error) }
    }
    if let failure = source.failure { throw .decode(failure) }
    // What failed first has stopped the other.
    switch (ran, written) {
    case (.success(let report), .success): return report
    case (.failure(.interrupted), .failure(let error)), (.failure(.cancelled), .failure(let error)),
      (.success, .failure(let error)):
      throw error
    case (.failure(let error), _): throw FrostglassError(error)
    }
  }

  /// Writes the file from the rows that come.
  private func encoded(
    _ threads: ThreadPool, _ cancellation: Cancellation
  ) async -> Result<Void, FrostglassError> {
    do throws(FrostglassError) {
      try await threads.run(until: cancellation, FrostglassError.init) {
        [self] () throws(FrostglassError) in
        try clock.measure(.encode) { () throws(FrostglassError) in try encode(cancellation) }
      }
      return .success(())
    } catch {
      queue.stop()
      return .failure(error)
    }
  }

  private func encode(_ cancellation: Cancellation) throws(FrostglassError) {
    let size = plan.result.rect.size
    let rows = StillRows(
      size: Size(width: size.width, height: size.height * frames), format: plan.result.format
    ) { [queue] in
      try queue.read(into: $0)
    } finish: {
      try cancellation.check()
    }
    do {
      try StillEncoder(job.encoding).encode(
        rows, metadata: reader.metadata, as: format, to: job.sink)
    } catch let error as EncodeError {
      throw .encode(error)
    } catch let error as BackendError {
      throw FrostglassError(error)
    } catch {
      throw .encode(.cannotEncode(format: format, reason: "\(error)"))
    }
  }

  /// Runs the plan on all frames, as many at once as keep the backend busy, and stops at the first that
  /// fails.
  private func runFrames(
    on backend: any Backend, _ cancellation: Cancellation,
    _ frameDone: @Sendable (Int, Int) -> Void
  ) async -> Result<RunReport, BackendError> {
    await withTaskGroup(of: Result<RunReport, BackendError>.self) { group in
      var (begun, ended) = (0, 0)
      var report = RunReport(backend: backend.name)
      while ended < frames {
        while begun < min(ended + max(backend.framesInFlight, 1), frames) {
          group.addTask { [self, begun] in
            await clock.measure(.execute) {
              await run(begun, on: backend, cancellation)
            }
          }
          begun += 1
        }
        guard let result = await group.next() else { break }
        switch result {
        case .success(let frame):
          report.backend = frame.backend
          report.recoveries += frame.recoveries
        case .failure:
          source.stop()
          queue.stop()
          return result
        }
        ended += 1
        frameDone(ended, frames)
      }
      return .success(report)
    }
  }

  private func run(
    _ frame: Int, on backend: any Backend, _ cancellation: Cancellation
  ) async -> Result<RunReport, BackendError> {
    let io = PixelIO(
      [.rows(source.rows(of: frame))], to: [.rows(queue.rows(of: frame))],
      cancellation: cancellation)
    do throws(BackendError) { return .success(try await backend.run(plan, io)) } catch {
      return .failure(error)
    }
  }
}

extension Recipe {
  /// What happens to a picture whose result is written in a format.
  func plan(
    for input: Plan.Input, as format: StillFormat
  ) throws(FrostglassError) -> Plan {
    do throws(PlanError) {
      let plan = try chain.plan(for: input, options: options)
      let stored = plan.storing(
        as: format.pixelFormat(preserving: plan.result.format), on: background)
      try stored.validate(for: .none)
      return stored
    } catch { throw .plan(error) }
  }
}

/// Adds up how long stages work, of which several do at once.
private final class StageClock: Sendable {
  private let durations = Mutex<[Stage: Duration]>([:])

  func measure<Value, Failure: Error>(
    _ stage: Stage, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let start = ContinuousClock.now
    defer { add(start.duration(to: .now), to: stage) }
    return try body()
  }

  func measure<Value>(_ stage: Stage, _ body: () async -> Value) async -> Value {
    let start = ContinuousClock.now
    let value = await body()
    add(start.duration(to: .now), to: stage)
    return value
  }

  private func add(_ duration: Duration, to stage: Stage) {
    durations.withLock { $0[stage, default: .zero] += duration }
  }

  /// - Parameters:
  ///   - decode: how long reading rows took, which backends wait for.
  ///   - queue: knows how long each side waited for the other.
  func timings(decode: Duration, _ queue: RowQueue) -> [Report.Timing] {
    var durations = durations.withLock { $0 }
    durations[.decode] = decode
    durations[.execute, default: .zero] -= decode + queue.timeWriterWaited
    durations[.encode, default: .zero] -= queue.timeReaderWaited
    return Stage.allCases.map {
      Report.Timing(stage: $0, duration: max(durations[$0] ?? .zero, .zero))
    }
  }
}

/// About how many bytes a job takes at its peak, from the input's header, the plan and the formats.
public struct MemoryNeed: Sendable, Hashable {
  /// Where rows go from the decoder through the blur to the encoder, a few at a time: on the CPU.
  public let byRows: Int
  /// Where a whole picture is decoded before it is blurred: on a GPU, and on the reference.
  public let whole: Int

  /// - Parameter threads: that share rows.
  init(_ line: JobLine, threads: Int) {
    byRows = line.memory(on: FastBackend(threads: threads))
    whole = line.memory(on: ReferenceBackend())
  }
}
