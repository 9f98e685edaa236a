internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Synchronization

/// The work on one image of a batch.
enum BatchWork {
  case task(BatchTask)
  /// Nothing, for want of regions; a filter may have left some out.
  case uncovered(RegionFilter.LeftOut)
}

/// The regions that each image of a batch takes from files for several images.
struct BatchRegions {
  private let options: RegionOptions
  /// The batch's image that has taken the regions of each image in the files.
  private var taken: [String: String] = [:]
  /// Regions that the filter did not take, of all images that were asked for.
  private(set) var leftOut = RegionFilter.LeftOut()

  init(_ options: RegionOptions) { self.options = options }

  /// Returns the work on an image, given its regions.
  ///
  /// - Throws: `Failure` if it is unclear which regions they are, or if another image has taken them.
  mutating func work(
    on source: StillSource, _ make: (RegionOptions) -> BatchTask
  ) throws(Failure) -> BatchWork {
    let (chosen, leftOut) = try options.chosen(for: source)
    self.leftOut += leftOut
    guard let found = chosen else { return .uncovered(leftOut) }
    for name in found.pictures {
      if let other = taken.updateValue(source.name, forKey: name) {
        throw .usage(
          "\(other) and \(source.name) would both take the regions of \(name); give them in two "
            + "commands, or names with folders in the file of regions")
      }
    }
    return .task(make(found))
  }
}

/// The processing of one image of a batch.
struct BatchTask: Sendable {
  let source: StillSource
  let sink: StillSink
  /// About how many bytes it takes, from the image's header alone.
  let cost: @Sendable (Pipeline) -> Int
  let run: @Sendable (Pipeline) async throws(FrostglassError) -> BatchOutcome
  /// Returns the row of what it would write, from the header alone.
  let check: @Sendable (Pipeline) throws(FrostglassError) -> ImageRow
  /// Looks at the image, and gives what is then to be done in place of this; `nil` where all is known.
  var search: (@Sendable () async throws(Failure) -> BatchTask)?
  /// Returns the failure to report for an error.
  var failure: @Sendable (FrostglassError) -> Failure = { $0.failure }
}

/// The outcome for one image of a batch.
struct BatchOutcome: Sendable {
  /// Pixels of the result.
  let pixels: Int
  /// The backend that made it, and the reason for that one; `nil` unless requested.
  var choice: (backend: String, reason: String)?
  var warning: String?
  var recoveries: [Recovery] = []
  /// Notes that a user should see unasked.
  var notes: [String] = []
  /// The times it took, in words.
  var times = ""
  /// The row of the output that was written.
  var row: ImageRow
  /// The regions that the recipe acted in.
  var regions: RegionOptions?
  /// The audit, as JSON.
  var audit: String?
}

extension BatchTask {
  /// Runs a job with one output.
  ///
  /// - Parameter regions: where it acts; `nil` is everywhere.
  init(_ job: Job, _ regions: RegionOptions?) {
    self.init(job, regions) { job, pipeline throws(FrostglassError) in
      BatchOutcome(try await pipeline.run(job), of: job, regions)
    }
  }

  /// Redacts.
  ///
  /// - Parameters:
  ///   - audit: told of the image before it is there.
  ///   - hasTime: whether the audit says when.
  ///   - hasInputDigest: true if the audit has the input's SHA-256.
  init(
    redacting job: Job, _ regions: RegionOptions, by method: RedactionMethod,
    audit: AuditFile?, hasTime: Bool, hasInputDigest: Bool
  ) {
    self.init(job, regions) { job, pipeline throws(FrostglassError) in
      guard let audit else { return BatchOutcome(try await pipeline.run(job), of: job, regions) }
      let digest =
        hasInputDigest ? FileDigest.sha256(of: job.source, in: job.decoding.version) : nil
      let told = ToldRow()
      var telling = job
      telling.outputs[0].telling = { size, output throws(FrostglassError) in
        let text = RedactionAudit(
          job: job, method: method, mask: regions, size: size, inputDigest: digest,
          outputDigest: output, hasTime: hasTime
        ).text
        told.text = text
        return audit.sidecar(text)
      }
      var outcome = BatchOutcome(try await pipeline.run(telling), of: job, regions)
      outcome.audit = told.text
      return outcome
    }
  }

  private init(
    _ job: Job, _ regions: RegionOptions?,
    _ run: @escaping @Sendable (Job, Pipeline) async throws(FrostglassError) -> BatchOutcome
  ) {
    let job = job.durable
    source = job.source
    sink = job.outputs[0].sink
    cost = { pipeline in
      guard let need = try? pipeline.estimate(job).need else { return 0 }
      return pipeline.selector.mayTakeWholeImages ? max(need.byRows, need.whole) : need.byRows
    }
    self.run = { pipeline throws(FrostglassError) in try await run(job, pipeline) }
    check = { pipeline throws(FrostglassError) in
      var here = job
      // Its folder is made by the run.
      if let format = job.outputs[0].sink.formatInFolderToMake(of: job.source, job.decoding) {
        here.outputs[0].format = job.outputs[0].format ?? format
        here.outputs[0].sink = .memory(EncodedFile())
      }
      var row = try pipeline.check(here).rows(of: job, regions)[0]
      row.output = job.outputs[0].sink.name
      return row
    }
    failure = { error in
      guard let refusal = regions?.refusal(error) else { return error.failure }
      return Failure("\(job.source.name): \(refusal.message)", refusal.kind)
    }
  }

