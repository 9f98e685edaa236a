internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// A compiled and linked shader.
final class GLProgram {
  let name: GLuint
  private let context: GLContext
  private var locations: [String: GLint] = [:]
  /// The prepared pass whose numbers were set last, by its serial.
  var numbersAreOf: Int?

  /// Compiles a program.
  init(_ text: ProgramText, in context: GLContext) throws(GLFailure) {
    name = glCreateProgram()
    self.context = context
    do throws(GLFailure) { try link(text) } catch {
      // A lost context fails to compile without an error.
      try context.check("the program of \(text.pass)")
      try context.confirm("the program of \(text.pass)")
      throw error
    }
  }

  private func link(_ text: ProgramText) throws(GLFailure) {
    for stage in text.stages {
      let compiled = try GLProgram.compile(
        stage.kind, context.isToFail(.program) ? "#error as asked" : stage.text, of: text)
      glAttachShader(name, compiled)
      // Stays until the program goes.
      glDeleteShader(compiled)
    }
    glLinkProgram(name)
    var status: GLint = 0
    glGetProgramiv(name, GLenum(GL_LINK_STATUS), &status)
    guard status == GL_TRUE else {
      throw .shader(
        pass: text.pass, isBlock: text.isBlock, log: GLProgram.log(name, glGetProgramInfoLog))
    }
  }

  deinit {
    context.delete { glDeleteProgram(name) }
  }

  /// Returns the location of a uniform; -1, which GL ignores, if the program does not use it.
  func location(_ uniform: String) -> GLint {
    if let known = locations[uniform] { return known }
    let found = glGetUniformLocation(name, uniform)
    locations[uniform] = found
    return found
  }

  private static func compile(
    _ kind: Int32, _ text: String, of program: ProgramText
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
      throw .shader(pass: program.pass, isBlock: program.isBlock, log: log)
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

/// The source text of a program.
struct ProgramText {
  /// For messages.
  var pass: String
  /// True if invocations make blocks: what needs registers and shared memory that not every device has.
  var isBlock: Bool
  /// The GL name of each stage, and its text.
  var stages: [(kind: Int32, text: String)]

  init(_ shader: Shader) {
    pass = shader.passName
    isBlock = shader.block != nil
    stages =
      switch shader.variant.stage {
      case .fragment:
        [(GL_VERTEX_SHADER, Shader.vertexSource), (GL_FRAGMENT_SHADER, shader.source)]
      case .compute, .blocked: [(GL_COMPUTE_SHADER, shader.source)]
      }
  }
}

/// Makes each program once. From one process to the next drivers keep them: Mesa's and NVIDIA's do.
final class ProgramCache {
  private let capacity: Int
  private let context: GLContext
  private var programs: [Shader: GLProgram] = [:]
  /// The number of programs compiled.
  private(set) var compiled = 0
  private var lastSerial = 0

  /// - Parameter capacity: programs that are kept; 1 or more.
  init(context: GLContext, capacity: Int) {
    self.capacity = capacity
    self.context = context
  }

  /// A number for a pass that sets numbers of these programs; each is given once.
  func nextSerial() -> Int {
    lastSerial += 1
    return lastSerial
  }

  func program(for shader: Shader) throws(GLFailure) -> GLProgram {
    if let program = programs[shader] { return program }
    if programs.count >= capacity { programs = [:] }
    compiled += 1
    let program = try GLProgram(ProgramText(shader), in: context)
    programs[shader] = program
    return program
  }
}
