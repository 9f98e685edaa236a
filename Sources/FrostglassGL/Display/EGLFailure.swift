internal import CGLES
internal import Glibc

/// Why a display or a context could not be had.
public struct EGLFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that failed, or what was looked for.
  public var step: String
  /// What EGL said, such as `EGL_NOT_INITIALIZED`; `nil` where EGL was not asked.
  public var eglError: String?
  /// What the system said, such as 13 for "permission denied"; `nil` where it said nothing.
  public var systemError: Int32?

  public init(step: String, eglError: String? = nil, systemError: Int32? = nil) {
    self.step = step
    self.eglError = eglError
    self.systemError = systemError
  }

  public var description: String {
    var parts = [step]
    if let eglError { parts.append(eglError) }
    if let systemError { parts.append(String(cString: strerror(systemError))) }
    return parts.joined(separator: ": ")
  }

  /// Runs a call of EGL and describes its failure, which `body` reports by `nil`.
  static func check<Value>(
    _ step: String, _ body: () -> Value?
  ) throws(EGLFailure) -> Value {
    errno = 0
    if let value = body() { return value }
    let system = errno
    throw EGLFailure(
      step: step, eglError: name(of: eglGetError()), systemError: system == 0 ? nil : system)
  }

  /// The name of an EGL error code.
  static func name(of code: EGLint) -> String {
    switch code {
    case EGL_SUCCESS: "EGL_SUCCESS"
    case EGL_NOT_INITIALIZED: "EGL_NOT_INITIALIZED"
    case EGL_BAD_ACCESS: "EGL_BAD_ACCESS"
    case EGL_BAD_ALLOC: "EGL_BAD_ALLOC"
    case EGL_BAD_ATTRIBUTE: "EGL_BAD_ATTRIBUTE"
    case EGL_BAD_CONFIG: "EGL_BAD_CONFIG"
    case EGL_BAD_CONTEXT: "EGL_BAD_CONTEXT"
    case EGL_BAD_CURRENT_SURFACE: "EGL_BAD_CURRENT_SURFACE"
    case EGL_BAD_DISPLAY: "EGL_BAD_DISPLAY"
    case EGL_BAD_MATCH: "EGL_BAD_MATCH"
    case EGL_BAD_NATIVE_PIXMAP: "EGL_BAD_NATIVE_PIXMAP"
    case EGL_BAD_NATIVE_WINDOW: "EGL_BAD_NATIVE_WINDOW"
    case EGL_BAD_PARAMETER: "EGL_BAD_PARAMETER"
    case EGL_BAD_SURFACE: "EGL_BAD_SURFACE"
    case EGL_CONTEXT_LOST: "EGL_CONTEXT_LOST"
    default: "EGL error \(code)"
    }
  }
}
