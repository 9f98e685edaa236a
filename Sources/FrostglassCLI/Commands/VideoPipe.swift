internal import Frostglass
internal import FrostglassCamera
internal import FrostglassCore
internal import FrostglassOptions
internal import Glibc
internal import Synchronization

/// Frames of a video from standard input to standard output, whatever is done to them.
struct VideoPipe {
  /// The options for colors, also of files.
  static let colors: [Option] = [
    Option(
      "matrix", value: "M", "Y'CbCr matrix (bt709 from 720 rows on, else bt601)",
      choices: YCbCrFormat.Matrix.allCases.map(\.rawValue)),
    Option(
      "range", value: "R", "Y'CbCr range of unmarked frames: narrow, full (narrow)",
      choices: YCbCrFormat.Levels.allCases.map(\.rawValue)),
  ].grouped(.reading)
  /// The options for frames that do not describe themselves.
  static let reading: [Option] =
    colors
    + [
      Option("size", value: "WxH", "Size of raw frames"),
      Option(
        "pixel-format", value: "NAME", "Read raw frames of this format, such as yuv420p",
        details: "Formats have FFmpeg's names.",
        choices: FrameLayout.raw.map(\.name)),
      Option("rate", value: "N|N/M", "Frames per second of raw frames"),
    ].grouped(.reading)
  /// The options for writing frames.
  static let writing = [
    Option("to", value: "FORM", "Output form: y4m or raw (the input's)", choices: ["y4m", "raw"])
      .grouped(.writing)
  ]

  /// The work on the frames.
  struct Work {
    /// The command that messages name.
    var command: String
    var recipe: Recipe
    var mask: RegionOptions?
    var tracks: TrackOptions?
    var maxPixels: Int
    var backend: BackendOptions

    /// Says something on standard error, after the command's name.
    fileprivate func say(_ words: String) { VideoPipe.say(words, command) }
  }

  private static func say(_ words: String, _ command: String) {
    Console.note("frostglass \(command): \(words)")
  }

  /// The outcome of the work.
  struct Done {
    /// The moments of all frames, in order.
    var moments: [FrameMoment]
    /// The masks that the frames were made with, if these differ between frames.
    var masks: TrackMasks?
    var size: Size
  }

  private let matrix: YCbCrFormat.Matrix?
  private let range: YCbCrFormat.Levels?
  private let raw: RawFrames?
  private let live: LivePipe?
  private let rate: FrameRate?
  private let writesY4M: Bool

  /// The format of raw frames.
  private struct RawFrames {
    var size: Size
    var layout: FrameLayout
  }