  /// Fits an image on a canvas.
  init(filling job: FillJob) {
    let job = job.durable
    source = job.source
    sink = job.sink
    cost = { (try? $0.memory(for: job)) ?? 0 }
    check = { pipeline throws(FrostglassError) in
      var here = job
      if let format = job.sink.formatInFolderToMake(of: job.source, job.decoding) {
        here.format = job.format ?? format
        here.sink = .memory(EncodedFile())
      }
      let checked = try pipeline.check(here)
      return ImageRow(
        input: job.source.name, output: job.sink.name, status: .planned, size: checked.sizes[0],
        frames: checked.frames[0])
    }
    run = { pipeline throws(FrostglassError) in
      BatchOutcome(try await pipeline.fill(job), of: job)
    }
  }
}

extension StillSink {
  /// The format by a file's name; `nil` where its folder is there, or nothing tells a format.
  fileprivate func formatInFolderToMake(
    of source: StillSource, _ decoding: DecodeOptions
  ) -> StillFormat? {
    guard case .file(let path, _) = self, !Folder.isThere(Folder.parent(of: path)) else {
      return nil
    }
    let reader = try? StillDecoder(decoding).reader(of: source)
    return reader.flatMap { try? format(nil, input: $0.header.format) }
  }
}

extension Job {
  /// With files that are on the disk before they have their names: `--resume` takes a name for a whole file.
  fileprivate var durable: Job {
    var job = self
    for index in outputs.indices { job.outputs[index].encoding.isDurable = true }
    return job
  }
}

extension FillJob {
  /// As of `Job`.
  fileprivate var durable: FillJob {
    var job = self
    job.encoding.isDurable = true
    return job
  }
}

extension BatchOutcome {
  fileprivate init(_ report: Report, of job: Job, _ regions: RegionOptions?) {
    let timings = report.timings.map { "\($0.stage.rawValue) \($0.duration.millisecondsText) ms" }
    let doubts =
      regions?.notes(for: report.plan, scale: job.outputs[0].recipe.options.scale) ?? []
    self.init(
      pixels: report.plan.result.rect.area, choice: (report.backend, report.reason),
      warning: report.warning, recoveries: report.recoveries,
      notes: doubts.map { "\(job.source.name): \($0)" } + report.notes(about: job),
      times: "\(timings.joined(separator: ", ")), together \(report.duration.millisecondsText) ms "
        + "(\(report.backend))",
      row: report.rows(of: job, regions)[0], regions: regions)
  }

  fileprivate init(_ report: FillReport, of job: FillJob) {
    self.init(
      pixels: report.geometry.canvas.area, recoveries: report.recoveries,
      notes: report.notes(about: job), row: report.row(of: job))
  }
}

/// Runs many tasks, several at once, and goes on when some fail.
struct BatchRun {
  var tasks: [BatchTask]
  var pipeline: Pipeline
  /// Images at once.
  var places: Int
  /// Bytes that those may take together.
  var budget: Int
  /// True if an output that exists already is no failure: another batch may have made it meanwhile.
  var skipsExisting: Bool
  var display: BatchDisplay

  /// - Returns: what became of those that worked, in order.
  func run() async -> [BatchOutcome] {
    let admission = Admission(jobs: places, memory: budget)
    // Headers are read by those that may run next, in order.
    let left = TaskQueue(tasks)
    let outcomes = Outcomes()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<min(places, tasks.count) {
        group.addTask { [self] in
          while let (index, task) = left.next() {
            // Nobody cancels this task.
            try? await admission.run(cost(of: task)) { () async throws(FrostglassError) in
              await run(task).map { outcomes.add($0, at: index) }
            }
          }
        }
      }
    }
    return outcomes.inOrder
  }

  private func run(_ task: BatchTask) async -> BatchOutcome? {
    do throws(Failure) {
      if case .file(let path, _) = task.sink {
        try OutputFolder.make(Folder.parent(of: path))
      }
      let task = try await task.search?() ?? task
      do {
        let outcome = try await task.run(pipeline)
        display.finished(task, outcome)
        return outcome
      } catch {
        guard case .encode(.exists) = error else { throw task.failure(error) }
        guard skipsExisting else { throw error.batchFailure }
        display.skipped(task)
      }
    } catch { display.failed(task.source.name, task.sink.name, error) }
    return nil
  }

  /// Bytes that a task takes.
  ///
  /// 0 where the header cannot be read: the task will say why. Pipes are not looked into, as they
  /// give their data once.
  private func cost(of task: BatchTask) -> Int {
    guard case .file(let path) = task.source, FileIdentity(file: path) != nil else { return 0 }
    return task.cost(pipeline)
  }
}

/// Tasks that are still to be run, for several who take them.
private final class TaskQueue: Sendable {
  private let tasks: Mutex<ArraySlice<BatchTask>>

  init(_ tasks: [BatchTask]) { self.tasks = Mutex(tasks[...]) }

  /// The next one with its place in the order.
  func next() -> (index: Int, task: BatchTask)? {
    tasks.withLock { tasks in
      let index = tasks.startIndex
      return tasks.popFirst().map { (index, $0) }
    }
  }
}

/// The outcomes of tasks, as they end.
private final class Outcomes: Sendable {
  private let found = Mutex<[Int: BatchOutcome]>([:])

  func add(_ outcome: BatchOutcome, at index: Int) { found.withLock { $0[index] = outcome } }

  var inOrder: [BatchOutcome] {
    found.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
  }
}

extension FrostglassError {
  /// The failure that a batch reports for the error.
  var batchFailure: Failure {
    guard case .encode(.exists(let path)) = self else { return failure }
    return Failure(
      "\(path): this file exists already; --resume skips such files, --overwrite replaces "
        + "them", kind)
  }
}
