internal import Frostglass

/// Runs many jobs, several at once, and goes on when some fail.
struct BatchRun {
  var jobs: [Job]
  var pipeline: Pipeline
  /// Pictures at once.
  var places: Int
  /// Bytes that those may take together.
  var budget: Int
  var display: BatchDisplay

  func run() async {
    var admission = Admission(places: places, budget: budget)
    await withTaskGroup(of: Int.self) { group in
      for job in jobs {
        while !admission.hasPlace, let freed = await group.next() { admission.end(freed) }
        let cost = cost(of: job)
        while !admission.admits(cost), let freed = await group.next() { admission.end(freed) }
        admission.start(cost)
        group.addTask {
          await run(job)
          return cost
        }
      }
    }
  }

  private func run(_ job: Job) async {
    do throws(Failure) {
      if case .file(let path, _) = job.sink { try OutputFolder.make(OutputFolder.parent(of: path)) }
      do throws(FrostglassError) {
        display.finished(job, try await pipeline.run(job))
      } catch { throw error.batchFailure }
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

extension FrostglassError {
  /// What a batch says of it.
  fileprivate var batchFailure: Failure {
    guard case .encode(.exists(let path)) = self else { return failure }
    return Failure(
      message: "\(path): this file exists already; --resume skips such files, --overwrite replaces "
        + "them", exitCode: exitCode)
  }
}
