extension Backend {
  /// Runs the plans for a picture in planes.
  ///
  /// - Parameter picture: of the size and format that they were made for.
  /// - Returns: a picture of the same size and format.
  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture
  ) async throws(BackendError) -> YCbCrPicture {
    try await execute(plan, picture) { _ in }
  }

  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture {
    try await executeOneByOne(plan, picture, telling: tell)
  }

  /// Runs every plan on images in memory.
  package func executeOneByOne(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture {
    try plan.check(picture)
    var images = picture.planes
    for step in plan.toPicture { images = [try await execute(step, images, telling: tell)] }
    var planes: [Image] = []
    for step in plan.toPlanes { planes.append(try await execute(step, images, telling: tell)) }
    return try plan.picture(of: planes)
  }
}

extension YCbCrPlan {
  /// The planes that the plans have made, as a picture.
  package func picture(of planes: [Image]) throws(BackendError) -> YCbCrPicture {
    do {
      return try YCbCrPicture(size: size, format: format, planes: planes)
    } catch {
      throw .failed(backend: "any", what: "\(error)")
    }
  }
}
