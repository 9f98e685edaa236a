internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import FrostglassOptions
internal import Glibc

/// `frostglass video`: films from file to file, or frames from standard input to standard output.
struct VideoCommand: Command {
  static let name = "video"
  static let summary = "Blur a film, or the frames of one between two other programs"
  static let operands = "IN OUT  |  - -"
  static let notes = """
    A film keeps its sound, subtitles, chapters, times, colors and tags; docs/video.md has the whole table.
    OUT says by its ending what kind of file it is, also .gif, .webp and, with one --time, pictures; it
    appears whole or not at all. Frames are encoded
    as they were, with the same depth and sampling, unless --codec says otherwise. Reading and writing
    films is a program of its own, frostglass-video, which this command starts.

      frostglass video in.mp4 out.mp4 --sigma 20 --region 100,100,200,80
      frostglass video in.mov cut.mkv --style dark --time 10..20 --codec ffv1

    Between pipes frames come as y4m and go as y4m: - and - are standard input and output. ffmpeg reads
    and writes files beside it, for example:

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
    place; with --tracks what a tracker or an annotation tool has followed, frame by frame. This hides
    nothing for good; `frostglass redact - - --tracks FILE` does.

    Exit codes are those of `frostglass blur`; 65 also stands for a stream that ends within a frame,
    of which the frames before are written, and for a film with damaged packets, of which the rest is.
    69 says that frostglass-video is not there.
    """
  static let options: [Option] =
    RecipeOptions.table.filter { !["frame", "memory", "profile"].contains($0.name) }
    + TrackOptions.table.grouped(.place) + FilmPipe.reading + FilmPipe.writing + Self.filmOptions
    + [.backend, .device, .gpuMemory, Batch.threads]

  /// Those of films alone.
  private static let filmOptions =
    [
      Option(
        "time", value: "A..B",
        "Of a film this part alone: 10..20, 1:30..; one moment is a picture: 3.5"
      )
      .grouped(.reading),
      Option("codec", value: "NAME", "h264, hevc, vp9, av1, prores, ffv1, … (the film's own)"),
      Option("crf", value: "N", "The encoder's constant quality; smaller is better (hard to tell)"),
      Option(
        "speed", value: "S", "Of the encoder: ultrafast … medium … veryslow (medium)",
        choices: FilmEncoding.Speed.allCases.map(\.rawValue)), .overwrite,
    ].grouped(.writing)

  private let recipe: RecipeOptions
  private let backend: BackendOptions
  private let pipe: FilmPipe
  private let tracks: TrackOptions?
  /// What is asked for from file to file; `nil` between pipes.
  private let film: FilmJob?

  init(_ arguments: ParsedArguments) throws(Failure) {
    let names = arguments.operands
    guard names.count == 2, (names[0] == "-") == (names[1] == "-") else {
      throw .usage(
        "IN and OUT are needed, or - and -: a film goes from file to file, and frames from standard "
          + "input to standard output; see `frostglass video --help`")
    }
    recipe = try RecipeOptions(arguments)
    film = names[0] == "-" ? nil : try Self.film(arguments, recipe)
    let others =
      film == nil ? Self.filmOptions.map(\.name) : ["size", "pixel-format", "rate", "to"]
    if let option = others.first(where: { arguments.has($0) }) {
      throw .usage(
        film == nil
          ? "--\(option) is for films from file to file, and these are frames between pipes"
          : "--\(option) is for frames between pipes, - and -; files say so themselves")
    }
    var backend = try arguments.backend()
    backend.threads = try arguments.threads()
    self.backend = backend
    tracks = try TrackOptions(arguments, toRedact: false)
    guard film == nil || tracks == nil else {
      throw .usage(
        "--tracks is for frames between pipes, - and -: ffmpeg -i \(names[0]) -f yuv4mpegpipe -strict -1 - "
          + "| frostglass video - - --tracks FILE | ffmpeg -i - \(names[1])")
    }
    pipe = try FilmPipe(arguments, hasTracks: tracks != nil)
  }

