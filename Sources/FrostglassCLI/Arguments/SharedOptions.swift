internal import Frostglass
internal import FrostglassGL
internal import FrostglassOptions
internal import Glibc

/// Options that several commands share.
extension Option {
  static let backend = Option(
    "backend", value: "B", "auto, gl, fast or reference (auto)",
    choices: BackendChoice.allCases.map(\.rawValue)
  ).grouped(.running)
  static let device = Option(
    "device", value: "D", "GPUs by number or name, see doctor: 0, nvidia, 0,1 or all; means gl"
  ).grouped(.running)
  static let gpuMemory = Option(
    "gpu-memory", value: "SIZE", "At most this on the GPU, such as 512M; larger pictures in parts"
  ).grouped(.running)

  static let json = Option("json", "Say what was done as JSON, for programs").grouped(.running)
  static let quiet = Option(
    "quiet", letter: "q", "Say nothing but errors"
  ).grouped(.running)
  static let dryRun = Option(
    "dry-run", "Say what would be written, from headers alone, and write nothing"
  ).grouped(.running)
  /// Of commands that write pictures.
  static let manners: [Option] = [.json, .quiet, .dryRun]
}

extension ParsedArguments {
  /// Which backend is asked for by `--backend` and `--device`, and how the environment sets it up.
  func backend() throws(Failure) -> BackendOptions {
    var options = try gpuOptions()
    options.choice = try choice("backend", default: options.devices == nil ? .auto : .gl)
    if options.devices != nil, options.choice != .gl { throw wrongBackend }
    return options
  }

  /// What `--device` and the environment say of GPUs.
  func gpuOptions() throws(Failure) -> BackendOptions {
    var options = BackendOptions(devices: values["device"])
    if let devices = options.devices, devices.allSatisfy(\.isWhitespace) {
      throw .usage(
        "--device is empty; it must be a number or a part of a name from `frostglass doctor`")
    }
    options.gl.stage = try stage()
    options.gl.cacheDirectory = GLOptions.userCacheDirectory
    options.gl.textureBytes = try bytes("gpu-memory")
    return options
  }

  /// What to say where a device is named for a backend that has none.
  var wrongBackend: Failure {
    .usage(
      "--device and --backend \(values["backend"] ?? "") exclude each other; devices are for gl")
  }

  /// `FROSTGLASS_GL_STAGE`, for those who know better than a measurement.
  private func stage() throws(Failure) -> GLOptions.Stage {
    guard let text = getenv("FROSTGLASS_GL_STAGE").map({ String(cString: $0) }), !text.isEmpty
    else { return .automatic }
    guard let stage = GLOptions.Stage(rawValue: text.lowercased()) else {
      throw .usage("FROSTGLASS_GL_STAGE is \(text); it must be one of \(GLOptions.Stage.words)")
    }
    return stage
  }
}

extension ParsedArguments {
  /// CPU workers: `--threads`, or one per core.
  func threads() throws(Failure) -> Int {
    try integer("threads", in: 1...1024) ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}

extension StillSource {
  /// `-` is standard input.
  init(operand: String) {
    self = operand == "-" ? .standardInput : .file(operand)
  }
}

extension StillSink {
  /// `-` is standard output.
  init(operand: String, overwrite: Bool) {
    self = operand == "-" ? .standardOutput : .file(operand, overwrite: overwrite)
  }
}

extension GLOptions.Stage {
  /// What `FROSTGLASS_GL_STAGE` may be.
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
