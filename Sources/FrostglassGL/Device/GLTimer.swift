internal import CGLES
package import FrostglassCore
internal import FrostglassShaders

/// Work on images that are on the device, measured with nothing in between.
extension GLBackend {
  /// Runs a plan so many times in a row.
  ///
  /// - Parameter runs: 1 or more.
  package func time(
    of plan: Plan, on picture: GLImage, runs: Int
  ) throws(BackendError) -> GLTime {
    try time(runs) { () throws(BackendError) in _ = try execute(plan, [picture]) }
  }

  /// Copies an image so many times in a row: what other times are compared with.
  ///
  /// - Parameter runs: 1 or more.
  package func timeOfCopy(of picture: GLImage, runs: Int) throws(BackendError) -> GLTime {
    try time(runs) { () throws(BackendError) in _ = try copy(picture) }
  }

  /// Copies an image by a pass so many times in a row: what the device reads and writes where a
  /// program does it, as the one that only copies may go another way.
  ///
  /// - Parameter runs: 1 or more.
  package func timeOfDrawnCopy(of picture: GLImage, runs: Int) throws(BackendError) -> GLTime {
    let resident = try texture(of: picture)
    guard let runner = session?.runner else { throw hopeless }
    let source = InputTexture(
      texture: resident.texture, kind: resident.kind, domain: Rect(picture.size),
      channels: picture.format.layout.channels, isLent: false)
    let target = try mapped(
      replaceSession, runner.pool.lend(picture.size, resident.texture.format))
    defer { runner.pool.takeBack(target) }
    let call = ResidentImages.spreading(source, picture.input, into: target)
    let pass = try mapped(replaceSession, runner.passes.prepare(call, for: .again))
    return try time(runs) { () throws(BackendError) in
      try mapped(replaceSession, runner.passes.run(call, pass))
    }
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

/// The time that the device took for one of several equal pieces of work.
package struct GLTime: Sendable, Hashable {
  /// From the first call until the device rests, by this machine's clock.
  package var wall: Duration
  /// By the device's clock; `nil` where it has none that tells.
  package var device: Duration?

  package init(wall: Duration, device: Duration?) {
    self.wall = wall
    self.device = device
  }
}

/// Measures work by the device's own clock (`GL_EXT_disjoint_timer_query`).
final class GLTimer {
  private typealias GetResult =
    @convention(c) (GLuint, GLenum, UnsafeMutablePointer<GLuint64>?) -> Void

  private let query: GLuint
  private let getResult: GetResult
  private let context: GLContext

  /// `nil` where the device has no such clock.
  init?(_ capabilities: GLCapabilities, in context: GLContext) {
    guard capabilities.extensions.contains("GL_EXT_disjoint_timer_query"),
      let getResult = EGLClient.function("glGetQueryObjectui64vEXT", as: GetResult.self)
    else { return nil }
    var query: GLuint = 0
    glGenQueries(1, &query)
    self.query = query
    self.getResult = getResult
    self.context = context
  }

  deinit {
    context.delete {
      var query = query
      glDeleteQueries(1, &query)
    }
  }

  /// Begins with what is asked of the device from now on.
  func start() {
    // Reading it forgets what disturbed the clock before.
    _ = isDisjoint
    glBeginQuery(GLenum(GL_TIME_ELAPSED_EXT), query)
  }

  /// A dispatch alone takes any device longer: what is less was not measured. llvmpipe's clock all but
  /// stands still for compute, which other threads of its do once the query has ended.
  private static let leastNanoseconds: GLuint64 = 1000

  /// Waits for what was asked since `start`; `nil` where something disturbed the clock, as a change
  /// of the device's speed does, and where it did not move, or hardly.
  func stop() -> Duration? {
    glEndQuery(GLenum(GL_TIME_ELAPSED_EXT))
    var nanoseconds: GLuint64 = 0
    getResult(query, GLenum(GL_QUERY_RESULT), &nanoseconds)
    guard !isDisjoint, nanoseconds >= GLTimer.leastNanoseconds else { return nil }
    return .nanoseconds(Int64(clamping: nanoseconds))
  }

  private var isDisjoint: Bool {
    var value: GLint = 0
    glGetIntegerv(GLenum(GL_GPU_DISJOINT_EXT), &value)
    return value != 0
  }
}

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
    of plan: Plan, on picture: GLImage, runs: Int
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