  private static func film(
    _ arguments: ParsedArguments, _ recipe: RecipeOptions
  ) throws(Failure) -> FilmJob {
    var job = FilmJob(
      arguments.operands[0], to: arguments.operands[1], recipe.recipe,
      maxPixels: recipe.decoding.maxPixels)
    job.overwrite = arguments.has("overwrite")
    job.matrix = arguments.has("matrix") ? try arguments.choice("matrix", default: .bt709) : nil
    job.range = arguments.has("range") ? try arguments.choice("range", default: .narrow) : nil
    job.encoding = FilmEncoding(
      codec: arguments.values["codec"], quality: try arguments.number("crf", in: 0...63),
      speed: arguments.has("speed") ? try arguments.choice("speed", default: .medium) : nil)
    guard let text = arguments.values["time"] else { return job }
    if let moment = FilmSpan.seconds(text) {
      guard (try? StillFormat.toWrite(path: job.output)) != nil else {
        throw .usage(
          "--time is \(text), one moment, which is a picture, and \(job.output) is none; give two times such "
            + "as 10..20, or a name such as still.png")
      }
      job.moment = moment
    } else if let span = FilmSpan(text: text) {
      job.span = span
    } else {
      throw .usage(
        "--time is \(text); it must be two times such as 10..20, 1:30..2:00 or 5.5.., or one for a picture"
      )
    }
    return job
  }

  func run() async throws(Failure) -> Int32 {
    if let film { return try await run(film) }
    _ = try await pipe.run(
      FilmPipe.Work(
        command: Self.name, recipe: recipe.recipe, mask: recipe.mask, tracks: tracks,
        maxPixels: recipe.decoding.maxPixels, backend: backend))
    return ExitCode.done
  }

  /// A film from file to file, by the program that has what reads and writes it.
  private func run(_ job: FilmJob) async throws(Failure) -> Int32 {
    guard let films = CommandLineTool.films else { throw FilmProgram.start() }
    let start = ContinuousClock.now
    let report: FilmReport
    do throws(FilmError) {
      report = try await ProgressLine.during { line async throws(FilmError) in
        let pace = Pace()
        return try await films.run(job, on: Pipeline(backend)) { progress in
          let now = ContinuousClock.now
          if pace.isDue(now) { line.say(Self.words(progress, start.duration(to: now))) }
        } note: { words in
          Self.say(words)
        }
      }
    } catch { throw failure(error) }
    Console.report(report.recoveries, of: Self.name)
    Self.say(
      "\(FilmPipe.words(report.frames, start.duration(to: .now))), "
        + (report.bytes.map { "\(ByteCount($0)), " } ?? "")
        + "\(report.encoders.joined(separator: " and ")), on \(report.backend)")
    guard report.damaged > 0 else { return ExitCode.done }
    let many =
      report.damaged == 1 ? "1 packet or frame is" : "\(report.damaged) packets or frames are"
    throw Failure(
      "\(job.input): \(many) damaged; what could be read of it is in \(job.output)", .badData)
  }

  private static func words(_ progress: FilmProgress, _ time: Duration) -> String {
    var text = FilmPipe.words(progress.frames, time)
    if let total = progress.total, total > progress.frames {
      let left = time * (Double(total - progress.frames) / Double(max(progress.frames, 1)))
      text += ", \(progress.frames * 100 / total) %, \(left.inWords) left"
    }
    return text + ", \(ByteCount(progress.bytes))"
  }

  private func failure(_ error: FilmError) -> Failure {
    switch error {
    case .usage: .usage("\(error)")
    case .badFile, .unsupported: Failure("\(error)", .badData)
    case .unreadable: Failure("\(error)", .noInput)
    case .unwritable(let error): FrostglassError.encode(error).failure
    case .failed: Failure("\(error)", .software)
    case .renderer(let error): recipe.mask?.refusal(error) ?? error.failure
    }
  }

  private static func say(_ words: String) { Console.error("frostglass \(name): \(words)") }
}

/// The program that reads and writes films: this command with libav in it.
enum FilmProgram {
  static let name = "frostglass-video"

  /// Where it is: beside this program, where packages put it, or where `PATH` says; `nil` where it is not.
  static var path: String? {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &own, own.count)
    let folder = Folder.parent(
      of: String(systemPath: own.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }))
    let places = getenv("PATH").map {
      String(systemPath: $0).split(separator: ":").map(String.init)
    }
    return ([folder, "\(folder)/../libexec/frostglass"] + (places ?? []))
      .map { "\($0)/\(name)" }.first { access($0.systemPath, X_OK) == 0 }
  }

  /// What `doctor` says of it.
  static var words: String {
    if let films = CommandLineTool.films { return "films as files, by \(films.libraries)" }
    guard let path else { return "pipes alone; films as files take the package \(name)" }
    return "films as files, by \(path)"
  }

  /// Becomes it, with the same words.
  ///
  /// - Returns: why not.
  static func start() -> Failure {
    guard let path else {
      return Failure(
        "films are read and written by the program \(name), which is not here; install the package of "
          + "that name, or give - and - and have ffmpeg read and write them", .unavailable)
    }
    var words = ([strdup(path.systemPath)] + CommandLineTool.words) + [nil]
    execv(path.systemPath, &words)
    return Failure("\(path): cannot be started (\(String(cString: strerror(errno))))", .unavailable)
  }
}
