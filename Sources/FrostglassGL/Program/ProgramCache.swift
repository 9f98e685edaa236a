internal import FrostglassShaders

/// Compiles each shader once.
final class ProgramCache {
  /// More programs than any mix of chains needs at a time; a limit so that the cache is one.
  private static let capacity = 256

  private let context: GLContext
  private var programs: [Shader: GLProgram] = [:]

  init(context: GLContext) {
    self.context = context
  }

  func program(for shader: Shader) throws(GLFailure) -> GLProgram {
    if let program = programs[shader] { return program }
    if programs.count >= ProgramCache.capacity { programs = [:] }
    let program = try GLProgram(shader, in: context)
    programs[shader] = program
    return program
  }
}
