internal import Frostglass
internal import FrostglassGL
internal import Glibc

/// Options that several commands share.
extension Option {
  static let background = Option(
    "background", value: "COLOR", "Behind transparent results without alpha (white)")
  static let format = Option(
    "format", value: "EXT", "Output format, where the name does not tell")
  static let frame = Option("frame", value: "N", "Take this frame of an animation, from 1")
  static let maxPixels = Option("max-pixels", value: "N", "Refuse larger inputs (500000000)")
  static let memory = Option(
    "memory", value: "SIZE", "Refuse what would take more, such as 2G (half of the machine's)")
  static let outputQuality = Option("output-quality", value: "1…100", "Of lossy formats")
  static let overwrite = Option("overwrite", "Replace existing output")
  static let profile = Option(
    "profile", value: "P", "srgb: convert colors; keep: leave samples and profile (srgb)")
  static let strip = Option("strip", "Drop metadata")

  static let backend = Option("backend", value: "B", "auto, gl, fast or reference (auto)")
  static let device = Option(
    "device", value: "D", "GPUs by number or name, see doctor: 0, nvidia, 0,1 or all; means gl")

  static let gpuMemory = Option(
    "gpu-memory", value: "SIZE", "At most this on the GPU, such as 512M; larger pictures in parts")
}

extension ParsedArguments {
  /// The value of `--background`.
  func background() throws(Failure) -> Color {
    try opaqueColor("background", default: .white, named: "white")
  }

  /// What `--max-pixels`, `--memory`, `--profile` and `--frame` say.
  func decoding() throws(Failure) -> DecodeOptions {
    DecodeOptions(
      maxPixels: try integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels,
      maxMemory: try bytes("memory"), profile: try profile(),
      frame: try integer("frame", in: 1...(.max)))
  }

  private func profile() throws(Failure) -> ProfileChoice {
    switch values["profile"] {
    case nil, "srgb": return .srgb
    case "keep": return .keep
    case let other?: throw .usage("--profile is \(other); it must be srgb or keep")
    }
  }

  /// The value of `--format`; `nil` where it is not given.
  func outputFormat() throws(Failure) -> StillFormat? {
    guard let text = values["format"] else { return nil }
    do throws(EncodeError) { return try StillFormat.toWrite(path: "output.\(text)") } catch {
      throw FrostglassError.encode(error).failure
    }
  }

  /// What `--output-quality` and `--strip` say.
  func encoding() throws(Failure) -> EncodeOptions {
    EncodeOptions(quality: try integer("output-quality", in: 1...100), strip: has("strip"))
  }

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

  /// How messages call it.
  var name: String {
    switch self {
    case .file(let path, _): path
    case .standardOutput: "standard output"
    case .memory: "memory"
    }
  }
}

extension FilterChain {
  /// Reads the value of an option.
  init(argument text: String) throws(Failure) {
    do throws(FilterTextError) { try self.init(text: text) } catch {
      throw FrostglassError.text(error).failure
    }
  }
}

extension GLOptions.Stage {
  /// What `FROSTGLASS_GL_STAGE` may be.
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
