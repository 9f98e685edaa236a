internal import FrostglassShaders

/// Makes each program once, from what an earlier process has kept where there is that.
final class ProgramCache {
  /// More programs than any mix of chains needs at a time; a limit so that the cache is one.
  private static let capacity = 256

  private let context: GLContext
  private let store: ProgramStore?
  private var programs: [Shader: GLProgram] = [:]
  private(set) var statistics = GLProgramStatistics()

  /// - Parameter store: `nil` keeps nothing beyond this process.
  init(context: GLContext, store: ProgramStore?) {
    self.context = context
    self.store = store
  }

  func program(for shader: Shader) throws(GLFailure) -> GLProgram {
    if let program = programs[shader] { return program }
    if programs.count >= ProgramCache.capacity { programs = [:] }
    let program = try make(ProgramText(shader))
    programs[shader] = program
    return program
  }

  private func make(_ text: ProgramText) throws(GLFailure) -> GLProgram {
    guard let store else {
      statistics.compiled += 1
      return try GLProgram(text, in: context)
    }
    let key = store.key(of: text.stages.map(\.text))
    let entry = store.entry(key)
    if case .binary(let binary) = entry, let program = GLProgram(binary, in: context) {
      statistics.loaded += 1
      return program
    }
    if entry != .missing { statistics.rejected += 1 }
    statistics.compiled += 1
    let program = try GLProgram(text, in: context)
    if let binary = program.binary {
      if store.keep(binary, as: key) { statistics.stored += 1 }
    } else if entry != .missing {
      store.remove(key)
    }
    return program
  }
}
