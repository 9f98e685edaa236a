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
        // What is to stop may have given all of its rows.
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
