internal import FrostglassCore

extension GLSession {
  /// Has the plans for a picture in planes run; `land` with each of the numbers that are returned
  /// fetches a plane.
  func launch(_ plan: YCbCrPlan, _ planes: [Image]) throws(GLFailure) -> [Int] {
    try runner.pool.asOneRun { () throws(GLFailure) in
      let picture = try picture(plan, planes)
      // The device does what it is given in order: the next frame may have the memory.
      defer { runner.pool.takeBack(picture.texture) }
      var flying: [Int] = []
      do throws(GLFailure) {
        for step in plan.toPlanes {
          flying.append(
            launch(try runner.start(step, [.resident(picture)], into: ResultMemory())))
        }
      } catch {
        for flight in flying { abandon(flight) }
        throw error
      }
      return flying
    }
  }

  /// The filtered picture, on the device; lent by the pool.
  private func picture(
    _ plan: YCbCrPlan, _ planes: [Image]
  ) throws(GLFailure) -> ResidentTexture {
    var picture = try pictures.execute(plan.toPicture[0], planes.map { .image($0) })
    for step in plan.toPicture.dropFirst() {
      let last = picture
      defer { runner.pool.takeBack(last.texture) }
      picture = try pictures.execute(step, [.resident(last)])
    }
    return picture
  }
}
