/// The plans for a picture in planes, which a backend has made ready to be run on frame after frame.
public protocol PreparedYCbCrPlan: Sendable {
  var plan: YCbCrPlan { get }

  /// Runs the plans from the caller's memory to the caller's memory, with the bytes that
  /// `Backend.run(_:_:recovered:)` gives.
  ///
  /// - Parameters:
  ///   - planes: as `plan.format.planes(of: plan.size)` describes them, in order.
  ///   - results: other memory, for as many planes described alike.
  /// - Throws: `BackendError`; then the results hold nothing of use.
  func run(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation?
  ) async throws(BackendError) -> RunReport
}

extension Backend {
  /// Run each time as the first time, on copies.
  public func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedYCbCrPlan {
    YCbCrPlanWithBackend(plan: plan, backend: self)
  }
}

extension YCbCrPlan {
  /// Checks that planes are the ones that the plans were made for, and that there is room for results.
  package func check(
    _ planes: [PixelMemory], _ results: [MutablePixelMemory]
  ) throws(BackendError) {
    let described = format.planes(of: size)
    guard planes.count == described.count, results.count == described.count else {
      throw .failed(
        backend: "any",
        what: "\(planes.count) planes and memory for \(results.count); this format has "
          + "\(described.count)")
    }
    for (index, plane) in planes.enumerated() { try plane.check(described[index], index) }
    for (result, plan) in zip(results, toPlanes) { try result.check(plan.result) }
  }
}

private struct YCbCrPlanWithBackend: PreparedYCbCrPlan {
  let plan: YCbCrPlan
  let backend: any Backend
  private let callers = ThreadPool()

  init(plan: YCbCrPlan, backend: any Backend) {
    self.plan = plan
    self.backend = backend
  }

  func run(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation?
  ) async throws(BackendError) -> RunReport {
    try plan.check(planes, results)
    let picture = try await callers.run { () throws(BackendError) in
      var images: [Image] = []
      for plane in planes {
        let image = try PixelInput.memory(plane).gathered(plane.description, cancellation)
        if let image { images.append(image) }
      }
      return try plan.picture(of: images)
    }
    let recoveries = RecoveryLog()
    let made = try await backend.run(plan, picture) { recoveries.add($0) }
    try cancellation?.check()
    try await callers.run { () throws(BackendError) in
      for (result, image) in zip(results, made.planes) {
        try PixelOutput.memory(result).deliver(image, cancellation)
      }
    }
    return RunReport(backend: backend.name, recoveries: recoveries.all)
  }
}
