internal import Frostglass
internal import FrostglassStills

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
      if case .file(let path, _) = job.sink { try OutputFolder.make(Folder.parent(of: path)) }
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

/// Who may run now: so many at once, within so many bytes of memory.
///
/// Callers come in order and wait for `admits`, so a large one is not overtaken forever.
package struct Admission: Sendable, Hashable {
  /// Places, 1 or more.
  package let places: Int
  /// Bytes that all together may take.
  package let budget: Int
  package private(set) var running = 0
  package private(set) var bytes = 0

  package init(places: Int, budget: Int) {
    self.places = max(places, 1)
    self.budget = budget
  }

  package var hasPlace: Bool { running < places }

  /// Whether one that takes `cost` bytes may start; one beyond the whole budget runs alone.
  package func admits(_ cost: Int) -> Bool {
    guard hasPlace else { return false }
    return running == 0 || cost <= budget - bytes
  }

  package mutating func start(_ cost: Int) {
    running += 1
    bytes += cost
  }

  package mutating func end(_ cost: Int) {
    running -= 1
    bytes -= cost
  }
}
