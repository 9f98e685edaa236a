internal import CGLES
internal import FrostglassCore

/// Why a plan stopped on the GPU; becomes a `BackendError` at the backend's door.
enum GLFailure: Error, Hashable, CustomStringConvertible {
  /// GL reported an error after a pass or a transfer.
  case gl(during: String, code: GLenum)
  /// The context is gone with all its objects: the GPU was reset, or the driver gave up.
  case lost(during: String)
  /// There is no memory left for a texture or a buffer, on the GPU or within the limit.
  case outOfMemory(during: String)
  /// A texture of a size that the device claims to take is refused.
  case texture(Size, code: GLenum)
  /// A shader did not compile or link.
  case shader(pass: String, log: String)
  /// A framebuffer cannot be drawn to or read.
  case framebuffer(during: String, status: GLenum)
  /// The plan needs something that the device lacks.
  case unsupported(String)
  /// The result does not make an image.
  case image(ImageError)
  /// Somebody stopped the run.
  case stopped(BackendError)

  var description: String {
    switch self {
    case .gl(let activity, let code): "\(activity): \(GLFailure.name(of: code))"
    case .lost(let activity): "the context was lost during \(activity)"
    case .outOfMemory(let activity): "no memory for \(activity)"
    case .texture(let size, let code):
      "a texture of \(size) is refused: \(GLFailure.name(of: code))"
    case .shader(let pass, let log): "the shader of \(pass) does not compile: \(log)"
    case .framebuffer(let activity, let status):
      "\(activity): framebuffer status 0x\(String(status, radix: 16))"
    case .unsupported(let what): what
    case .image(let error): "\(error)"
    case .stopped(let error): "\(error)"
    }
  }

  /// Whether the device or its driver is to blame, and not the plan.
  var isOfDevice: Bool {
    switch self {
    case .unsupported, .image, .stopped: false
    default: true
    }
  }

  /// For who runs plans: a failure of the driver's or the device's, unless the plan asks too much.
  var backendError: BackendError {
    switch self {
    case .unsupported(let what): .unsupported(backend: "gl", what: what)
    case .image(let error): .failed(backend: "gl", what: "\(error)")
    case .stopped(let error): error
    default: .broken(backend: "gl", what: description)
    }
  }

  /// Throws the first error that GL has noted since the last check, and clears the others.
  static func check(_ activity: @autoclosure () -> String) throws(GLFailure) {
    let code = glGetError()
    guard code != GL_NO_ERROR else { return }
    forget()
    throw GLFailure(code, during: activity())
  }

  /// Clears all errors that GL has noted.
  static func forget() {
    // A lost context reports the same error for ever.
    var remaining = 8
    while remaining > 0, glGetError() != GL_NO_ERROR { remaining -= 1 }
  }

  private init(_ code: GLenum, during activity: String) {
    self =
      switch Int32(code) {
      case GL_CONTEXT_LOST: .lost(during: activity)
      case GL_OUT_OF_MEMORY: .outOfMemory(during: activity)
      default: .gl(during: activity, code: code)
      }
  }

  private static func name(of code: GLenum) -> String {
    switch Int32(code) {
    case GL_INVALID_ENUM: "GL_INVALID_ENUM"
    case GL_INVALID_VALUE: "GL_INVALID_VALUE"
    case GL_INVALID_OPERATION: "GL_INVALID_OPERATION"
    case GL_INVALID_FRAMEBUFFER_OPERATION: "GL_INVALID_FRAMEBUFFER_OPERATION"
    case GL_OUT_OF_MEMORY: "GL_OUT_OF_MEMORY"
    case GL_CONTEXT_LOST: "GL_CONTEXT_LOST"
    default: "GL error 0x\(String(code, radix: 16))"
    }
  }
}
