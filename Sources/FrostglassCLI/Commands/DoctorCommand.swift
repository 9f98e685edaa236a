internal import Frostglass
internal import FrostglassGL

/// `frostglass doctor`: what this machine offers and what `auto` makes of it.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "Show which GPUs and displays work here, and how to mend those that do not"
  static let operands = ""
  static let options: [Option] = []

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.isEmpty else { throw .usage("doctor takes no arguments") }
  }

  func run() async throws(Failure) -> Int32 {
    let survey: GLSurvey
    do throws(BackendError) { survey = try await GLSurvey.take() } catch {
      throw FrostglassError.execute(error).failure
    }
    var lines = ["displays"]
    lines += survey.displays.map { "  \(text($0))" }
    lines += ["devices", "  " + nodes(survey.host)]
    lines.append("backends")
    lines.append("  gl         " + (survey.chosen.map { "\($0)" } ?? "does not start"))
    lines.append("  fast       always works")
    lines.append("  reference  always works")
    let selector = BackendSelector(.auto)
    if let selection = try? await selector.selection() {
      lines.append("auto takes \(selection.backend.name): \(selection.reason)")
      if let warning = selection.warning { lines.append("warning: \(warning)") }
    }
    if !survey.remedies.isEmpty {
      lines.append("what may help")
      lines += survey.remedies.map { "  - \($0)" }
    }
    Console.print(lines.joined(separator: "\n"))
    return ExitCode.done
  }

  private func text(_ report: DisplayReport) -> String {
    let platform = "\(report.platform)".padded(to: 14)
    switch report.outcome {
    case .success(let device): return "\(platform) works: \(device)"
    case .failure(let failure): return "\(platform) does not work: \(failure)"
    }
  }

  private func nodes(_ host: HostGraphics) -> String {
    let nodes = host.renderNodes + host.nvidiaNodes
    guard !nodes.isEmpty else { return "no GPU device nodes" }
    return nodes.map { $0.path + ($0.isAccessible ? "" : " (no permission)") }
      .joined(separator: ", ")
  }
}
