/// A plan that a backend has made ready to be run on frame after frame: what can be decided and
/// allocated once, is.
public protocol PreparedPlan: Sendable {
  /// The plan that is ready.
  var plan: Plan { get }

  /// Runs the plan as `Backend.run(_:_:)` does, with the same bytes.
  ///
  /// Runs that go on at once are worked on one after another where the backend has only one set of rows.
  func run(_ io: PixelIO) async throws(BackendError) -> RunReport
}

extension Backend {
  /// Run each time as the first time.
  public func prepare(_ plan: Plan) throws(BackendError) -> any PreparedPlan {
    PlanWithBackend(plan: plan, backend: self)
  }
}

private struct PlanWithBackend: PreparedPlan {
  let plan: Plan
  let backend: any Backend

  func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try await backend.run(plan, io)
  }
}
