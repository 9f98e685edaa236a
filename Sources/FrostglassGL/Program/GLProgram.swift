internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// A compiled and linked shader.
final class GLProgram {
  let name: GLuint
  private let context: GLContext
  private var locations: [String: GLint] = [:]

  init(_ shader: Shader, in context: GLContext) throws(GLFailure) {
    let stages: [(Int32, String)] =
      switch shader.variant.stage {
      case .fragment:
        [(GL_VERTEX_SHADER, Shader.vertexSource), (GL_FRAGMENT_SHADER, shader.source)]
      case .compute, .tiled: [(GL_COMPUTE_SHADER, shader.source)]
      }
    name = glCreateProgram()
    self.context = context
    for (kind, text) in stages {
      let compiled = try GLProgram.compile(
        kind, context.isToFail(.program) ? "#error as asked" : text, pass: shader.passName)
      glAttachShader(name, compiled)
      // Stays until the program goes.
      glDeleteShader(compiled)
    }
    glLinkProgram(name)
    var status: GLint = 0
    glGetProgramiv(name, GLenum(GL_LINK_STATUS), &status)
    guard status == GL_TRUE else {
      throw .shader(pass: shader.passName, log: GLProgram.log(name, glGetProgramInfoLog))
    }
  }

  deinit {
    context.delete { glDeleteProgram(name) }
  }

  /// Where a uniform is; -1, which GL ignores, where the program does without.
  func location(_ uniform: String) -> GLint {
    if let known = locations[uniform] { return known }
    let found = glGetUniformLocation(name, uniform)
    locations[uniform] = found
    return found
  }

  private static func compile(
    _ kind: Int32, _ text: String, pass: String
  ) throws(GLFailure) -> GLuint {
    let shader = glCreateShader(GLenum(kind))
    text.withCString { pointer in
      var line: UnsafePointer<GLchar>? = pointer
      glShaderSource(shader, 1, &line, nil)
    }
    glCompileShader(shader)
    var status: GLint = 0
    glGetShaderiv(shader, GLenum(GL_COMPILE_STATUS), &status)
    guard status == GL_TRUE else {
      let log = log(shader, glGetShaderInfoLog)
      glDeleteShader(shader)
      throw .shader(pass: pass, log: log)
    }
    return shader
  }

  private typealias GetLog = (
    GLuint, GLsizei, UnsafeMutablePointer<GLsizei>?, UnsafeMutablePointer<GLchar>?
  ) -> Void

  private static func log(_ object: GLuint, _ get: GetLog) -> String {
    var length: GLsizei = 0
    let log = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, filled in
      buffer.withMemoryRebound(to: GLchar.self) { get(object, 4096, &length, $0.baseAddress) }
      filled = Int(length)
    }
    return String(decoding: log, as: UTF8.self)
  }
}
