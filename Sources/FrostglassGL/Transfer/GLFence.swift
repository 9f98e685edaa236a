internal import CGLES

/// A point in the device's work: all that was asked for before it.
final class GLFence {
  /// Nanoseconds: one second.
  private static let patience: GLuint64 = 1_000_000_000

  // `nil` where the driver has none, as after the loss of its context: nothing to wait for.
  private let sync: GLsync?
  private let context: GLContext
  private var isPassed = false

  /// Marks what the device has been asked for so far.
  init(in context: GLContext) {
    self.context = context
    sync = glFenceSync(GLenum(GL_SYNC_GPU_COMMANDS_COMPLETE), 0)
  }

  deinit {
    if let sync { context.delete { glDeleteSync(sync) } }
  }

  /// Whether the device has got there.
  var isDone: Bool {
    if !isPassed, let sync {
      let state = glClientWaitSync(sync, 0, 0)
      isPassed = state != GLenum(GL_TIMEOUT_EXPIRED)
      return isPassed
    }
    return true
  }

  /// Waits until the device gets there.
  func wait() throws(GLFailure) {
    guard !isPassed, let sync else { return }
    var state: GLenum
    repeat {
      state = glClientWaitSync(sync, GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT), GLFence.patience)
    } while state == GLenum(GL_TIMEOUT_EXPIRED)
    isPassed = true
    if state == GLenum(GL_WAIT_FAILED) { try context.check("waiting for the device") }
  }
}
