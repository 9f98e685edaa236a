internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass fill`: an image on a canvas of another shape, before its own blurred copy.
struct FillCommand: Command {
  static let name = "fill"
  static let summary =
    "Letterbox an image or video over a blurred copy of itself"
  static let operands = "INPUT OUTPUT  |  INPUT… --out-dir DIR [--recursive] [--resume]"
  static let notes = """
    One of --size and --aspect is required. With --size the image is scaled to fit; with --aspect it
    keeps its pixels, and the canvas is the smallest of that shape around it. Percentages are of the
    canvas's shorter side. - is standard input or output. For example:

      frostglass fill photo.jpg story.jpg --size 1080x1920
      frostglass fill photo.jpg card.png --aspect 1:1 --margin 6% --radius 3% --shadow 0.5
      frostglass fill photos --recursive --out-dir stories --size 1080x1920

    A video keeps its sound, times and everything else but its rotation: frames are upright, have square
    pixels, and are encoded as `frostglass video` does.

      frostglass fill in.mp4 vertical.mp4 --size 1080x1920
    """
  static let options: [Option] =
    Letterbox.options + [
      .backend, .device, .gpuMemory, .format, .outputQuality, .effort, .strip, .overwrite,
      .background, .maxPixels, .memory, .profile, .frame, Batch.threads,
    ] + VideoFile.options + Option.manners + Batch.options
    + Batch.listOptions

  private let operands: [String]
  private let batch: Batch?
  private let letterbox: Letterbox
  private let format: StillFormat?
  private let background: Color
  private let decoding: DecodeOptions
  private let encoding: EncodeOptions
  private let overwrite: Bool
  private let threads: Int
  private let backend: BackendOptions
  private let isDry: Bool
  /// The video to fill, if one is given.
  private let video: VideoFile?
  /// The batch of videos to fill, if these are given.
  private let videos: VideoBatch?
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws {
    format = try arguments.outputFormat()
    letterbox = try Letterbox(arguments)
    background = try arguments.background()
    decoding = try arguments.decoding()
    encoding = try arguments.encoding()
    overwrite = arguments.has("overwrite")
    operands = arguments.operands
    threads = try arguments.threads()
    isDry = try arguments.isDryRun(writing: operands.dropFirst())
    var backend = try arguments.backend()
    backend.threads = threads
    self.backend = backend
    videos = try VideoBatch(arguments, of: Self.self, takesVideosAlone: false)
    if videos != nil { try VideoFile.refuseImages(arguments, "--out-dir of videos") }
    batch =
      if videos == nil, try arguments.isBatch(takes: Batch.demands) {
        try Batch(arguments, of: Self.self, format: format)
      } else { nil }
    guard videos != nil || batch != nil || operands.count == 2 else {
      throw Failure.usage("INPUT and OUTPUT are needed; see `frostglass fill --help`")
    }
    video =
      operands.count == 2 && batch == nil && videos == nil
      ? try Self.video(arguments, letterbox, backend) : nil
    self.arguments = arguments
  }

  /// Returns the video to make if a name or an option indicates one, otherwise `nil`.
  private static func video(
    _ arguments: ParsedArguments, _ letterbox: Letterbox, _ backend: BackendOptions
  ) throws -> VideoFile? {
    let names = arguments.operands
    let option = VideoFile.options.first { arguments.has($0.name) }
    guard names.contains(where: { VideoName.isVideo($0) }) || option != nil else { return nil }
    guard VideoName.isVideo(names[1]), names[0] != "-" else {
      try VideoFile.refuse(picture: names[1], of: names[0])
      throw Failure.usage(
        (option.map { "--\($0.name) is for videos, which" } ?? "videos")
          + " go from file to file, such as in.mp4 and out.mp4")
    }
    try VideoFile.refuseImages(arguments, names[1])
    let maxPixels = try arguments.decoding().maxPixels
    return VideoFile(
      command: name,
      job: try Self.job(names[0], to: names[1], arguments, letterbox, maxPixels), backend: backend)
  }

  private static func job(
    _ input: String, to output: String, _ arguments: ParsedArguments, _ letterbox: Letterbox,
    _ maxPixels: Int
  ) throws -> VideoJob {
    var job = try VideoFile.job(input, to: output, arguments, Recipe([]), maxPixels: maxPixels)
    job.letterbox = letterbox
    return job
  }

  private func filling(_ source: StillSource, _ sink: StillSink) -> FillJob {
    FillJob(
      source: source, letterbox: letterbox, sink: sink, format: format, background: background,
      decoding: decoding, encoding: encoding)
  }

  func run() async throws -> Int32 {
    if let batch {
      return try await batch.run(backend: backend, threads: threads) {
        source, sink in .task(BatchTask(filling: filling(source, sink)))
      }
    }
    if let video { return try VideoFile.exitCode(of: try await video.runAlone(), video.job) }
    if let videos {
      return try await videos.run { input, output in
        let job = try Self.job(input, to: output, arguments, letterbox, decoding.maxPixels)
        return .video(VideoFile(command: Self.name, job: job, backend: backend))
      }
    }
    let job = filling(
      StillSource(operand: operands[0]), StillSink(operand: operands[1], overwrite: overwrite))
    let pipeline = Pipeline(backend)
    let start = ContinuousClock.now
    if isDry {
      let checked = try pipeline.check(job)
      let row = ImageRow(
        input: job.source.name, output: job.sink.name, status: .planned, size: checked.sizes[0],
        frames: checked.frames[0])
      if let note = job.sink.note(onFormat: job.format) {
        Console.note("frostglass fill: \(note)")
      }
      ImagesReport.say([row], since: start, Self.name)
      return ExitCode.done
    }
    let filled = try await ProgressLine.during { line in
      return try await pipeline.fill(job) { stage in line.say(stage.gerund) }
    }
    Console.report(filled.recoveries, of: Self.name)
    for note in filled.notes(about: job) { Console.note("frostglass fill: \(note)") }
    if Console.speaksJSON {
      let report = ImagesReport(rows: [filled.row(of: job)], duration: start.duration(to: .now))
      Console.print(json: report.members, of: Self.name)
    }
    return ExitCode.done
  }
}

extension FillReport {
  /// Returns the row of the image that was written.
  func row(of job: FillJob) -> ImageRow {
    ImageRow(
      input: job.source.name, output: job.sink.name, status: .done, size: geometry.canvas,
      frames: frames)
  }

  /// Returns notes for the user on what of the image is missing in the output.
  func notes(about job: FillJob) -> [String] {
    let frames =
      framesLeftOut > 0
      ? "\(job.source.name) has \(framesLeftOut + 1) frames, \(job.sink.name) holds the first; "
        + "--frame N takes another, a GIF, WebP or APNG file all"
      : nil
    let written = [
      job.sink.note(onFormat: job.format), job.sink.note(onMissing: metadataLeftOut),
    ]
    return [frames].compactMap { $0 } + input.notes(on: job.source.name)
      + written.compactMap { $0 }
  }
}
