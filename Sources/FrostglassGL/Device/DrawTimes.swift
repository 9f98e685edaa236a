internal import CGLES
package import FrostglassCore
internal import FrostglassShaders

/// The time of one draw of a plan, measured alone: the device is idle before and after.
package struct DrawTime: Sendable, Hashable {
  /// The passes that ran as one.
  package var name: String
  /// The size of the target.
  package var size: Size
  package var time: GLTime
}

extension GLBackend {
  /// Runs a plan so many times, draw by draw, and takes each draw's medians.
  ///
  /// Their sum is more than the plan takes: nothing overlaps, and each is waited for.
  ///
  /// - Parameter runs: 1 or more.
  package func timesOfDraws(
    of plan: Plan, on picture: GLPicture, runs: Int
  ) throws(BackendError) -> [DrawTime] {
    // From the third time on it is played, as it is where it counts.
    for _ in 0..<3 { _ = try execute(plan, [picture]) }
    guard let session else { throw hopeless }
    let stopwatch = DrawStopwatch(device.capabilities, session.context)
    session.runner.passes.stopwatch = stopwatch
    defer { session.runner.passes.stopwatch = nil }
    var laps: [[DrawTime]] = []
    for _ in 0..<runs {
      stopwatch.laps = []
      _ = try execute(plan, [picture])
      laps.append(stopwatch.laps)
    }
    guard let first = laps.first else { return [] }
    return first.indices.map { index in
      let times = laps.compactMap { $0.indices.contains(index) ? $0[index].time : nil }
      var median = first[index]
      median.time = GLTime(
        wall: DrawStopwatch.median(times.map(\.wall)) ?? .zero,
        device: DrawStopwatch.median(times.compactMap(\.device)))
      return median
    }
  }
}

/// Notes how long each draw takes.
final class DrawStopwatch {
  fileprivate(set) var laps: [DrawTime] = []
  private let timer: GLTimer?

  init(_ capabilities: GLCapabilities, _ context: GLContext) {
    timer = GLTimer(capabilities, in: context)
  }

  func time(_ pass: PreparedPass, _ draw: () throws(GLFailure) -> Void) throws(GLFailure) {
    glFinish()
    let start = ContinuousClock.now
    timer?.start()
    try draw()
    let device = timer?.stop()
    glFinish()
    laps.append(
      DrawTime(
        name: pass.shader.passName, size: pass.size,
        time: GLTime(wall: start.duration(to: .now), device: device)))
  }

  fileprivate static func median(_ times: [Duration]) -> Duration? {
    times.isEmpty ? nil : times.sorted()[times.count / 2]
  }
}
