internal import CGLES

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

  /// Waits for what was asked since `start`; `nil` where something disturbed the clock, as a change
  /// of the device's speed does.
  func stop() -> Duration? {
    glEndQuery(GLenum(GL_TIME_ELAPSED_EXT))
    var nanoseconds: GLuint64 = 0
    getResult(query, GLenum(GL_QUERY_RESULT), &nanoseconds)
    return isDisjoint ? nil : .nanoseconds(Int64(clamping: nanoseconds))
  }

  private var isDisjoint: Bool {
    var value: GLint = 0
    glGetIntegerv(GLenum(GL_GPU_DISJOINT_EXT), &value)
    return value != 0
  }
}
