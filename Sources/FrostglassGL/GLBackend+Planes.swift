public import FrostglassCore

/// Pictures in planes of brightness and color differences.
extension GLBackend {
  /// Makes the plans for pictures in planes ready: each plane is a texture of its own, and the picture in
  /// between stays on the device.
  ///
  /// Calls that run at the same time overlap as those with images do. What the device has no room
  /// for, and what fails, is run again one plan after another, in tiles where it must be.
  public nonisolated func prepare(
    _ plan: YCbCrPlan
  ) throws(BackendError) -> any PreparedPlan {
    let parts = try PlanesParts(plan)
    return PlanesOnImages(plan, backend: name) {
      planes, cancellation, recoveries throws(BackendError) in
      let made = try await self.inTurn(until: cancellation) { () async throws(BackendError) in
        try await self.run(parts, planes, cancellation, recoveries)
      }
      if let made { return made }
      return try await self.oneByOne(plan, planes, cancellation, recoveries)
    }
  }

  /// - Returns: `nil` where one plan is to be run after the other.
  private func run(
    _ parts: PlanesParts, _ planes: [Image], _ cancellation: Cancellation,
    _ recoveries: RecoveryLog
  ) async throws(BackendError) -> [Image]? {
    try revive()
    freeReleasedPictures()
    let started = generation
    do throws(GLFailure) { return try await attempt(parts, planes, cancellation) } catch {
      if case .stopped(let reason) = error { throw reason }
      if case .lost = error {
        if started == generation { _ = replaceSession(after: error) }
        recoveries.add(Recovery(backend: name, failure: "\(error)", remedy: .freshContext))
      }
      return nil
    }
  }

  /// Runs the plans for a picture whose planes are on the device, and leaves the new ones there.
  ///
  /// - Parameter planes: pictures of this backend as `plan.format.planes(of: plan.size)` has them,
  ///   in order, uploaded or on memory of a decoder's; they are not changed.
  /// - Returns: as many, described alike.
  /// - Throws: as for a single plan.
  public func execute(
    _ plan: YCbCrPlan, _ planes: [GLPicture]
  ) throws(BackendError) -> [GLPicture] {
    try revive()
    guard let pool = session?.runner.pool else { throw hopeless }
    guard planes.count == plan.format.arrangement.planeCount else {
      throw .failed(
        backend: name,
        what:
          "\(planes.count) images for a plan with \(plan.format.arrangement.planeCount) inputs")
    }
    return try pool.asOneRun { () throws(BackendError) in
      var pictures = planes
      for step in plan.toPicture { pictures = [try execute(step, pictures)] }
      var made: [GLPicture] = []
      for (index, step) in plan.toPlanes.enumerated() {
        made.append(try execute(step, plan.inputs(ofPlane: index, pictures, planes)))
      }
      return made
    }
  }

  private func attempt(
    _ parts: PlanesParts, _ planes: [Image], _ cancellation: Cancellation
  ) async throws(GLFailure) -> [Image] {
    guard try live().overlapsFrames else { return try finish(try live().launch(parts, planes)) }
    return try await overlapped(until: cancellation) { session throws(GLFailure) in
      try session.launch(parts, planes)
    }
  }
}
