internal import Frostglass
internal import FrostglassOptions
internal import Glibc
internal import Synchronization

/// Frames of a film from standard input to standard output, whatever is done to them.
struct FilmPipe {
  /// What colors are like, of files too.
  static let colors: [Option] = [
    Option(
      "matrix", value: "M", "Of frames in planes (bt709 from 720 rows on, else bt601)",
      choices: YCbCrFormat.Matrix.allCases.map(\.rawValue)),
    Option(
      "range", value: "R", "narrow or full, where frames do not tell (narrow)",
      choices: YCbCrFormat.Levels.allCases.map(\.rawValue)),
  ].grouped(.reading)
  /// What frames are like, where they do not tell.
  static let reading: [Option] =
    colors
    + [
      Option("size", value: "WxH", "Of raw frames"),
      Option(
        "pixel-format", value: "NAME", "Input is raw frames, by ffmpeg's names, such as yuv420p",
        choices: FrameLayout.raw.map(\.name)),
      Option("rate", value: "N|N/M", "Frames per second, where frames do not tell"),
    ].grouped(.reading)
  /// How frames are written.
  static let writing = [
    Option("to", value: "FORM", "y4m or raw (as the input)", choices: ["y4m", "raw"])
      .grouped(.writing)
  ]

  /// What is done to the frames.
  struct Work {
    /// Whose words are said.
    var command: String
    var recipe: Recipe
    var mask: RegionOptions?
    var tracks: TrackOptions?
    var maxPixels: Int
    var backend: BackendOptions
  }

  /// What was done.
  struct Done {
    /// Of all frames, in order.
    var moments: [FrameMoment]
    /// Of which they were made, where these differ.
    var masks: TrackMasks?
    var size: Size
  }

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

  /// - Parameter hasTracks: whether times may count, so that y4m without a rate can be given one.
  init(_ arguments: ParsedArguments, hasTracks: Bool) throws(Failure) {
    (matrix, range) = (try arguments.matrix(), try arguments.range())
    raw = try Self.raw(arguments, hasTracks)
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

  private static func raw(
    _ arguments: ParsedArguments, _ hasTracks: Bool
  ) throws(Failure) -> RawFrames? {
    guard let name = arguments.values["pixel-format"] else {
      for option in hasTracks ? ["size"] : ["size", "rate"] where arguments.has(option) {
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
    guard let size = try arguments.frameSize() else {
      throw .usage("raw frames need --size WxH")
    }
    return RawFrames(size: size, layout: layout)
  }

  private static func rate(_ arguments: ParsedArguments) throws(Failure) -> FrameRate? {
    guard let text = arguments.values["rate"] else { return nil }
    guard let rate = FrameRate(text: text) else {
      throw .usage("--rate is \(text); it must be such as 25, 29.97 or 30000/1001")
    }
    return rate
  }

  /// Takes frames to the end.
  func run(_ work: Work) async throws(Failure) -> Done {
    do throws(VideoError) { return try await runFrames(work) } catch {
      throw error.failure(of: work.mask)
    }
  }

  private func runFrames(_ work: Work) async throws(VideoError) -> Done {
    let reader: FrameReader
    if let raw {
      reader = FrameReader(raw: STDIN_FILENO, size: raw.size, layout: raw.layout)
    } else {
      reader = try FrameReader(y4m: STDIN_FILENO)
    }
    let size = reader.size
    guard size.area <= work.maxPixels else {
      throw .unsupported(
        "\(size) pixels are more than the allowed \(work.maxPixels); --max-pixels "
          + "\(size.area) allows them")
    }
    let chosen = matrix ?? (size.height >= 720 ? .bt709 : .bt601)
    let layout = reader.layout.with(
      matrix: chosen, range: range ?? reader.header?.range ?? reader.layout.range)
    let rate = rate ?? reader.header?.rate
    let scale = work.recipe.options.scale
    var masks: TrackMasks?
    if let tracks = work.tracks {
      masks = try tracks.masks(
        beside: work.recipe.options.mask ?? Mask([]), size: size, scale: scale, rate: rate)
    }
    let renderer = try await VideoRenderer(
      work.recipe, for: layout, size: size, masks: masks, on: Pipeline(work.backend))
    func say(_ words: String) { Console.note("frostglass \(work.command): \(words)") }
    for note in masks?.remarks ?? [] { say(note) }
    if let mask = work.mask { for note in mask.notes(in: size, scale: scale) { say(note) } }
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
    let moments = (0..<done.frames).map { FrameMoment(index: $0, rate: rate) }
    if let words = masks?.misfit(after: moments.last) { say("warning: \(words)") }
    Console.report(done.recoveries, of: work.command)
    say("\(Self.words(done.frames, start.duration(to: .now))), on \(renderer.backend)")
    return Done(moments: moments, masks: masks, size: size)
  }

  /// The first line to write; `nil` for raw frames.
  private func header(_ reader: FrameReader) -> Y4MHeader? {
    guard writesY4M else { return nil }
    if let header = reader.header { return header }
    guard let rate, let layout = reader.layout.inY4M else { return nil }
    return Y4MHeader(size: reader.size, layout: layout, rate: rate, range: range ?? layout.range)
  }

  /// How many frames are done, and how many a second.
  static func words(_ frames: Int, _ time: Duration) -> String {
    let rate = Double(frames) / max(time / .seconds(1), 1e-6)
    return "\(frames) frame\(frames == 1 ? "" : "s"), \(rate.rounded(places: 1)) a second"
  }
}

extension VideoError {
  /// What a command says and exits with.
  ///
  /// - Parameter mask: of which names are known.
  func failure(of mask: RegionOptions?) -> Failure {
    switch self {
    case .badStream, .unsupported, .truncated, .tracks: Failure("\(self)", .badData)
    case .unreadable: Failure("\(self)", .noInput)
    case .unwritable: Failure("\(self)", .cannotCreate)
    case .renderer(let error): mask?.refusal(error) ?? error.failure
    }
  }
}

extension ParsedArguments {
  /// What `--size` says of frames.
  func frameSize() throws(Failure) -> Size? {
    guard let text = values["size"] else { return nil }
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      (1...1_000_000).contains(width), (1...1_000_000).contains(height)
    else { throw .usage("--size is \(text); it must be WxH, such as 1920x1080") }
    return Size(width: width, height: height)
  }
}

/// Says a few times a second that it is time for a word.
final class Pace: Sendable {
  private let last = Mutex(ContinuousClock.now)

  func isDue(_ now: ContinuousClock.Instant) -> Bool {
    last.withLock { last in
      guard last.duration(to: now) > .milliseconds(200) else { return false }
      last = now
      return true
    }
  }
}
