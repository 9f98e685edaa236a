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
  ///   - jobs: the most that run at once; values below 1 count as 1.
  ///   - memory: the most bytes that they take together.
  public init(jobs: Int, memory: Int) {
    room = FairSemaphore(jobs, budget: memory)
  }

  /// The number of running jobs.
  public var running: Int { room.inside }
  /// The bytes that running jobs take.
  public var bytes: Int { room.weight }
  /// The number of waiting jobs.
  public var waiting: Int { room.waiting }

  /// Runs a job as soon as the limits on jobs and memory admit it.
  ///
  /// The job runs in the caller's isolation: inside an actor, or on the main actor, it may use what is isolated to
  /// that, and values that are not `Sendable`.
  ///
  /// - Parameters:
  ///   - bytes: its peak memory; 0 if unknown.
  ///   - deadline: the time at which waiting ends; `nil` for never. The job itself has to observe its own.
  ///   - isolation: the caller's actor; keep the default.
  ///   - job: the work to run.
  /// - Throws: `FrostglassError.cancelled` if the task is canceled before the job is admitted,
  ///   `.deadlineExceeded` if waiting takes too long, and errors of the job.
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
