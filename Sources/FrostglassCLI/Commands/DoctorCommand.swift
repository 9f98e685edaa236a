internal import Frostglass
internal import FrostglassGL

/// `frostglass doctor`: what this machine offers and what `auto` makes of it.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "Show which GPUs and displays work here, and how to mend those that do not"
  static let operands = ""
  static let notes = """
    The numbers before the devices, and parts of their names, are what --device takes.

    On a machine with a GPU, what it and the CPU cost is measured if it was not before; --backend
    auto goes by that. FROSTGLASS_CACHE_DIR names the folder where such numbers and compiled
    programs are kept; if it is empty, none are. FROSTGLASS_GL_STAGE replaces the measured choice;
    it is one of \(GLOptions.Stage.words).
    """
  static let options: [Option] = []

  private let backend: BackendOptions

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.isEmpty else { throw .usage("doctor takes no arguments") }
    backend = try arguments.gpuOptions()
  }

  func run() async throws(Failure) -> Int32 {
    let survey: GLSurvey
    do throws(BackendError) { survey = try await GLSurvey.take() } catch {
      throw FrostglassError.execute(error).failure
    }
    let selector = BackendSelector(backend)
    // Before the devices are shown, as it finds out their stage too.
    let costs = await selector.measuredCosts()
    let text = DoctorText(survey: survey, options: backend.gl)
    var lines = text.devices + text.displays + text.nodes + text.backends + text.cache
    if let selection = try? await selector.selection() {
      lines.append("auto takes \(selection.backend.name): \(selection.reason)")
      if let warning = selection.warning { lines.append("warning: \(warning)") }
    }
    if let costs { lines += DoctorText.costs(costs) }
    if !survey.remedies.isEmpty {
      lines.append("what may help")
      lines += survey.remedies.map { "  - \($0)" }
    }
    Console.print(lines.joined(separator: "\n"))
    return ExitCode.done
  }
}
