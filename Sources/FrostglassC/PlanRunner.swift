package import FrostglassCPU
package import FrostglassCore

/// What runs an engine's plans: in the caller's thread, or while that waits.
package protocol PlanRunner: Sendable {
  /// Bytes that a run takes beside images.
  func memory(for plan: Plan) -> Int

  /// Makes a plan ready to be run many times.
  func ready(_ plan: Plan) throws(BackendError) -> any PlanRun
}

/// A plan that is ready, with memory that is kept.
package protocol PlanRun: Sendable {
  /// Runs it, and returns when that is done.
  func runNow(_ io: PixelIO) throws(BackendError) -> RunReport
}

extension FastBackend: PlanRunner {
  /// Bytes that a run takes beside images.
  package func memory(for plan: Plan) -> Int { memory(for: plan, byRows: false) }

  /// Makes a plan ready to be run many times.
  package func ready(_ plan: Plan) throws(BackendError) -> any PlanRun { try prepareRows(plan) }
}

extension PreparedRows: PlanRun {}