  /// - Parameters:
  ///   - hasTracks: whether times may count, so that y4m without a rate can be given one.
  ///   - live: where frames do not wait.
  init(
    _ arguments: ParsedArguments, hasTracks: Bool, live: LivePipe? = nil
  ) throws(Failure) {
    self.live = live
    (matrix, range) = (try arguments.matrix(), try arguments.range())
    let isCamera = arguments.operands.first.map(LivePipe.isCamera) ?? false
    raw = isCamera ? nil : try Self.raw(arguments, hasTracks)
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

  /// The source of the frames, and what is known about them.
  private struct Origin {
    var source: any LiveSource
    /// `nil` of a camera.
    var reader: FrameReader?
    var size: Size
    var layout: FrameLayout
    /// That of the video, or what it is taken for; `nil` where nobody knows.
    var matrix: YCbCrFormat.Matrix?
    var rate: FrameRate?

    init(_ reader: FrameReader) {
      (source, self.reader) = (reader, reader)
      (size, layout, rate) = (reader.size, reader.layout, reader.header?.rate)
    }

    init(_ camera: Camera) {
      (source, size, layout) = (camera, camera.size, camera.layout)
      rate = camera.rate
      if case .planes(let format) = layout.content { matrix = format.matrix }
    }
  }

  /// Takes frames to the end.
  func run(_ work: Work) async throws(Failure) -> Done {
    let camera = try live?.open()
    do { return try await runFrames(work, camera) } catch {
      throw error.failure(of: work.mask)
    }
  }

  private func origin(_ camera: Camera?) throws(VideoError) -> Origin {
    if let camera { return Origin(camera) }
    if let raw {
      return Origin(FrameReader(raw: STDIN_FILENO, size: raw.size, layout: raw.layout))
    }
    return Origin(try FrameReader(y4m: STDIN_FILENO))
  }

  private func runFrames(_ work: Work, _ camera: Camera?) async throws(VideoError) -> Done {
    let origin = try origin(camera)
    let look = try look(of: origin, work)
    let masks = try masks(look, work)
    let renderer = try await VideoRenderer(
      work.recipe, for: look.layout, size: look.size, masks: masks, on: Pipeline(work.backend))
    if let camera { say(of: camera, work) }
    say(of: look, renderer, masks, work)
    let sender = FrameSender(STDOUT_FILENO, header: header(origin))
    let ran = try await run(origin, renderer, sender, look, camera, work)
    let moments = ran.written.joined().map { FrameMoment(index: $0, rate: look.rate) }
    if let words = masks?.misfit(after: moments.last) { work.say("warning: \(words)") }
    Console.report(ran.recoveries, of: work.command)
    work.say("\(ran.words), on \(renderer.backend)")
    return Done(moments: moments, masks: masks, size: look.size)
  }

  /// The properties of frames: those that the frames or the options tell, and defaults.
  private struct Look {
    var size: Size
    var layout: FrameLayout
    var matrix: YCbCrFormat.Matrix
    /// True if neither frames nor options tell the matrix.
    var guessesMatrix: Bool
    var rate: FrameRate?
  }

  /// - Throws: `VideoError.unsupported` for frames of more pixels than are allowed.
  private func look(of origin: Origin, _ work: Work) throws(VideoError) -> Look {
    let size = origin.size
    guard size.area <= work.maxPixels else {
      throw .unsupported(
        "\(size) pixels are more than the allowed \(work.maxPixels); --max-pixels "
          + "\(size.area) allows them")
    }
    let matrix = self.matrix ?? origin.matrix
    let chosen = matrix ?? (size.height >= 720 ? .bt709 : .bt601)
    let layout = origin.layout.with(
      matrix: chosen, range: range ?? origin.reader?.header?.range ?? origin.layout.range)
    return Look(
      size: size, layout: layout, matrix: chosen, guessesMatrix: matrix == nil,
      rate: rate ?? origin.rate)
  }

  /// Returns the masks of the tracks for each frame; `nil` without tracks.
  private func masks(_ look: Look, _ work: Work) throws(VideoError) -> TrackMasks? {
    guard let tracks = work.tracks else { return nil }
    let options = work.recipe.options
    return try tracks.masks(
      beside: options.mask ?? Mask([]), size: look.size, scale: options.scale, rate: look.rate)
  }

  /// Says what the camera gives.
  private func say(of camera: Camera, _ work: Work) {
    let pace = camera.rate.map {
      " at \((Double($0.frames) / Double($0.seconds)).rounded(places: 2)) a second"
    }
    work.say(
      "frames of \(camera.size) as \(camera.format.rawValue)\(pace ?? ", taken for 30 a second")")
  }

  /// Says what a person should know before the first frame.
  private func say(
    of look: Look, _ renderer: VideoRenderer, _ masks: TrackMasks?, _ work: Work
  ) {
    for note in masks?.remarks ?? [] { work.say(note) }
    if let mask = work.mask {
      for note in mask.notes(in: look.size, scale: work.recipe.options.scale) { work.say(note) }
    }
    if renderer.usesMatrix, look.guessesMatrix {
      work.say(
        "colors are taken for \(look.matrix.rawValue), as frames of \(look.size.height) rows mostly are; "
          + "--matrix says otherwise")
    }
  }

  /// The outcome of processing the frames.
  private struct Ran {
    /// The ranges of input frames that were written.
    var written: [Range<Int>]
    var recoveries: [Recovery]
    /// The summary for the last line.
    var words: String
  }

  /// Takes frames to the end: those that do not wait, or every one.
  private func run(
    _ origin: Origin, _ renderer: VideoRenderer, _ sender: FrameSender, _ look: Look,
    _ camera: Camera?, _ work: Work
  ) async throws(VideoError) -> Ran {
    if let live {
      let command = work.command
      let run = LiveRun(
        origin.source, renderer, sender, rate: look.rate, pace: live.pace,
        said: { Self.say(LivePipe.words($0), command) })
      Interruption.onFirst { run.stop() }
      let done = try await run.run()
      let broken = camera.map { $0.broken > 0 ? ", \($0.broken) broken" : "" } ?? ""
      return Ran(
        written: done.written, recoveries: done.recoveries,
        words: LivePipe.words(ofAll: done.account) + broken)
    }
    guard let reader = origin.reader else { throw .unsupported("frames of a camera do not wait") }
    let start = ContinuousClock.now
    let (frames, recoveries) = try await ProgressLine.during { line async throws(VideoError) in
      let pace = Pace()
      return try await VideoRun(reader, renderer, sender, rate: look.rate).run { frames in
        let now = ContinuousClock.now
        if pace.isDue(now) { line.say(Self.words(frames, start.duration(to: now))) }
      }
    }
    return Ran(
      written: [0..<frames], recoveries: recoveries,
      words: Self.words(frames, start.duration(to: .now)))
  }

  /// The first line to write; `nil` for raw frames.
  private func header(_ origin: Origin) -> Y4MHeader? {
    guard writesY4M else { return nil }
    if let header = origin.reader?.header { return header }
    let rate = rate ?? origin.rate ?? (origin.reader == nil ? FrameRate(30, in: 1) : nil)
    guard let rate, let layout = origin.layout.inY4M else { return nil }
    let own = origin.reader == nil ? origin.layout.range : layout.range
    return Y4MHeader(size: origin.size, layout: layout, rate: rate, range: range ?? own)
  }

  /// Returns the number of frames done, and the number per second, in words.
  static func words(_ frames: Int, _ time: Duration) -> String {
    let rate = Double(frames) / max(time / .seconds(1), 1e-6)
    return "\(frames) frame\(frames == 1 ? "" : "s"), \(rate.rounded(places: 1)) a second"
  }
}

extension VideoError {
  /// Returns the failure that a command reports and exits with.
  ///
  /// - Parameter mask: the regions, for the labels in messages.
  func failure(of mask: RegionOptions?) -> Failure {
    switch self {
    case .badStream, .unsupported, .truncated, .tracks: Failure("\(self)", .badData)
    case .unreadable, .device: Failure("\(self)", .noInput)
    case .unwritable: Failure("\(self)", .cannotCreate)
    case .renderer(let error): mask?.refusal(error) ?? error.failure
    }
  }
}

extension ParsedArguments {
  /// Returns the frame size that `--size` gives; `nil` if it is not given.
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

/// Frames that do not wait: those of a camera, or of a pipe whose other end gives them as they happen.
struct LivePipe {
  static let options: [Option] = [
    Option("live", "Process live frames; skip to the newest when behind"),
    Option(
      "fps", value: "N|N/M", "Frames per second of a camera, or limit for --live"
    ),
    Option(
      "camera-format", value: "F", "Camera pixel format (the fastest that it offers)",
      choices: CameraFormat.allCases.map(\.rawValue)),
  ].grouped(.reading)

