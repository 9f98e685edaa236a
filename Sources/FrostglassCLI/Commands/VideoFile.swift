package import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// A video from file to file, whatever is done to it, by the program that has what reads and writes videos.
struct VideoFile {
  /// The options for encoding frames.
  static let options = [
    Option("codec", value: "NAME", "h264, hevc, vp9, av1, prores, ffv1, … (the input's)"),
    Option("crf", value: "N", "Constant quality; lower is better (visually lossless)"),
    Option(
      "speed", value: "S", "Encoder speed, ultrafast … veryslow (medium)",
      choices: VideoEncoding.Speed.allCases.map(\.rawValue)),
  ].grouped(.writing)

  /// The command that messages name.
  var command: String
  var job: VideoJob
  /// The regions, for the labels in messages and reports.
  var mask: RegionOptions?
  /// Remarks for the user before the work begins.
  var remarks: [String] = []
  var backend: BackendOptions

  /// Says which options are for images alone.
  ///
  /// - Parameter what: by which it is told that a video is meant.
  static func refuseImages(_ arguments: ParsedArguments, _ what: String) throws(Failure) {
    let pictures = [
      "dry-run", "effort", "format", "frame", "memory", "output-quality", "profile", "review",
      "strip",
    ]
    for option in pictures + Resize.options.map(\.name) where arguments.has(option) {
      // Videos have a sheet of what is found, too.
      if option == "review", arguments.has("find") { continue }
      throw .usage("--\(option) is for images, and \(what) is for videos")
    }
  }

  /// Returns the job for a video.
  static func job(
    _ input: String, to output: String, _ arguments: ParsedArguments, _ recipe: Recipe,
    maxPixels: Int
  ) throws(Failure) -> VideoJob {
    var job = VideoJob(input, to: output, recipe, maxPixels: maxPixels)
    job.overwrite = arguments.has("overwrite")
    (job.matrix, job.range) = (try arguments.matrix(), try arguments.range())
    job.encoding = VideoEncoding(
      codec: arguments.values["codec"], quality: try arguments.number("crf", in: 0...63),
      speed: arguments.has("speed") ? try arguments.choice("speed", default: .medium) : nil)
    return job
  }

  /// Why an option of frames between pipes is not taken of files.
  static func refusal(ofPipes option: String) -> String {
    let isLive = LivePipe.options.contains { $0.name == option }
    return "--\(option) is for frames between pipes, - and -"
      + (isLive ? ", and of cameras" : "; files say so themselves")
  }

  /// Refuses an image's name for a video that is made from file to file.
  static func refuse(picture output: String, of input: String) throws(Failure) {
    guard VideoName.isVideo(input), (try? StillFormat.toWrite(path: output)) != nil else { return }
    throw .usage(
      "\(input) is a video and \(output) an image; write a video such as out.mp4, and `frostglass video out.mp4 "
        + "\(output) --filter none` makes images of that")
  }

  /// Takes the video to its end, or becomes the program that can.
  func run() async throws(Failure) -> VideoReport {
    guard let videos = CommandLineTool.videos else { throw VideoProgram.start() }
    for remark in remarks { say(remark) }
    let start = ContinuousClock.now
    let report: VideoReport
    do {
      report = try await ProgressLine.during { line async throws(VideoFileError) in
        let (pace, passes) = (Pace(), PassTimes(start))
        return try await videos.run(job, on: Pipeline(backend)) { progress in
          let now = ContinuousClock.now
          let time = passes.time(of: progress.pass, at: now)
          if pace.isDue(now) { line.say(progress.words(after: time)) }
        } note: { words in
          say(words)
        }
      }
    } catch { throw failure(error) }
    if let mask, let size = report.size {
      for note in mask.notes(in: size, scale: job.recipe.options.scale) { say(note) }
    }
    if let masks = report.masks, let words = masks.misfit(after: report.moments.last) {
      say("warning: \(words)")
    }
    Console.report(report.recoveries, of: command)
    say(
      "\(VideoPipe.words(report.frames, start.duration(to: .now))), "
        + (report.bytes.map { "\(ByteCount($0)), " } ?? "")
        + "\(report.encoders.joined(separator: " and ")), on \(report.backend)")
    return report
  }

  /// The same for one video, and what programs are told of it.
  func runAlone() async throws(Failure) -> VideoReport {
    let start = ContinuousClock.now
    let report = try await run()
    if Console.speaksJSON {
      let row = row(of: report)
      Console.print(
        json: ImagesReport(rows: [row], duration: start.duration(to: .now)).members, of: command)
    }
    return report
  }

  /// Returns the row of the video that was written.
  func row(of report: VideoReport) -> ImageRow {
    var row = ImageRow(
      input: job.input, output: job.output, status: .done, size: report.size, frames: report.frames)
    row.backend = report.backend
    row.covered = mask?.labels ?? []
    return row
  }

  /// Returns the exit code for a video that was written.
  ///
  /// - Throws: `Failure` if parts of the input were damaged, although the video was written.
  static func exitCode(of report: VideoReport, _ job: VideoJob) throws(Failure) -> Int32 {
    guard let damage = damage(in: report) else { return ExitCode.done }
    throw Failure(
      "\(job.input): \(damage); what could be read of it is in \(job.output)", .badData)
  }

  /// Such as `1 packet or frame is damaged`; `nil` where none is.
  private static func damage(in report: VideoReport) -> String? {
    guard report.damaged > 0 else { return nil }
    return report.damaged == 1
      ? "1 packet or frame is damaged" : "\(report.damaged) packets or frames are damaged"
  }

