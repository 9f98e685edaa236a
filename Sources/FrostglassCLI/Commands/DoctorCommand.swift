internal import Frostglass
internal import FrostglassBackends
internal import FrostglassCore
internal import FrostglassGL
internal import FrostglassOptions
internal import FrostglassServer

/// `frostglass doctor`: the backends of this machine and the choice of `auto`.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "Diagnose GPU and display setup"
  static let operands = ""
  static let notes = """
    --device accepts the number of a device or a part of its name.

    FROSTGLASS_GL_STAGE overrides the stage: \(GLOptions.Stage.words).
    """
  static let options: [Option] = [.json]

  private let backend: BackendOptions

  init(_ arguments: ParsedArguments) throws {
    guard arguments.operands.isEmpty else { throw Failure.usage("doctor takes no arguments") }
    backend = try arguments.gpuOptions()
  }

  func run() async throws -> Int32 {
    let survey = try await GLSurvey.take()
    let selector = BackendSelector(backend)
    let selection = try? await selector.selection()
    if Console.speaksJSON {
      Console.print(json: Self.members(survey, selection), of: Self.name)
      return ExitCode.done
    }
    let text = DoctorText(survey: survey, options: backend.gl)
    var lines = text.devices + text.displays + text.nodes + text.backends
    if let selection {
      lines.append("auto takes \(selection.backend.name): \(selection.reason)")
      if let warning = selection.warning { lines.append("warning: \(warning)") }
    }
    lines.append("frostglass serve: \(Workers.walls)")
    lines.append("frostglass video: \(VideoProgram.words)")
    lines.append("frostglass find: \(DetectorModel.words)")
    if !survey.remedies.isEmpty {
      lines.append("what may help")
      lines += survey.remedies.map { "  - \($0)" }
    }
    Console.print(lines.joined(separator: "\n"))
    return ExitCode.done
  }
}

extension DoctorCommand {
  private static func members(
    _ survey: GLSurvey, _ selection: BackendSelector.Selection?
  ) -> [(String, String)] {
    func text(_ value: String?) -> String { value.map { JSONText.string($0) } ?? "null" }
    let devices = survey.list.devices.enumerated().map { number, listed in
      JSONText.object([
        ("number", "\(number)"), ("renderer", JSONText.string(listed.device.capabilities.renderer)),
        ("vendor", JSONText.string(listed.device.capabilities.vendor)),
        ("driver", text(listed.device.driver)),
        ("node", text(listed.device.renderNode)),
        ("memory", listed.device.memory?.total.map { "\($0)" } ?? "null"),
        ("software", listed.device.isSoftware ? "true" : "false"),
        ("textureSide", "\(listed.device.capabilities.maxTextureSize)"),
      ])
    }
    let displays = survey.displays.map { report in
      let (works, words): (Bool, String) =
        switch report.outcome {
        case .success(let device): (true, "\(device)")
        case .failure(let failure): (false, "\(failure)")
        }
      return JSONText.object([
        ("platform", JSONText.string("\(report.platform)")), ("works", works ? "true" : "false"),
        ("text", JSONText.string(words)),
      ])
    }
    return [
      ("devices", JSONText.array(devices)), ("displays", JSONText.array(displays)),
      (
        "auto",
        selection.map { selection in
          JSONText.object([
            ("backend", JSONText.string(selection.backend.name)),
            ("reason", JSONText.string(selection.reason)), ("warning", text(selection.warning)),
          ])
        } ?? "null"
      ),
      ("find", JSONText.string(DetectorModel.words)),
      ("films", VideoProgram.path?.jsonPath ?? "null"),
      ("walls", JSONText.string(Workers.walls)),
      ("remedies", JSONText.array(survey.remedies.map { JSONText.string($0) })),
    ]
  }
}

/// The text of `frostglass doctor`, part by part.
private struct DoctorText {
  var survey: GLSurvey
  var options: GLOptions

  /// Each device once, numbered as `--device` takes them.
  var devices: [String] {
    let devices = survey.list.devices
    return ["devices"] + (devices.isEmpty ? ["  none"] : devices.flatMap(lines))
  }

  private func lines(_ listed: ListedDevice) -> [String] {
    let device = listed.device
    let capabilities = device.capabilities
    let driver = [device.driver, capabilities.driverVersion].compactMap { $0 }
    let limits = [
      "textures \(capabilities.maxTextureSize)",
      "compute \(capabilities.maxComputeInvocations) invocations, "
        + "\(ByteCount(capabilities.maxComputeSharedBytes)) shared",
      "uniforms \(ByteCount(capabilities.maxUniformBlockBytes))",
    ]
    let rows = [
      ("vendor", capabilities.vendor), ("driver", driver.joined(separator: ", ")),
      ("node", device.renderNode ?? "unknown"), ("memory", memory(device)),
      ("limits", limits.joined(separator: "; ")),
      ("resets", device.isRobust ? "detected" : "not detected"),
      ("displays", listed.displays.map { "\($0)" }.joined(separator: ", ")),
      ("stage", "\(StageChoice(options, capabilities))"),
    ]
    return ["  \(listed)"] + rows.map { "     \($0.0.padded(to: 10))\($0.1)" }
  }

  private func memory(_ device: GLDevice) -> String {
    guard let memory = device.memory else {
      return device.isSoftware ? "system memory" : "unknown"
    }
    let parts = [
      memory.total.map { "\(ByteCount($0))" }, memory.free.map { "\(ByteCount($0)) free" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Every way to a device that was tried.
  var displays: [String] {
    ["displays"]
      + survey.displays.map { report in
        let platform = "\(report.platform)".padded(to: 14)
        switch report.outcome {
        case .success(let device): return "  \(platform) works: \(device)"
        case .failure(let failure): return "  \(platform) does not work: \(failure)"
        }
      }
  }

  var nodes: [String] {
    let nodes = survey.host.renderNodes + survey.host.nvidiaNodes
    guard !nodes.isEmpty else { return ["device files", "  no GPU device nodes"] }
    let words = nodes.map { $0.path + ($0.isAccessible ? "" : " (no permission)") }
    return ["device files", "  " + words.joined(separator: ", ")]
  }

  var backends: [String] {
    [
      "backends", "  gl         " + (survey.chosen.map { "\($0)" } ?? "does not start"),
      "  fast       always works", "  reference  always works",
    ]
  }
}
