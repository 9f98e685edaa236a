internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassScenes
internal import FrostglassStills

/// `frostglass scene`: bars, status bars and backdrop views over content that scrolls, as images.
struct SceneCommand: Command {
  static let name = "scene"
  static let summary = "Render bars, status bars and backdrop views over content"
  static let operands = "FILE"
  static let notes = """
    FILE is a scene in JSON; - is standard input. docs/use/scenes.md describes the format, and
    docs/scene.schema.json validates it. The name after -o decides the output: one image (at --time,
    if the scene is animated), numbered images, a WebP, APNG or GIF animation, or an uncompressed y4m
    video. Only what changes from one frame to the next is computed.

      frostglass scene Examples/scenes/square-cash.json -o bar.png --time 1.5
      frostglass scene Examples/scenes/square-cash.json -o frames/%04d.png --fps 60
      frostglass scene Examples/scenes/square-cash.json -o bar.webp --fps 30 --trace bar.csv
      frostglass scene Examples/scenes/square-cash.json -o - --format y4m | ffplay -

    Exit codes: 0 success, 64 usage, 65 error in the scene, 66 no input, 69 GPU or font missing,
    73 output cannot be written.
    """
  static let options: [Option] =
    [
      Option(
        "output", letter: "o", value: "OUT",
        "Output: .png, %04d.png, .webp, .apng, .gif or .y4m"),
      Option("time", value: "T", "Render one image, T seconds from the start"),
      Option("fps", value: "N", "Frames per second, 1 to 240 (30)"),
      Option(
        "appearance", value: "A",
        "light or dark (the scene's own, or light)",
        choices: FilterChain.Appearance.allCases.map(\.rawValue)),
      Option(
        "trace", value: "FILE", "Write places, styles and work per frame as CSV"),
      Option("measure", "Render without writing, and print the speed"),
      Option("plan", "Print the plan at --time, and exit"),
      .backend, .device, .gpuMemory,
      .format, .outputQuality,
      Option(
        "lossless", "Write lossless WebP",
        details: "Lossless is faster where frames mostly stay the same."),
      .effort, .overwrite,
      Option("verbose", letter: "v", "Print how much was computed, and where"),
    ] + Option.manners

  private let path: String
  private let backend: BackendOptions
  private let output: StillSink?
  private let trace: StillSink?
  private let format: StillFormat?
  private let isVideo: Bool
  private let encoding: EncodeOptions
  private let time: Double?
  private let rate: Double
  private let appearance: FilterChain.Appearance?
  private let isMeasured: Bool
  private let showsPlan: Bool
  private let isVerbose: Bool
  private let isDry: Bool

  init(_ arguments: ParsedArguments) throws {
    guard arguments.operands.count == 1 else {
      throw Failure.usage("one FILE is needed; see `frostglass scene --help`")
    }
    path = arguments.operands[0]
    let overwrites = arguments.has("overwrite")
    output = arguments.values["output"].map { StillSink(operand: $0, overwrite: overwrites) }
    trace = arguments.values["trace"].map { StillSink(operand: $0, overwrite: overwrites) }
    isVideo = arguments.values["format"]?.lowercased() == "y4m"
    format = try isVideo ? nil : arguments.outputFormat()
    if let path = arguments.values["output"], VideoName.isVideo(path), !isVideo, format == nil {
      throw Failure.usage(
        "\(path): a scene becomes images, or a video without compression, .y4m, of which "
          + "`frostglass video film.y4m \(path) --filter none` makes it")
    }
    encoding = try arguments.encoding(strip: false)
    time = try arguments.number("time", in: 0...3600)
    rate = try arguments.number("fps", in: 1...240) ?? 30
    appearance =
      arguments.has("appearance") ? try arguments.choice("appearance", default: .light) : nil
    isMeasured = arguments.has("measure")
    showsPlan = arguments.has("plan")
    isVerbose = arguments.has("verbose")
    backend = try arguments.backend()
    isDry = try arguments.isDryRun(
      writing: [arguments.values["output"], arguments.values["trace"]].compactMap { $0 })
    if showsPlan {
      for option in ["output", "trace", "measure", "json", "dry-run"] where arguments.has(option) {
        let name = option == "output" ? "-o" : "--\(option)"
        throw Failure.usage(
          "--plan and \(name) exclude each other; --plan writes nothing but the plan")
      }
      guard !arguments.has("fps") else {
        throw Failure.usage(
          "--plan and --fps exclude each other; the plan is of one moment, --time")
      }
    }
    guard output != nil || trace != nil || isMeasured || showsPlan else {
      throw Failure.usage("give -o OUT, --trace FILE, --measure or --plan")
    }
    guard !isMeasured || output == nil else {
      throw Failure.usage("--measure writes nothing; leave out -o")
    }
    if let output = arguments.values["output"], let trace = arguments.values["trace"],
      FilePlace(output) == FilePlace(trace)
    {
      throw Failure.usage("-o and --trace are both \(trace); they need two names")
    }
    // No output may overwrite the scene's own file.
    for (option, name) in [("output", "-o"), ("trace", "--trace")] where path != "-" {
      if let made = arguments.values[option], made != "-", FilePlace(made) == FilePlace(path) {
        throw Failure.usage("\(name) is \(made), which is the scene; take another file")
      }
    }
    guard time == nil || arguments.values["fps"] == nil else {
      throw Failure.usage("--time and --fps exclude each other")
    }
  }