  /// Why a batch does not write a video; `nil` where it does.
  ///
  /// With `--resume` a name stands for a video that is done.
  static func reasonNotToWrite(_ report: VideoReport) -> String? {
    damage(in: report).map {
      "\($0), so a batch writes nothing of it; given alone, what can be read of it is written"
    }
  }

  /// Has the video get its name only where no part of it is damaged.
  mutating func demandWholeness() {
    job.accepting = { [input = job.input] report throws(VideoFileError) in
      if let reason = VideoFile.reasonNotToWrite(report) {
        throw VideoFileError.badFile(path: input, reason)
      }
    }
  }

  /// Refuses what has a video's name, and data of no image, where an image is read.
  ///
  /// - Parameter advice: what does take it.
  static func refuse(asImage input: String, _ advice: String) throws(Failure) {
    guard VideoName.isVideo(input), FileIdentity(file: input) != nil,
      access(input.systemPath, R_OK) == 0, BatchInput(path: input, name: input).format == nil
    else { return }
    throw Failure("\(input): this is a video by its name, and no image; \(advice)", .badData)
  }

  private func failure(_ error: VideoFileError) -> Failure {
    if case .renderer(let error) = error, let refusal = mask?.refusal(error) { return refusal }
    return error.failure
  }

  private func say(_ words: String) { Console.note("frostglass \(command): \(words)") }
}

extension VideoFileError: ErrorWithFailure {
  var failure: Failure {
    switch self {
    case .usage: .usage("\(self)")
    case .badFile, .unsupported, .tracks: Failure("\(self)", .badData)
    case .unreadable: Failure("\(self)", .noInput)
    case .unwritable(let error): FrostglassError.encode(error).failure
    case .failed: Failure("\(self)", .software)
    case .unavailable: Failure("\(self)", .unavailable)
    case .renderer(let error): error.failure
    }
  }
}

extension VideoJob {
  /// Has the recipe act where tracks say, and where its own mask does in every frame.
  mutating func follow(_ tracks: TrackOptions, in recipe: Recipe) {
    let base = recipe.options.mask ?? Mask([])
    self.recipe.options.mask = base
    keeping.otherVideos = false
    masks = { [scale = recipe.options.scale] size, rate throws(VideoError) in
      try tracks.masks(beside: base, size: size, scale: scale, rate: rate)
    }
  }
}

extension ParsedArguments {
  /// Returns the value of `--matrix`; `nil` if it is not given.
  func matrix() throws(Failure) -> YCbCrFormat.Matrix? {
    has("matrix") ? try choice("matrix", default: .bt709) : nil
  }

  /// Returns the value of `--range`; `nil` if it is not given.
  func range() throws(Failure) -> YCbCrFormat.Levels? {
    has("range") ? try choice("range", default: .narrow) : nil
  }
}

/// The program that reads and writes videos: this command with libav in it.
enum VideoProgram {
  static let name = "frostglass-video"

  /// The program's path; `nil` if it is not installed.
  static var path: String? { SiblingProgram.path(name) }

  /// The description that `doctor` prints.
  static var words: String {
    if let videos = CommandLineTool.videos { return "videos as files, by \(videos.libraries)" }
    guard let path else { return "pipes alone; videos as files take the package \(name)" }
    return "videos as files, by \(path)"
  }

  /// Becomes it, with the same words, and with what has been read of standard input there once more.
  ///
  /// - Returns: why not.
  static func start(with input: String) -> Failure {
    let bytes = Array(input.utf8)
    guard let file = tmpfile(), fwrite(bytes, 1, bytes.count, file) == bytes.count,
      fflush(file) == 0, lseek(fileno(file), 0, SEEK_SET) == 0,
      dup2(fileno(file), STDIN_FILENO) >= 0
    else { return Failure("standard input cannot be handed on", .software) }
    return start()
  }

  /// Becomes it, with the same words.
  ///
  /// - Returns: why not.
  static func start() -> Failure {
    guard let path else {
      return Failure(
        "videos are read and written by the program \(name), which is not here; install the package of "
          + "that name, or give - and - and have ffmpeg read and write them", .unavailable)
    }
    var words = ([strdup(path.systemPath)] + CommandLineTool.words) + [nil]
    execv(path.systemPath, &words)
    return Failure("\(path): cannot be started (\(systemWords(errno)))", .unavailable)
  }
}

extension VideoProgress {
  /// Returns the progress of a video, in words: `pass 1 of 2: 120 frames, 60.0 a second, 25 %, 6 s left`.
  ///
  /// - Parameter time: the time that this pass has taken.
  package func words(after time: Duration) -> String {
    var text = passes > 1 ? "pass \(pass) of \(passes): " : ""
    text += VideoPipe.words(frames, time)
    if let total, total > frames {
      let left = time * (Double(total - frames) / Double(max(frames, 1)))
      text += ", \(frames * 100 / total) %, \(left.inWords) left"
    }
    if let bytes { text += ", \(ByteCount(bytes))" }
    return text
  }
}

/// The starts of the passes over a video's frames, which differ in speed.
package final class PassTimes: Sendable {
  private struct State {
    var pass = 1
    var begin: ContinuousClock.Instant
    /// The time of the last report.
    var last: ContinuousClock.Instant
  }

  private let state: Mutex<State>

  /// - Parameter begin: when the first one begins.
  package init(_ begin: ContinuousClock.Instant) {
    state = Mutex(State(begin: begin, last: begin))
  }

  /// Records a report of a pass, and returns the time that the pass has taken.
  package func time(of pass: Int, at now: ContinuousClock.Instant) -> Duration {
    state.withLock { state in
      // One begins where the one before ends.
      if pass > state.pass { (state.pass, state.begin) = (pass, state.last) }
      state.last = now
      return state.begin.duration(to: now)
    }
  }
}
