internal import CGLES
package import FrostglassCore

/// Work on pictures that are on the device, measured with nothing in between.
extension GLBackend {
  /// Runs a plan so many times in a row.
  ///
  /// - Parameter runs: 1 or more.
  package func time(
    of plan: Plan, on picture: GLPicture, runs: Int
  ) throws(BackendError) -> GLTime {
    try time(runs) { () throws(BackendError) in _ = try execute(plan, [picture]) }
  }

  /// Copies a picture so many times in a row: what other times are compared with.
  ///
  /// - Parameter runs: 1 or more.
  package func timeOfCopy(of picture: GLPicture, runs: Int) throws(BackendError) -> GLTime {
    try time(runs) { () throws(BackendError) in _ = try copy(picture) }
  }

  private func time(
    _ runs: Int, _ work: () throws(BackendError) -> Void
  ) throws(BackendError) -> GLTime {
    guard let context = session?.context else { throw hopeless }
    let timer = GLTimer(device.capabilities, in: context)
    glFinish()
    let start = ContinuousClock.now
    timer?.start()
    for _ in 0..<runs { try work() }
    let device = timer?.stop()
    glFinish()
    return GLTime(wall: start.duration(to: .now) / runs, device: device.map { $0 / runs })
  }
}
