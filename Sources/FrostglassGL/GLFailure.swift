internal import CGLES
internal import FrostglassCore

/// Why a plan stopped on the GPU; becomes a `BackendError` at the backend's door.
enum GLFailure: Error, Hashable {
  /// GL reported an error after a pass or a transfer.
  case gl(during: String, code: GLenum)
  /// A shader did not compile or link.
  case shader(pass: String, log: String)
  /// A framebuffer cannot be drawn to or read.
  case framebuffer(during: String, status: GLenum)
  /// The plan needs something that the device lacks.
  case unsupported(String)
  /// The result does not make an image.
  case image(ImageError)

  var backendError: BackendError {
    switch self {
    case .gl(let activity, let code):
      .failed(backend: "gl", what: "\(activity): \(GLFailure.name(of: code))")
    case .shader(let pass, let log):
      .failed(backend: "gl", what: "the shader of \(pass) does not compile: \(log)")
    case .framebuffer(let activity, let status):
      .failed(
        backend: "gl", what: "\(activity): framebuffer status 0x\(String(status, radix: 16))")
    case .unsupported(let what):
      .unsupported(backend: "gl", what: what)
    case .image(let error):
      .failed(backend: "gl", what: "\(error)")
    }
  }

  /// Throws the first error that GL has noted since the last check, and clears the others.
  static func check(_ activity: @autoclosure () -> String) throws(GLFailure) {
    let code = glGetError()
    guard code != GL_NO_ERROR else { return }
    forget()
    throw .gl(during: activity(), code: code)
  }

  /// Clears all errors that GL has noted.
  static func forget() {
    // A lost context reports the same error for ever.
    var remaining = 8
    while remaining > 0, glGetError() != GL_NO_ERROR { remaining -= 1 }
  }

  static func name(of code: GLenum) -> String {
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
