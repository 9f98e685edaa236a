internal import FrostglassShaders

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
