internal import CGLES

/// A point in the device's work: all that was asked for before it.
final class GLFence {
  /// Nanoseconds that one call waits: one second.
  private static let turn: GLuint64 = 1_000_000_000
  /// After so long it is asked whether the GPU was reset: kernels do that to one that hangs within
  /// some ten seconds, and not every driver ends the waits for it.
  private static let suspicion = Duration.seconds(10)
  /// After so long the device is taken for stuck. What is waited for is one frame: one that takes a
  /// minute is better made anew elsewhere than waited for without end.
  private static let patience = Duration.seconds(60)

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

  /// True if the device has reached the fence.
  var isDone: Bool {
    if !isPassed, let sync {
      let state = glClientWaitSync(sync, 0, 0)
      isPassed = state != GLenum(GL_TIMEOUT_EXPIRED)
      return isPassed
    }
    return true
  }

  /// Waits until the device gets there.
  ///
  /// - Throws: `GLFailure.lost` also where it does not get there in a minute.
  func wait(for activity: String = "the device") throws(GLFailure) {
    guard !isPassed, let sync else { return }
    let start = ContinuousClock.now
    // What tests let pass.
    var played = Duration.zero
    while true {
      if context.isToFail(.wait) {
        played += .seconds(1)
      } else {
        let state = glClientWaitSync(sync, GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT), GLFence.turn)
        guard state == GLenum(GL_TIMEOUT_EXPIRED) else {
          isPassed = true
          if state == GLenum(GL_WAIT_FAILED) { try context.check("waiting for \(activity)") }
          return
        }
      }
      let waited = start.duration(to: .now) + played
      if waited >= GLFence.suspicion { try context.confirm("waiting for \(activity)") }
      if waited >= GLFence.patience {
        throw context.markLost("waiting for \(activity), which does not answer")
      }
    }
  }
}

extension GLContext {
  /// Waits until the device has done all that it was asked for. Unlike `glFinish` it ends on a GPU that hangs.
  func finish(_ activity: String) throws(GLFailure) {
    try GLFence(in: self).wait(for: activity)
  }
}
