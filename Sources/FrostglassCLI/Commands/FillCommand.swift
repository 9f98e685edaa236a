internal import Frostglass

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
  static let options: [Option] = [
    Option("size", value: "WxH", "The canvas in pixels, such as 1080x1920"),
    Option("aspect", value: "W:H", "The canvas's shape, such as 9:16"),
    Option("sigma", value: "N|N%", "Blur of the copy: standard deviation (4%)"),
    Option("dim", value: "0…1", "How much darker the copy is; 1 is black (0.2)"),
    Option("saturation", value: "N", "How colorful the copy is; 0 is gray, up to 10 (1)"),
    Option("radius", value: "N|N%", "Rounds the image's corners (0)"),
    Option("shadow", value: "0…1", "How black the image's shadow is (0)"),
    Option("margin", value: "N|N%", "Room around the image (0)"),
    Option("align", value: "SIDE", "The image at the center, top, bottom, left or right (center)"),
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
      letterbox: try Self.letterbox(arguments),
      sink: StillSink(
        operand: arguments.operands[1], overwrite: arguments.has("overwrite")),
      format: try arguments.outputFormat(), background: try arguments.background(),
      decoding: try arguments.decoding(), encoding: try arguments.encoding())
    backend = try arguments.backend()
  }

  private static func letterbox(_ arguments: ParsedArguments) throws(Failure) -> Letterbox {
    var letterbox = Letterbox(try canvas(arguments))
    letterbox.sigma = try arguments.sigma("sigma") ?? letterbox.sigma
    letterbox.dim = try arguments.number("dim", in: 0...1) ?? letterbox.dim
    letterbox.saturation =
      try arguments.number("saturation", in: 0...10) ?? letterbox.saturation
    letterbox.shadow = try arguments.number("shadow", in: 0...1) ?? letterbox.shadow
    letterbox.radius = try length("radius", arguments) ?? letterbox.radius
    letterbox.margin = try length("margin", arguments) ?? letterbox.margin
    letterbox.alignment = try arguments.choice("align", default: letterbox.alignment)
    return letterbox
  }

  private static func canvas(_ arguments: ParsedArguments) throws(Failure) -> Letterbox.Canvas {
    switch (arguments.values["size"], arguments.values["aspect"]) {
    case (let text?, nil):
      let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        .map { Int($0) ?? 0 }
      guard sides.count == 2, sides.allSatisfy({ (1...1_000_000).contains($0) }) else {
        throw .usage("--size is \(text); it must be a width and a height, such as 1080x1920")
      }
      return .size(Size(width: sides[0], height: sides[1]))
    case (nil, let text?):
      let sides = text.split(separator: ":", omittingEmptySubsequences: false)
        .map { Double($0) ?? 0 }
      guard sides.count == 2, sides.allSatisfy({ $0 > 0 && $0.isFinite }),
        (0.001...1000).contains(sides[0] / sides[1])
      else {
        throw .usage(
          "--aspect is \(text); it must be a width to a height, such as 9:16, from 1:1000 to "
            + "1000:1")
      }
      return .aspect(width: sides[0], height: sides[1])
    case (nil, nil): throw .usage("give one of --size WxH and --aspect W:H")
    case (_?, _?): throw .usage("--size and --aspect exclude each other")
    }
  }

  private static func length(
    _ name: String, _ arguments: ParsedArguments
  ) throws(Failure) -> Length? {
    guard let text = arguments.values[name] else { return nil }
    guard let length = Length(text: text), length.value >= 0 else {
      throw .usage("--\(name) is \(text); it must be pixels or %, such as 24 or 3%, 0 or more")
    }
    return length
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
    return ExitCode.done
  }
}
