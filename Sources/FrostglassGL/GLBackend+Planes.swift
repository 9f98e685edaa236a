public import FrostglassCore

/// Pictures in planes of brightness and color differences.
extension GLBackend {
  /// Runs the plans for a picture in planes: each plane is a texture of its own, and the picture in
  /// between stays on the device.
  ///
  /// Calls that run at the same time overlap as those with images do. What the device has no room
  /// for, and what fails, is run again one plan after another, in tiles where it must be.
  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture {
    try plan.check(picture)
    try revive()
    freeReleasedPictures()
    let started = generation
    let planes: [Image]
    do throws(GLFailure) { planes = try await attempt(plan, picture.planes) } catch {
      if case .lost = error {
        if started == generation { _ = surrender(to: error) }
        tell(Recovery(backend: name, failure: "\(error)", remedy: .freshContext))
      }
      return try await executeOneByOne(plan, picture, telling: tell)
    }
    return try plan.picture(of: planes)
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
    return try pool.asOneRun { () throws(BackendError) in
      var pictures = planes
      for step in plan.toPicture { pictures = [try execute(step, pictures)] }
      var made: [GLPicture] = []
      for step in plan.toPlanes { made.append(try execute(step, pictures)) }
      return made
    }
  }

  private func attempt(
    _ plan: YCbCrPlan, _ planes: [Image]
  ) async throws(GLFailure) -> [Image] {
    let overlaps = try live().overlapsFrames
    if overlaps, !flights.takeNow() { await flights.take() }
    defer { if overlaps { flights.leave() } }
    let flying = try live().launch(plan, planes)
    guard overlaps else { return try land(flying) }
    let launched = generation
    if !landings.takeNow() { await landings.take() }
    defer { landings.leave() }
    await Task.yield()
    guard launched == generation else { throw .lost(during: "the flight of a frame") }
    return try land(flying)
  }

  private func land(_ flying: [Int]) throws(GLFailure) -> [Image] {
    defer { for flight in flying { session?.abandon(flight) } }
    var planes: [Image] = []
    for flight in flying { planes.append(try live().land(flight)) }
    return planes
  }
}
