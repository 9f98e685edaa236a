internal import FrostglassCore
internal import Synchronization

/// Lets jobs run: so many at once, within so many bytes of memory, in the order in which they came.
///
/// A large job is not overtaken forever by small ones: who comes later waits behind it. One that takes
/// more than all the memory there is for jobs runs alone.
///
///     let admission = Admission(jobs: 4, memory: 2 << 30)
///     try await admission.run(try pipeline.estimate(job).need.byRows) {
///       try await pipeline.run(job)
///     }
public final class Admission: Sendable {
  private let state: Mutex<State>

  private struct State {
    let jobs: Int
    let memory: Int
    var running = 0
    var bytes = 0
    var waiting: [Waiting] = []
    var lastTicket = 0

    func admits(_ bytes: Int) -> Bool {
      running < jobs && (running == 0 || bytes <= memory - self.bytes)
    }

    mutating func start(_ bytes: Int) {
      running += 1
      self.bytes += bytes
    }
  }

  private struct Waiting {
    let ticket: Int
    let bytes: Int
    /// Gets whether the job may run.
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// - Parameters:
  ///   - jobs: that run at once, 1 or more; taken as 1 below.
  ///   - memory: bytes that they may take together.
  public init(jobs: Int, memory: Int) {
    state = Mutex(State(jobs: max(jobs, 1), memory: memory))
  }

  /// Jobs that run now.
  public var running: Int { state.withLock { $0.running } }
  /// Bytes that those take.
  public var bytes: Int { state.withLock { $0.bytes } }
  /// Jobs that wait.
  public var waiting: Int { state.withLock { $0.waiting.count } }

  /// Runs a job when there is a place and memory for it.
  ///
  /// - Parameter bytes: that it takes at its peak; 0 where that is not known.
  /// - Throws: `FrostglassError.cancelled` where the task is cancelled before the job may run, and what
  ///   the job throws.
  public func run<Value>(
    _ bytes: Int, _ job: () async throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    guard await enter(bytes) else { throw .cancelled }
    defer { leave(bytes) }
    return try await job()
  }

  private func enter(_ bytes: Int) async -> Bool {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.waiting.isEmpty, state.admits(bytes) {
            state.start(bytes)
            return true
          }
          state.waiting.append(
            Waiting(ticket: ticket, bytes: bytes, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let gone = state.withLock { state in
        state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
      }
      gone?.continuation.resume(returning: false)
      // Who waited behind it may fit.
      letIn()
    }
  }

  private func leave(_ bytes: Int) {
    state.withLock { state in
      state.running -= 1
      state.bytes -= bytes
    }
    letIn()
  }

  private func letIn() {
    let next = state.withLock { state in
      var next: [Waiting] = []
      while let first = state.waiting.first, state.admits(first.bytes) {
        state.start(first.bytes)
        next.append(state.waiting.removeFirst())
      }
      return next
    }
    for job in next { job.continuation.resume(returning: true) }
  }
}
