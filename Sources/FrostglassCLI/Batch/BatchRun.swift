internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills
internal import Synchronization

/// Runs many tasks, several at once, and goes on when some fail.
struct BatchRun {
  var tasks: [BatchTask]
  var pipeline: Pipeline
  /// Pictures at once.
  var places: Int
  /// Bytes that those may take together.
  var budget: Int
  /// Whether what is there already is no failure: another batch may have made it meanwhile.
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
      do throws(FrostglassError) {
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

/// What became of tasks, as they end.
private final class Outcomes: Sendable {
  private let found = Mutex<[Int: BatchOutcome]>([:])

  func add(_ outcome: BatchOutcome, at index: Int) { found.withLock { $0[index] = outcome } }

  var inOrder: [BatchOutcome] {
    found.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
  }
}

extension FrostglassError {
  /// What a batch says of it.
  var batchFailure: Failure {
    guard case .encode(.exists(let path)) = self else { return failure }
    return Failure(
      "\(path): this file exists already; --resume skips such files, --overwrite replaces "
        + "them", kind)
  }
}
