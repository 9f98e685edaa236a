internal import Synchronization

/// Several backends of one kind, such as one per GPU, as one: each job goes to the one that has the
/// fewest, and to another one where that cannot run it or fails.
package final class BackendPool: Backend {
  package let name: String
  /// The backends of the pool; at least one.
  package let members: [any Backend]
  private let jobs: Mutex<[Jobs]>
  private let callers = ThreadPool()

  private struct Jobs {
    var now = 0
    var ever = 0
    /// True if its last job failed because the backend does not work.
    var isBroken = false
  }

  /// - Parameter members: backends of one name; at least one.
  package init(_ first: any Backend, _ others: [any Backend] = []) {
    name = first.name
    members = [first] + others
    jobs = Mutex([Jobs](repeating: Jobs(), count: 1 + others.count))
  }

  /// The number of jobs each member was given so far.
  package var jobCounts: [Int] { jobs.withLock { $0.map(\.ever) } }

  package var framesInFlight: Int { members.reduce(0) { $0 + $1.framesInFlight } }

  package func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    try await run(io, plan.inputs) { index, io async throws(BackendError) in
      try await members[index].run(plan, io)
    }
  }

  package func prepare(_ plan: Plan) throws(BackendError) -> any PreparedPlan {
    let ready = try members.map { member throws(BackendError) in try member.prepare(plan) }
    return PlanOfPool(pool: self, inputs: plan.inputs, members: ready)
  }

  package func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedPlan {
    let ready = try members.map { member throws(BackendError) in try member.prepare(plan) }
    return PlanOfPool(pool: self, inputs: plan.inputs, members: ready)
  }

  /// Runs a job on one member after another until one is able to.
  ///
  /// - Parameters:
  ///   - inputs: the descriptions of the job's inputs.
  ///   - job: the job; it receives the member's index.
  fileprivate func run(
    _ io: PixelIO, _ inputs: [Plan.Input],
    _ job: (Int, PixelIO) async throws(BackendError) -> RunReport
  ) async throws(BackendError) -> RunReport {
    let recoveries = RecoveryLog(io.recovered)
    // Rows come once, and a run may have to be tried again.
    var io = members.count > 1 ? try await io.gathered(inputs, on: callers) : io
    io.recovered = { recoveries.add($0) }
    var tried: Set<Int> = []
    while true {
      let index = take(but: tried)
      do {
        let backend = try await job(index, io).backend
        giveBack(index, isBroken: false)
        return RunReport(backend: backend, recoveries: recoveries.all)
      } catch {
        giveBack(index, isBroken: error.isOfBackend)
        tried.insert(index)
        guard error.mayAnotherHelp, tried.count < members.count else { throw error }
        recoveries.add(Recovery(backend: name, failure: error.reason, remedy: .otherDevice))
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

/// A plan that every member of a pool has prepared.
private struct PlanOfPool: PreparedPlan {
  let pool: BackendPool
  let inputs: [Plan.Input]
  let members: [any PreparedPlan]

  var memory: Int { members.reduce(0) { $0 + $1.memory } }

  func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try await pool.run(io, inputs) { index, io async throws(BackendError) in
      try await members[index].run(io)
    }
  }
}

/// A backend with another one behind it, which runs what the first cannot or fails at.
package struct FallbackBackend: Backend {
  package var name: String { first.name }
  private let first: any Backend
  private let second: any Backend
  private let failed: @Sendable (BackendError) async -> Void
  private let callers = ThreadPool()

  /// - Parameter failed: told how a plan has failed on the first.
  package init(
    _ first: any Backend, before second: any Backend,
    failed: @escaping @Sendable (BackendError) async -> Void
  ) {
    self.first = first
    self.second = second
    self.failed = failed
  }

  package var framesInFlight: Int { first.framesInFlight }

  package func memory(for plan: Plan, byRows: Bool) -> Int {
    max(first.memory(for: plan, byRows: byRows), second.memory(for: plan, byRows: byRows))
  }

  package func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    try await run(io, plan.inputs) { io async throws(BackendError) in
      try await first.run(plan, io)
    } instead: { io async throws(BackendError) in
      try await second.run(plan, io)
    }
  }

  package func prepare(_ plan: Plan) throws(BackendError) -> any PreparedPlan {
    PlanWithFallback(
      backend: self, inputs: plan.inputs, first: try first.prepare(plan),
      second: try second.prepare(plan))
  }

  package func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedPlan {
    PlanWithFallback(
      backend: self, inputs: plan.inputs, first: try first.prepare(plan),
      second: try second.prepare(plan))
  }

  /// - Parameter inputs: the descriptions of the job's inputs.
  fileprivate func run(
    _ io: PixelIO, _ inputs: [Plan.Input],
    _ job: (PixelIO) async throws(BackendError) -> RunReport,
    instead: (PixelIO) async throws(BackendError) -> RunReport
  ) async throws(BackendError) -> RunReport {
    let recoveries = RecoveryLog(io.recovered)
    // Rows come once, and the run may have to be tried again.
    var io = try await io.gathered(inputs, on: callers)
    io.recovered = { recoveries.add($0) }
    var backend = first.name
    do { _ = try await job(io) } catch {
      guard error.mayAnotherHelp else { throw error }
      await failed(error)
      backend = second.name
      let recovery = Recovery(
        backend: first.name, failure: error.reason, remedy: .otherBackend(backend))
      do { _ = try await instead(io) } catch {
        // A stopped run may have delivered all of its rows.
        if error == .cancelled || error == .deadlineExceeded { recoveries.add(recovery) }
        throw error
      }
      recoveries.add(recovery)
    }
    return RunReport(backend: backend, recoveries: recoveries.all)
  }
}

/// A plan that both backends have prepared.
private struct PlanWithFallback: PreparedPlan {
  let backend: FallbackBackend
  let inputs: [Plan.Input]
  let first: any PreparedPlan
  let second: any PreparedPlan

  var memory: Int { first.memory + second.memory }

  func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try await backend.run(io, inputs) { io async throws(BackendError) in
      try await first.run(io)
    } instead: { io async throws(BackendError) in
      try await second.run(io)
    }
  }
}
