internal import Synchronization

/// Several backends of one kind, such as one per GPU, as one: each job goes to the one that has the
/// fewest, and to another one where that cannot run it or fails.
public final class BackendPool: Backend {
  public let name: String
  /// What it consists of; at least one.
  public let members: [any Backend]
  private let jobs: Mutex<[Jobs]>

  private struct Jobs {
    var now = 0
    var ever = 0
    /// Whether its last job failed because it does not work.
    var isBroken = false
  }

  /// - Parameter members: backends of one name; at least one.
  public init(_ first: any Backend, _ others: [any Backend] = []) {
    name = first.name
    members = [first] + others
    jobs = Mutex([Jobs](repeating: Jobs(), count: 1 + others.count))
  }

  /// How many jobs each member was given so far.
  public var jobCounts: [Int] { jobs.withLock { $0.map(\.ever) } }

  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    try await run { member async throws(BackendError) in try await member.execute(plan, inputs) }
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    try await run(tell) { member async throws(BackendError) in
      try await member.execute(plan, inputs, telling: tell)
    }
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    try await run { member async throws(BackendError) in
      try await member.execute(plan, inputs, into: &result)
    }
  }

  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture {
    try await run(tell) { member async throws(BackendError) in
      try await member.execute(plan, picture, telling: tell)
    }
  }

  /// Runs a job on one member after another until one is able to.
  private func run<Value>(
    _ tell: (Recovery) -> Void = { _ in },
    _ job: (any Backend) async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    var tried: Set<Int> = []
    while true {
      let index = take(but: tried)
      do throws(BackendError) {
        let value = try await job(members[index])
        giveBack(index, isBroken: false)
        return value
      } catch {
        giveBack(index, isBroken: error.isOfBackend)
        tried.insert(index)
        guard error.mayAnotherHelp, tried.count < members.count else { throw error }
        tell(Recovery(backend: name, failure: error.reason, remedy: .otherDevice))
      }
    }
  }

  /// The member with the fewest jobs; among equals the one that was given the fewest so far. One that
  /// is broken fails at once and so is always free: it comes after all others.
  private func take(but tried: Set<Int>) -> Int {
    jobs.withLock { jobs in
      let best = jobs.indices.filter { !tried.contains($0) }.min {
        let (one, other) = (jobs[$0], jobs[$1])
        guard one.isBroken == other.isBroken else { return other.isBroken }
        return (one.now, one.ever) < (other.now, other.ever)
      }
      let index = best ?? 0
      jobs[index].now += 1
      jobs[index].ever += 1
      return index
    }
  }

  private func giveBack(_ index: Int, isBroken: Bool) {
    jobs.withLock { jobs in
      jobs[index].now -= 1
      jobs[index].isBroken = isBroken
    }
  }
}
