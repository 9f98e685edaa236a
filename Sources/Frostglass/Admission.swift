internal import FrostglassCore

/// Admits jobs in the order of their arrival, up to a number of jobs and bytes of memory at once.
///
/// Small jobs cannot overtake a large one forever: those that come later wait behind it. A job that needs more than
/// the whole budget of memory runs alone.
///
///     let admission = Admission(jobs: 4, memory: 2 << 30)
///     try await admission.run(try pipeline.estimate(job).need.byRows, until: job.deadline) {
///       try await pipeline.run(job)
///     }
public final class Admission: Sendable {
  private let room: FairSemaphore

  /// - Parameters:
  ///   - jobs: that run at once, 1 or more; taken as 1 below.
  ///   - memory: bytes that they may take together.
  public init(jobs: Int, memory: Int) {
    room = FairSemaphore(jobs, budget: memory)
  }

  /// Jobs that run now.
  public var running: Int { room.inside }
  /// Bytes that those take.
  public var bytes: Int { room.weight }
  /// Jobs that wait.
  public var waiting: Int { room.waiting }

  /// Runs a job when there is a place and memory for it.
  ///
  /// The job runs where the caller does: inside an actor, or on the main actor, it may use what is isolated to
  /// that, and values that are not `Sendable`.
  ///
  /// - Parameters:
  ///   - bytes: that it takes at its peak; 0 where that is not known.
  ///   - deadline: the time at which waiting ends; `nil` for never. The job itself has to observe its own.
  ///   - isolation: the caller's actor; left to its default.
  ///   - job: that is admitted.
  /// - Throws: `FrostglassError.cancelled` where the task is cancelled before the job may run,
  ///   `.deadlineExceeded` where that is too late, and what the job throws.
  public func run<Value>(
    _ bytes: Int, until deadline: ContinuousClock.Instant? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ job: () async throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    let ticket: FairSemaphore.Ticket
    do {
      ticket = try await room.enter(bytes, until: Cancellation(deadline: deadline))
    } catch { throw FrostglassError(error) }
    defer { room.leave(ticket) }
    return try await job()
  }
}
