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
    let recoveries = RecoveryLog(io.recovered)
    // Rows come once, and the run may have to be tried again.
    var io = try await io.gathered(for: plan, on: callers)
    io.recovered = { recoveries.add($0) }
    var backend = first.name
    do throws(BackendError) { _ = try await first.run(plan, io) } catch {
      guard error.mayAnotherHelp else { throw error }
      await failed(error)
      _ = try await second.run(plan, io)
      backend = second.name
      recoveries.add(
        Recovery(backend: first.name, failure: error.reason, remedy: .otherBackend(backend)))
    }
    return RunReport(backend: backend, recoveries: recoveries.all)
  }
}
