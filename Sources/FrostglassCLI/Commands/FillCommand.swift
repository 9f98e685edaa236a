internal import Frostglass
internal import FrostglassOptions

/// `frostglass fill`: a picture on a canvas of another shape, before its own blurred copy.
struct FillCommand: Command {
  static let name = "fill"
  static let summary = "Put an image on a canvas of another shape, before its own blurred copy"
  static let operands = "INPUT OUTPUT"
  static let notes = """
    One of --size and --aspect is required. With --size the image is scaled to fit; with --aspect it
    keeps its pixels, and the canvas is the smallest of that shape around it. Percentages refer to
    the canvas's shorter side. - is standard input or output. For example:

      frostglass fill photo.jpg story.jpg --size 1080x1920
      frostglass fill photo.jpg card.png --aspect 1:1 --margin 6% --radius 3% --shadow 0.5
    """
  static let options: [Option] =
    Letterbox.options + [
      .backend, .device, .gpuMemory, .format, .outputQuality, .strip, .overwrite,
      .background, .maxPixels, .memory, .profile, .frame,
    ]

  private let job: FillJob
  private let backend: BackendOptions

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.count == 2 else {
      throw .usage("INPUT and OUTPUT are needed; see `frostglass fill --help`")
    }
    job = FillJob(
      source: StillSource(operand: arguments.operands[0]),
      letterbox: try Letterbox(arguments),
      sink: StillSink(
        operand: arguments.operands[1], overwrite: arguments.has("overwrite")),
      format: try arguments.outputFormat(), background: try arguments.background(),
      decoding: try arguments.decoding(), encoding: try arguments.encoding())
    backend = try arguments.backend()
  }

  func run() async throws(Failure) -> Int32 {
    let pipeline = Pipeline(backend)
    let filled = try await ProgressLine.during { line throws(Failure) in
      do throws(FrostglassError) {
        return try await pipeline.fill(job) { stage in line.say(stage.gerund) }
      } catch { throw error.failure }
    }
    Console.report(filled.recoveries, of: Self.name)
    if filled.framesLeftOut > 0 {
      Console.error(
        "frostglass fill: \(job.source.name) has \(filled.framesLeftOut + 1) frames, "
          + "\(job.sink.name) holds the first; --frame N takes another")
    }
    let notes = [
      filled.input.note(on: job.source.name), job.sink.note(onMissing: filled.metadataLeftOut),
    ]
    for note in notes.compactMap({ $0 }) { Console.error("frostglass fill: \(note)") }
    return ExitCode.done
  }
}
