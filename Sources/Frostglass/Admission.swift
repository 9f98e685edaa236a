internal import FrostglassCore
internal import Synchronization

/// Lets jobs run: so many at once, within so many bytes of memory, in the order in which they came.
///
/// A large job is not overtaken forever by small ones: who comes later waits behind it. One that takes
/// more than all the memory there is for jobs runs alone.
///
///     let admission = Admission(jobs: 4, memory: 2 << 30)
///     try await admission.run(try pipeline.estimate(job).need.byRows, until: job.deadline) {
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

    func admits(_ bytes: Int) -> Bool {
      running < jobs && (running == 0 || bytes <= memory - self.bytes)
    }

    mutating func start(_ bytes: Int) {
      running += 1
      self.bytes += bytes
    }
  }

  private struct Waiting {
    let bytes: Int
    let turn: Turn
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
  /// The job runs where the caller does: inside an actor, or on the main actor, it may use what is isolated to
  /// that, and values that are not `Sendable`.
  ///
  /// - Parameters:
  ///   - bytes: that it takes at its peak; 0 where that is not known.
  ///   - deadline: when waiting for that is given up; `nil` for never. The job itself has to look at its own.
  ///   - isolation: the caller's actor; left to its default.
  ///   - job: that is admitted.
  /// - Throws: `FrostglassError.cancelled` where the task is cancelled before the job may run,
  ///   `.deadlineExceeded` where that is too late, and what the job throws.
  public func run<Value>(
    _ bytes: Int, until deadline: ContinuousClock.Instant? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ job: () async throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    do throws(BackendError) {
      try await enter(bytes, until: Cancellation(deadline: deadline))
    } catch { throw FrostglassError(error) }
    defer { leave(bytes) }
    return try await job()
  }

  private func enter(
    _ bytes: Int, until cancellation: Cancellation
  ) async throws(BackendError) {
    if Task.isCancelled { throw .cancelled }
    try cancellation.check()
    let turn: Turn? = state.withLock { state in
      if state.waiting.isEmpty, state.admits(bytes) {
        state.start(bytes)
        return nil
      }
      let turn = Turn()
      state.waiting.append(Waiting(bytes: bytes, turn: turn))
      return turn
    }
    guard let turn else { return }
    try await turn.wait(until: cancellation) { [self] in giveUp(turn) }
  }

  /// Takes one out of the queue who waits; who has a place keeps it.
  private func giveUp(_ turn: Turn) {
    let isOut = state.withLock { state in
      let index = state.waiting.firstIndex { $0.turn === turn }
      return index.map { state.waiting.remove(at: $0) } != nil
    }
    guard isOut else { return }
    turn.tell(false)
    // Who waited behind it may fit.
    letIn()
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
    for job in next { job.turn.tell(true) }
  }
}
