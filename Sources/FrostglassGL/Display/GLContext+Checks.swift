internal import CGLES
internal import FrostglassCore
internal import Glibc

/// What can fail in a context: all of it is asked here, so that tests can make it fail here.
extension GLContext {
  /// What memory is asked for.
  enum Allocation {
    case texture(Size, TextureFormat)
    /// A buffer of so many bytes.
    case buffer(Int)
  }

  /// Throws the first error that GL has noted since the last check: the boundary of a pass or a
  /// transfer.
  ///
  /// It costs a trip to the driver, on some to the GPU: once per boundary, nowhere else.
  func check(_ activity: @autoclosure () -> String) throws(GLFailure) {
    if let faults, !isLost, faults.strikes(.checkpoint) { playLost() }
    guard !isLost else { throw .lost(during: activity()) }
    do {
      try GLFailure.check(activity())
    } catch {
      // Not every driver has an error that says so.
      if resetStatus() != GL_NO_ERROR { throw markLost(activity()) }
      if case .lost = error { throw markLost(activity()) }
      throw error
    }
  }

  /// Looks for errors in builds for debugging only, after any group of calls.
  func debugCheck(_ activity: @autoclosure () -> String) throws(GLFailure) {
    #if DEBUG
      guard !isLost else { return }
      try GLFailure.check(activity())
    #endif
  }

  /// Throws if the context was lost, as what was read from it then means nothing. To be asked once
  /// per result: it is a call into the kernel.
  func confirm(_ activity: @autoclosure () -> String) throws(GLFailure) {
    guard !isLost else { throw .lost(during: activity()) }
    if resetStatus() != GL_NO_ERROR { throw markLost(activity()) }
  }

  /// Runs a call that allocates, and throws if it gets nothing.
  func allocate(_ allocation: Allocation, _ call: () -> Void) throws(GLFailure) {
    let activity: String
    var isTooLong = false
    switch allocation {
    case .texture(let size, let format):
      activity = "a texture of \(size)"
      if let faults = self.faults {
        let bytes = size.area * format.bytesPerTexel
        isTooLong = max(size.width, size.height) > faults.faults.longestSide ?? .max
        if faults.strikes(.texture, orIf: bytes > faults.faults.textureBytes ?? .max) {
          throw .outOfMemory(during: activity)
        }
      }
    case .buffer(let bytes):
      activity = "a buffer of \(bytes) bytes"
      if isToFail(.buffer) { throw .outOfMemory(during: activity) }
    }
    if isTooLong { GLContext.allocateTooLong() } else { call() }
    do {
      try check(activity)
    } catch {
      guard case .gl(_, let code) = error, case .texture(let size, _) = allocation else {
        throw error
      }
      throw .texture(size, code: code)
    }
  }

  /// Asks for what no driver has, to hear it refuse.
  private static func allocateTooLong() {
    glTexStorage2D(GLenum(GL_TEXTURE_2D), 1, GLenum(GL_RGBA8), .max, 1)
  }

  /// Deletes an object, unless it went with the context or another context is current, in which its
  /// name may be that of something else.
  func delete(_ body: () -> Void) {
    if !isLost, eglGetCurrentContext() == handle { body() }
  }

  /// Whether a driver is to fail at this, for tests.
  func isToFail(_ point: GLFaults.Point) -> Bool {
    faults.map { $0.strikes(point) } ?? false
  }

  /// Whether a framebuffer with this texture is to be incomplete, for tests.
  func isToRefuse(_ texture: GLTexture) -> Bool {
    faults.map {
      $0.strikes(
        .framebuffer, orIf: $0.faults.refusesFloatTargets && texture.format.isFloat)
    } ?? false
  }

  /// Waits until the GPU is over its reset, for at most a second: a new context fails until then.
  func waitForResetToEnd() {
    var patience = 100
    while patience > 0, resetStatus() != GL_NO_ERROR {
      usleep(10_000)
      patience -= 1
    }
  }

  /// Gives the context up.
  func markLost(_ activity: String) -> GLFailure {
    isLost = true
    return .lost(during: activity)
  }

  /// No longer current, a context behaves as a lost one: calls do nothing and tell nothing.
  private func playLost() {
    eglMakeCurrent(display.handle, nil, nil, nil)
    isLost = true
  }
}
