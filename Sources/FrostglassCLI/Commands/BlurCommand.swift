internal import Frostglass

/// `frostglass blur`: image files in, blurred image files out.
struct BlurCommand: Command {
  static let name = "blur"
  static let summary = "Blur an image file, or several into a directory"
  static let operands = "INPUT OUTPUT  |  INPUT… --out-dir DIR"
  static let notes = """
    INPUT is a JPEG, PNG, WebP, AVIF, HEIC, GIF (first frame) or TIFF file, OUTPUT a JPEG, PNG, WebP,
    AVIF or TIFF file; - is standard input or output. One of --sigma, --style and --filter is
    required; --sigma beside --style replaces the style's. `frostglass filters` lists what --filter
    takes.

    Exit codes: 0 done, 64 usage, 65 bad input data, 66 no input, 69 backend unavailable,
    73 output cannot be written, 70 our fault.
    """
  static let options: [Option] =
    RecipeOptions.table + [
      Option("backend", value: "B", "auto, gl, fast or reference (auto)"),
      Option("format", value: "EXT", "Output format, where the name does not tell"),
      Option("output-quality", value: "1…100", "Of lossy formats"),
      Option("strip", "Drop metadata"),
      Option("overwrite", "Replace existing output"),
      Option("out-dir", value: "DIR", "Write each input under its own name to DIR"),
      Option("verbose", letter: "v", "Say which backend ran, why, and how long each stage took"),
    ]

  private let jobs: [Job]
  private let backend: BackendChoice
  private let verbose: Bool

  init(_ arguments: ParsedArguments) throws(Failure) {
    let recipe = try RecipeOptions(arguments)
    let encoding = EncodeOptions(
      quality: try arguments.integer("output-quality", in: 1...100), strip: arguments.has("strip"))
    let format = try Self.format(arguments)
    jobs = try Self.places(arguments).map { source, sink in
      Job(
        source: source, recipe: recipe.recipe, sink: sink, format: format,
        decoding: recipe.decoding, encoding: encoding)
    }
    backend = try arguments.choice("backend", default: .auto)
    verbose = arguments.has("verbose")
  }

  static func format(_ arguments: ParsedArguments) throws(Failure) -> StillFormat? {
    guard let text = arguments.values["format"] else { return nil }
    do throws(EncodeError) { return try StillFormat.toWrite(path: "output.\(text)") } catch {
      throw FrostglassError.encode(error).failure
    }
  }

  /// Where each picture comes from and goes to.
  private static func places(
    _ arguments: ParsedArguments
  ) throws(Failure) -> [(StillSource, StillSink)] {
    let operands = arguments.operands
    let overwrite = arguments.has("overwrite")
    if let directory = arguments.values["out-dir"] {
      guard !operands.isEmpty else { throw .usage("no INPUT is given") }
      return try BatchOutput(directory: directory, format: format(arguments), overwrite: overwrite)
        .places(for: operands)
    }
    guard operands.count == 2 else {
      throw .usage(
        operands.count < 2
          ? "INPUT and OUTPUT are needed; see `frostglass blur --help`"
          : "\(operands.count) names are given; several inputs need --out-dir DIR")
    }
    let sink: StillSink =
      operands[1] == "-" ? .standardOutput : .file(operands[1], overwrite: overwrite)
    return [(StillSource(operand: operands[0]), sink)]
  }

  func run() async throws(Failure) -> Int32 {
    let pipeline = Pipeline(backend: backend)
    guard jobs.count > 1 else {
      try await run(jobs[0], in: pipeline, label: "")
      return ExitCode.done
    }
    var failures: [String] = []
    var codes: Set<Int32> = []
    for (index, job) in jobs.enumerated() {
      do throws(Failure) {
        try await run(job, in: pipeline, label: " \(index + 1) of \(jobs.count)")
        Console.error("\(job.source.name) → \(job.sink.name)")
      } catch {
        Console.error("frostglass blur: \(error.message)")
        failures.append(job.source.name)
        codes.insert(error.exitCode)
      }
    }
    guard let code = codes.first else { return ExitCode.done }
    throw Failure(
      message: "\(failures.count) of \(jobs.count) failed: \(failures.joined(separator: ", "))",
      exitCode: codes.count == 1 ? code : ExitCode.badData)
  }

  private func run(_ job: Job, in pipeline: Pipeline, label: String) async throws(Failure) {
    let report = try await ProgressLine.during { line throws(Failure) in
      do throws(FrostglassError) {
        return try await pipeline.run(job) { stage in line.say("\(stage.gerund)\(label)") }
      } catch { throw error.failure }
    }
    guard let selection = try? await pipeline.selector.selection() else { return }
    if let warning = selection.warning { Console.error("frostglass blur: \(warning)") }
    guard verbose else { return }
    Console.error("backend   \(report.backend) (\(selection.reason))")
    for (stage, duration) in report.timings {
      Console.error("\(stage.rawValue.padded(to: 10))\(duration.milliseconds) ms")
    }
  }
}

extension Duration {
  /// Milliseconds with one decimal place.
  fileprivate var milliseconds: String {
    let tenths = (self / .microseconds(100)).rounded() / 10
    return "\(tenths)"
  }
}

extension StillSink {
  /// How messages call it.
  fileprivate var name: String {
    switch self {
    case .file(let path, _): path
    case .standardOutput: "standard output"
    }
  }
}
