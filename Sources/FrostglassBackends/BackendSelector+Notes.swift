internal import FrostglassGL

extension BackendSelector {
  /// What the GPU backends that have started say of themselves: a word for each line, and the line.
  ///
  /// Which stage runs the passes and why, where the programs came from, and what pictures took.
  public func notes() async -> [(name: String, text: String)] {
    var notes: [(name: String, text: String)] = []
    for case let backend as GLBackend in await gpuBackends {
      notes.append(("stage", "\(backend.stage)"))
      let programs = await backend.programStatistics
      let counts = [
        (programs.compiled, "compiled"), (programs.loaded, "loaded"),
        (programs.rejected, "rejected"), (programs.stored, "stored"),
      ]
      let words = counts.enumerated().filter { $0.offset < 2 || $0.element.0 > 0 }
        .map { "\($0.element.0) \($0.element.1)" }
      notes.append(("programs", words.joined(separator: ", ")))
      notes.append(("gpu", "\(await backend.textureStatistics)"))
    }
    return notes
  }
}
