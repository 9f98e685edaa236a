internal import Frostglass
internal import FrostglassOptions
internal import Glibc
internal import Synchronization

/// `frostglass video`: frames of a film from standard input to standard output.
struct VideoCommand: Command {
  static let name = "video"
  static let summary = "Blur the frames of a film, between two other programs"
  static let operands = "- -"
  static let notes = """
    Frames come as y4m and go as y4m: - and - are standard input and output. ffmpeg reads and writes
    files beside it, for example:

      ffmpeg -i in.mp4 -f yuv4mpegpipe -strict -1 - | frostglass video - - --sigma 20 |
        ffmpeg -i - out.mp4

    The stream's first line and what stands in the lines before frames go on as they came, and with
    plain blurs every byte outside of regions. Raw frames have no line that tells what they are; --size,
    --pixel-format and, where y4m is to be written, --rate do. --to says how frames are written, where
    that is not as they came.

    One of --sigma, --style, --filter and --preset is required. Plain blurs work on planes of brightness
    and color differences as they are; everything else needs --matrix, which y4m does not tell. Interlaced
    frames are refused.

    With --region, --regions or --mask only what they cover is blurred, in every frame at the same
    place. This hides nothing for good.

    Exit codes are those of `frostglass blur`; 65 also stands for a stream that ends within a frame,
    of which the frames before are written.
    """
  static let options: [Option] =
    RecipeOptions.table.filter { !["frame", "memory", "profile"].contains($0.name) }
    + [
      Option(
        "matrix", value: "M", "Of frames in planes (bt709 from 720 rows on, else bt601)",
        choices: YCbCrFormat.Matrix.allCases.map(\.rawValue)),
      Option(
        "range", value: "R", "narrow or full, where frames do not tell (narrow)",
        choices: YCbCrFormat.Levels.allCases.map(\.rawValue)),
      Option("size", value: "WxH", "Of raw frames"),
      Option(
        "pixel-format", value: "NAME", "Input is raw frames, by ffmpeg's names, such as yuv420p",
        choices: FrameLayout.raw.map(\.name)),
      Option("rate", value: "N|N/M", "Frames per second of raw frames"),
    ].grouped(.reading)
    + [
      Option("to", value: "FORM", "y4m or raw (as the input)", choices: ["y4m", "raw"])
        .grouped(.writing), .backend, .device, .gpuMemory, Batch.threads,
    ]

  private let recipe: RecipeOptions
  private let backend: BackendOptions
  private let matrix: YCbCrFormat.Matrix?
  private let range: YCbCrFormat.Levels?
  private let raw: RawFrames?
  private let rate: FrameRate?
  private let writesY4M: Bool