  /// The most frames per second that are taken from a pipe.
  let pace: FrameRate?
  private let camera: (path: String, request: Camera.Request)?

  /// `nil` where nothing is live.
  init?(_ arguments: ParsedArguments) throws(Failure) {
    let path = arguments.operands.first.flatMap { Self.isCamera($0) ? $0 : nil }
    guard path != nil || arguments.has("live") else {
      for option in ["fps", "camera-format"] where arguments.has(option) {
        throw .usage(
          option == "fps"
            ? "--fps is for cameras and for --live; a video keeps its rate, and --rate tells that of raw frames"
            : "--camera-format is for cameras, such as /dev/video0")
      }
      return nil
    }
    let rate = try Self.rate(arguments)
    guard let path else {
      guard !arguments.has("camera-format") else {
        throw .usage("--camera-format is for cameras, such as /dev/video0")
      }
      (camera, pace) = (nil, rate)
      return
    }
    for option in ["pixel-format", "rate"] where arguments.has(option) {
      throw .usage(
        "--\(option) is for raw frames; a camera has --\(option == "rate" ? "fps" : "camera-format")"
      )
    }
    let format: CameraFormat? =
      arguments.has("camera-format") ? try arguments.choice("camera-format", default: .yuyv) : nil
    camera = (
      path, Camera.Request(size: try arguments.frameSize(), rate: rate, format: format)
    )
    // It gives no more than it was asked for.
    pace = nil
  }

  private static func rate(_ arguments: ParsedArguments) throws(Failure) -> FrameRate? {
    guard let text = arguments.values["fps"] else { return nil }
    guard let rate = FrameRate(text: text) else {
      throw .usage("--fps is \(text); it must be such as 25, 29.97 or 30000/1001")
    }
    return rate
  }

  /// Returns true if a path is that of a Video4Linux device, whether it exists or not.
  static func isCamera(_ path: String) -> Bool {
    if path.hasPrefix("/dev/video") || path.hasPrefix("/dev/v4l/") { return true }
    var status = stat()
    guard stat(path.systemPath, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
      return false
    }
    return status.st_rdev >> 8 & 0xFFF == 81
  }

  /// Has the camera give frames; `nil` where frames come through a pipe.
  func open() throws(Failure) -> Camera? {
    guard let camera else { return nil }
    do { return try Camera(camera.path, camera.request) } catch {
      switch error {
      case .missing, .unreadable, .noCamera, .failed: throw Failure("\(error)", .noInput)
      case .notOffered: throw .usage("\(error)")
      }
    }
  }

  /// Returns the summary of a second, in words.
  static func words(_ second: LiveMeter.Account) -> String {
    let rate = Double(second.frames) / max(second.span / .seconds(1), 1e-6)
    return "\(rate.rounded(places: 1)) frames a second, \(latency(second))\(second.dropped) dropped"
  }

  /// Returns the summary of the whole run, in words.
  static func words(ofAll account: LiveMeter.Account) -> String {
    let longest = account.longest.map { "longest \($0.millisecondsText) ms, " } ?? ""
    let all = account.frames + account.dropped
    return "\(VideoPipe.words(account.frames, account.span)), \(latency(account))\(longest)"
      + "\(account.dropped) of \(all) dropped"
  }

  private static func latency(_ account: LiveMeter.Account) -> String {
    guard let median = account.median, let p99 = account.p99 else { return "" }
    return "latency \(median.millisecondsText) ms, 99 % within \(p99.millisecondsText) ms, "
  }
}