  func run() async throws -> Int32 {
    let pipeline = Pipeline(backend)
    let file: SceneFile
    file =
      try path == "-"
      ? .standardInput(appearance: appearance) : SceneFile(path, appearance: appearance)
    if case .file(let made, _)? = trace {
      let place = FilePlace(made)
      guard !file.shownFiles.contains(where: { FilePlace($0) == place }) else {
        throw Failure.usage("--trace is \(made), which the scene shows; take another file")
      }
    }
    if file.needsVideos, CommandLineTool.videos == nil {
      throw path == "-" ? VideoProgram.start(with: file.text) : VideoProgram.start()
    }
    if showsPlan {
      var job = SceneJob(file: file, moments: .time(time ?? 0), sink: nil)
      job.videos = CommandLineTool.videos
      Console.print("\(try await pipeline.plan(job, at: time ?? 0))")
      return ExitCode.done
    }
    if isDry {
      try check(job(of: file), pipeline)
      return ExitCode.done
    }
    let report = try await ProgressLine.during { line in
      line.say("loading")
      return try await pipeline.render(job(of: file)) { done, frames in
        line.say("frame \(done) of \(frames)")
      }
    }
    Console.report(report.recoveries, of: Self.name)
    if report.hasHardEdges, let output {
      Console.note("frostglass scene: \(output.noteOnHardEdges)")
    }
    if isMeasured, !Console.speaksJSON { Console.print(report.speed) }
    if isVerbose { Console.note("frostglass scene: " + report.account) }
    if Console.speaksJSON {
      let backend = report.backend
      say(
        (report.frames, report.size, backend), report.computedPixels, report.rendering,
        report.copying)
    }
    return ExitCode.done
  }

  /// Says what would be written.
  private func check(_ job: SceneJob, _ pipeline: Pipeline) throws {
    let frames = try pipeline.check(job)
    if Console.speaksJSON {
      say((frames, job.file.size, nil), 0, 0, 0)
    } else {
      let count = "\(frames) frame\(frames == 1 ? "" : "s")"
      Console.print("would write \(output?.name ?? "nothing"): \(count) of \(job.file.size)")
    }
  }

  private func say(
    _ made: (frames: Int, size: Size, backend: String?), _ computed: Int, _ rendering: Double,
    _ copying: Double
  ) {
    Console.print(
      json: [
        ("dryRun", isDry ? "true" : "false"),
        ("output", output.map { $0.name.jsonPath } ?? "null"),
        ("frames", "\(made.frames)"), ("width", "\(made.size.width)"),
        ("height", "\(made.size.height)"),
        ("backend", made.backend.map { JSONText.string($0) } ?? "null"),
        ("computedPixels", "\(computed)"), ("renderSeconds", "\(rendering.rounded(places: 4))"),
        ("copySeconds", "\(copying.rounded(places: 7))"),
      ], of: Self.name)
  }

  private func job(of file: SceneFile) -> SceneJob {
    // A scene that does not last is an image.
    let moments: SceneJob.Moments =
      if let time {
        .time(time)
      } else {
        file.duration > 0 ? .all(framesPerSecond: rate) : .time(0)
      }
    var job = SceneJob(
      file: file, moments: moments, sink: output, format: format, isVideo: isVideo ? true : nil,
      encoding: encoding,
      trace: trace)
    job.videos = CommandLineTool.videos
    return job
  }
}

extension SceneReport {
  /// The speed of rendering frames, in words.
  fileprivate var speed: String {
    let perFrame = max(rendering, 1e-9) / Double(frames)
    return "\(frames) frames of \(size) in \(rendering.rounded(places: 2)) s: "
      + "\((1 / perFrame).rounded(places: 1)) frames per second on \(backend), "
      + "\((perFrame / max(copying, 1e-9)).rounded(places: 2)) times a copy of a frame each; "
      + "\(share) of all pixels were computed"
  }

  fileprivate var account: String {
    "\(frames) frames of \(size) on \(backend) (\(reason)); \(share) of all pixels were computed, "
      + "in \(rendering.rounded(places: 2)) s"
  }

  private var share: String {
    let share = Double(computedPixels) / Double(frames * size.area)
    return "\((share * 100).rounded(places: 1)) %"
  }
}