  /// What raw frames are like.
  private struct RawFrames {
    var size: Size
    var layout: FrameLayout
  }

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands == ["-", "-"] else {
      throw .usage(
        "standard input and output, - and -, are needed: frames come and go through pipes; see "
          + "`frostglass video --help`")
    }
    recipe = try RecipeOptions(arguments)
    var backend = try arguments.backend()
    backend.threads = try arguments.threads()
    self.backend = backend
    matrix = arguments.has("matrix") ? try arguments.choice("matrix", default: .bt709) : nil
    range = arguments.has("range") ? try arguments.choice("range", default: .narrow) : nil
    raw = try Self.raw(arguments)
    rate = try Self.rate(arguments)
    switch arguments.values["to"] {
    case nil: writesY4M = raw == nil
    case "y4m": writesY4M = true
    case "raw": writesY4M = false
    case let word?: throw .usage("--to is \(word); it must be y4m or raw")
    }
    guard let raw, writesY4M else { return }
    guard rate != nil else { throw .usage("--to y4m needs --rate N, which raw frames do not tell") }
    guard raw.layout.inY4M != nil else {
      throw .usage(
        "y4m has no frames as \(raw.layout.name) has them; leave --to y4m out, or convert them first"
      )
    }
  }

  private static func raw(_ arguments: ParsedArguments) throws(Failure) -> RawFrames? {
    guard let name = arguments.values["pixel-format"] else {
      for option in ["size", "rate"] where arguments.has(option) {
        throw .usage("--\(option) is for raw frames, which --pixel-format NAME announces")
      }
      return nil
    }
    let names = FrameLayout.raw.map(\.name)
    guard let layout = FrameLayout.raw.first(where: { $0.name == name }) else {
      throw .usage(
        "--pixel-format is \(name)\(DidYouMean.hint(for: name, in: names)); it must be one of "
          + names.joined(separator: ", "))
    }
    guard let text = arguments.values["size"] else {
      throw .usage("raw frames need --size WxH")
    }
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      (1...1_000_000).contains(width), (1...1_000_000).contains(height)
    else { throw .usage("--size is \(text); it must be WxH, such as 1920x1080") }
    return RawFrames(size: Size(width: width, height: height), layout: layout)
  }

  private static func rate(_ arguments: ParsedArguments) throws(Failure) -> FrameRate? {
    guard let text = arguments.values["rate"] else { return nil }
    guard let rate = FrameRate(text: text) else {
      throw .usage("--rate is \(text); it must be such as 25, 29.97 or 30000/1001")
    }
    return rate
  }

  func run() async throws(Failure) -> Int32 {
    do throws(VideoError) { return try await runFrames() } catch { throw failure(error) }
  }

  private func runFrames() async throws(VideoError) -> Int32 {
    let reader: FrameReader
    if let raw {
      reader = FrameReader(raw: STDIN_FILENO, size: raw.size, layout: raw.layout)
    } else {
      reader = try FrameReader(y4m: STDIN_FILENO)
    }
    let size = reader.size
    guard size.area <= recipe.decoding.maxPixels else {
      throw .unsupported(
        "\(size) pixels are more than the allowed \(recipe.decoding.maxPixels); --max-pixels "
          + "\(size.area) allows them")
    }
    let chosen = matrix ?? (size.height >= 720 ? .bt709 : .bt601)
    let layout = reader.layout.with(
      matrix: chosen, range: range ?? reader.header?.range ?? reader.layout.range)
    let renderer = try await VideoRenderer(
      recipe.recipe, for: layout, size: size, on: Pipeline(backend))
    if let mask = recipe.mask {
      for note in mask.notes(in: size, scale: recipe.recipe.options.scale) { say(note) }
    }
    if renderer.usesMatrix, matrix == nil {
      say(
        "colors are taken for \(chosen.rawValue), as frames of \(size.height) rows mostly are; "
          + "--matrix says otherwise")
    }
    let sender = FrameSender(STDOUT_FILENO, header: header(reader))
    let start = ContinuousClock.now
    let done = try await ProgressLine.during { line async throws(VideoError) in
      let pace = Pace()
      return try await VideoRun(reader, renderer, sender, rate: rate).run { frames in
        let now = ContinuousClock.now
        if pace.isDue(now) { line.say(Self.words(frames, start.duration(to: now))) }
      }
    }
    Console.report(done.recoveries, of: Self.name)
    say("\(Self.words(done.frames, start.duration(to: .now))), on \(renderer.backend)")
    return ExitCode.done
  }

  /// The first line to write; `nil` for raw frames.
  private func header(_ reader: FrameReader) -> Y4MHeader? {
    guard writesY4M else { return nil }
    if let header = reader.header { return header }
    guard let rate, let layout = reader.layout.inY4M else { return nil }
    return Y4MHeader(size: reader.size, layout: layout, rate: rate, range: range ?? layout.range)
  }

  private static func words(_ frames: Int, _ time: Duration) -> String {
    let rate = Double(frames) / max(time / .seconds(1), 1e-6)
    return "\(frames) frame\(frames == 1 ? "" : "s"), \(rate.rounded(places: 1)) a second"
  }

  private func say(_ words: String) { Console.error("frostglass \(Self.name): \(words)") }

  private func failure(_ error: VideoError) -> Failure {
    switch error {
    case .badStream, .unsupported, .truncated, .tracks: Failure("\(error)", .badData)
    case .unreadable: Failure("\(error)", .noInput)
    case .unwritable: Failure("\(error)", .cannotCreate)
    case .renderer(let error): recipe.mask?.refusal(error) ?? error.failure
    }
  }
}

/// Says a few times a second that it is time for a word.
private final class Pace: Sendable {
  private let last = Mutex(ContinuousClock.now)

  func isDue(_ now: ContinuousClock.Instant) -> Bool {
    last.withLock { last in
      guard last.duration(to: now) > .milliseconds(200) else { return false }
      last = now
      return true
    }
  }
}
