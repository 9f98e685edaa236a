internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills
internal import Synchronization

/// Runs many jobs, several at once, and goes on when some fail.
struct BatchRun {
  var jobs: [Job]
  var pipeline: Pipeline
  /// Pictures at once.
  var places: Int
  /// Bytes that those may take together.
  var budget: Int
  /// Whether what is there already is no failure: another batch may have made it meanwhile.
  var skipsExisting: Bool
  var display: BatchDisplay

  func run() async {
    let admission = Admission(jobs: places, memory: budget)
    // Headers are read by those that may run next, in order.
    let left = JobQueue(jobs)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<min(places, jobs.count) {
        group.addTask { [self] in
          while let job = left.next() {
            // Nobody cancels this task.
            try? await admission.run(cost(of: job)) { () async throws(FrostglassError) in
              await run(job)
            }
          }
        }
      }
    }
  }

  private func run(_ job: Job) async {
    do throws(Failure) {
      if case .file(let path, _) = job.outputs[0].sink {
        try OutputFolder.make(Folder.parent(of: path))
      }
      do throws(FrostglassError) {
        display.finished(job, try await pipeline.run(job))
      } catch {
        if skipsExisting, case .encode(.exists) = error { return display.skipped() }
        throw error.batchFailure
      }
    } catch { display.failed(job.source.name, error) }
  }

  /// Bytes that a job takes.
  ///
  /// 0 where the header cannot be read: the job will say why. Pipes are not looked into, as they
  /// give their data once.
  private func cost(of job: Job) -> Int {
    guard case .file(let path) = job.source, FileIdentity(file: path) != nil,
      let need = try? pipeline.estimate(job).need
    else { return 0 }
    return pipeline.selector.mayTakeWholePictures ? max(need.byRows, need.whole) : need.byRows
  }
}

/// Jobs that are still to be run, for several who take them.
private final class JobQueue: Sendable {
  private let jobs: Mutex<ArraySlice<Job>>

  init(_ jobs: [Job]) { self.jobs = Mutex(jobs[...]) }

  func next() -> Job? { jobs.withLock { $0.popFirst() } }
}

extension FrostglassError {
  /// What a batch says of it.
  fileprivate var batchFailure: Failure {
    guard case .encode(.exists(let path)) = self else { return failure }
    return Failure(
      "\(path): this file exists already; --resume skips such files, --overwrite replaces "
        + "them", kind)
  }
}
