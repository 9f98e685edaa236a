internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import FrostglassOptions
internal import Glibc

/// `frostglass video`: videos from file to file, or frames from standard input to standard output.
struct VideoCommand: Command {
  static let name = "video"
  static let summary = "Blur a video file, or raw frames from stdin to stdout"
  static let operands =
    "IN OUT  |  - -  |  /dev/video0 -  |  IN… --out-dir DIR [--recursive] [--resume]"
  static let notes = """
    Keeps sound, subtitles, chapters, times, colors and tags of a video; docs/use/video.md has the table.
    OUT's extension decides the container; .gif and .webp are accepted, and, with one --time, image
    formats. OUT is published when it is complete. Frames are encoded with the same codec, depth and
    sampling, unless --codec names another codec. Files are read and written by a separate program,
    frostglass-video, which this command starts.

      frostglass video in.mp4 out.mp4 --sigma 20 --region 100,100,200,80
      frostglass video in.mov cut.mkv --style dark --time 10..20 --codec ffv1
      frostglass video films --recursive --out-dir blurred --sigma 20

    Between pipes frames are y4m: - and - are standard input and output. ffmpeg can read and write the
    files:

      ffmpeg -i in.mp4 -f yuv4mpegpipe -strict -1 - | frostglass video - - --sigma 20 |
        ffmpeg -i - out.mp4

    The stream header and frame headers are passed on unchanged, and, with plain blurs, every byte
    outside the regions. Raw frames have no header: give --size, --pixel-format and, to write y4m,
    --rate. --to chooses another output form.

    Live frames do not wait: those of a camera (/dev/video0), or of a pipe with --live. If processing
    falls behind, it continues with the newest frame and drops those before. The number of dropped frames
    and the delay of the others are printed each second and at the end; Ctrl-C stops.

      frostglass video /dev/video0 - --sigma 20 --size 1280x720 --fps 30 | ffplay -

    One of --sigma, --style, --filter and --preset is required. Plain blurs process Y'CbCr planes
    directly; other filters need --matrix for y4m. Interlaced frames are refused.

    --region, --regions and --mask limit the blur to the same place in every frame; --tracks follows what
    a tracker or an annotation tool has recorded. A blur can be reversed in part: use `frostglass redact
    in.mp4 out.mp4 --tracks FILE` to hide something.
    --find faces blurs the faces that a detector finds; if it finds none, nothing is written and the exit
    code is 65.

    Exit codes are those of `frostglass blur`. 65 also means a stream that ends within a frame (the
    frames before are written) or a video with damaged packets (the rest is written); 69 means that
    frostglass-video is not installed.
    """
  static let options: [Option] =
    RecipeOptions.table.filter { !["frame", "memory", "profile"].contains($0.name) }
    + FindOptions.table + TrackOptions.table.grouped(.place) + VideoPipe.reading + LivePipe.options
    + VideoPipe.writing
    + Self.videoOptions + [.backend, .device, .gpuMemory, Batch.threads] + Batch.options

  /// Those of videos alone.
  private static let videoOptions =
    [
      Option(
        "time", value: "A..B",
        "Process this part: 10..20, 1:30..; one image: 3.5",
        details: "In seconds, or minutes and seconds."
      ),
      Option(
        "frames", value: "A..B",
        "Process these frames: 250..500; one image: 87",
        details: "Frames are counted from 0, in the order in which they are shown."
      ),
    ].grouped(.reading) + VideoFile.options + [Option.overwrite].grouped(.writing)

  /// The source and the destination of frames.
  private enum Work {
    case pipe(VideoPipe, TrackOptions?)
    case video(VideoFile)
    case batch(VideoBatch)
  }

  private let arguments: ParsedArguments
  private let recipe: RecipeOptions
  private let backend: BackendOptions
  private let work: Work
  private let search: VideoSearch?

  init(_ arguments: ParsedArguments) throws {
    self.arguments = arguments
    recipe = try RecipeOptions(arguments)
    var backend = try arguments.backend()
    backend.threads = try arguments.threads()
    self.backend = backend
    let names = arguments.operands
    search = try VideoSearch(arguments)
    let batch = try VideoBatch(arguments, of: Self.self, takesVideosAlone: true)
    let isCamera = names.first.map(LivePipe.isCamera) ?? false
    let isPipe = batch == nil && names.count == 2 && names[1] == "-"
    guard batch != nil || names.count == 2 && (names[0] == "-" || isCamera) == isPipe else {
      throw Failure.usage(
        "IN and OUT are needed, or - and -: a video goes from file to file, and frames from standard "
          + "input or a camera to standard output; see `frostglass video --help`")
    }
    let others =
      isPipe
      ? Self.videoOptions.map(\.name)
      : ["size", "pixel-format", "rate", "to"] + LivePipe.options.map(\.name)
    if let option = others.first(where: { arguments.has($0) }) {
      throw Failure.usage(
        isPipe
          ? "--\(option) is for videos from file to file, and these are frames between pipes"
          : VideoFile.refusal(ofPipes: option))
    }
    if search != nil {
      try VideoSearch.check(arguments, isOne: batch == nil && !isPipe)
      try recipe.demandCover()
    }
    if let batch {
      work = .batch(batch)
    } else if isPipe {
      let tracks = try TrackOptions(arguments, toRedact: false)
      let live = try LivePipe(arguments)
      work = .pipe(try VideoPipe(arguments, hasTracks: tracks != nil, live: live), tracks)
    } else {
      try arguments.checkOutputs(names.dropFirst())
      let tracks = try TrackOptions(arguments, toRedact: false)
      work = .video(try Self.video(names[0], to: names[1], arguments, recipe, tracks, backend))
    }
  }

  /// Returns the video to make.
  private static func video(
    _ input: String, to output: String, _ arguments: ParsedArguments, _ recipe: RecipeOptions,
    _ tracks: TrackOptions?, _ backend: BackendOptions
  ) throws -> VideoFile {
    var job = try Self.job(input, to: output, arguments, recipe)
    if let option = ["tracks", "find"].first(where: { arguments.has($0) }) {
      for part in ["time", "frames"] where arguments.has(part) {
        throw Failure.usage(
          "--\(option) counts the frames of a whole video, and --\(part) takes a part; cut it before, or after"
        )
      }
    }
    if let tracks { job.follow(tracks, in: recipe.recipe) }
    return VideoFile(
      command: name, job: job, mask: recipe.mask, remarks: tracks?.remarks ?? [], backend: backend)
  }

  private static func job(
    _ input: String, to output: String, _ arguments: ParsedArguments, _ recipe: RecipeOptions
  ) throws -> VideoJob {
    var job = try VideoFile.job(
      input, to: output, arguments, recipe.recipe, maxPixels: recipe.decoding.maxPixels)
    let isImage = (try? StillFormat.toWrite(path: job.output)) != nil
    if let text = arguments.values["frames"] {
      guard !arguments.has("time") else {
        throw Failure.usage(
          "--time and --frames both say which part of the video is meant; give one")
      }
      guard let frames = FrameSpan(text: text) else {
        throw Failure.usage(
          "--frames is \(text); it must be two numbers such as 250..500 or 250.., or one for an image"
        )
      }
      guard !frames.isOne || isImage else {
        throw Failure.usage(
          "--frames is \(text), one frame, which is an image, and \(job.output) is none; give two numbers such "
            + "as \(text)..\(frames.end ?? 0), or a name such as still.png")
      }
      job.frames = frames
    }
    guard let text = arguments.values["time"] else { return job }
    if let moment = VideoSpan.seconds(text) {
      guard isImage else {
        throw Failure.usage(
          "--time is \(text), one moment, which is an image, and \(job.output) is none; give two times such "
            + "as 10..20, or a name such as still.png")
      }
      job.moment = moment
    } else if let span = VideoSpan(text: text) {
      job.span = span
    } else {
      throw Failure.usage(
        "--time is \(text); it must be two times such as 10..20, 1:30..2:00 or 5.5.., or one for an image"
      )
    }
    return job
  }

  /// Returns the same video, with the faces followed that are found in it.
  private func searched(_ file: VideoFile) async throws -> VideoFile {
    guard let search else { return file }
    guard let videos = CommandLineTool.videos else { throw VideoProgram.start() }
    var file = file
    try StillSink.file(file.job.output, overwrite: file.job.overwrite).preflight()
    let (outcome, tracks) = try await search.run(
      on: &file.job, by: videos, on: backend, toRedact: false)
    file.job.follow(tracks, in: recipe.recipe)
    let found = outcome.found
    search.say(
      found, found.words(hasSheet: false, elsewhere: "`frostglass find --review FILE` shows them"),
      for: Self.name)
    return file
  }

  func run() async throws -> Int32 {
    switch work {
    case .video(let file):
      let file = try await searched(file)
      return try VideoFile.exitCode(of: try await file.runAlone(), file.job)
    case .batch(let batch):
      let tracks = try TrackOptions.each(of: batch.names(), arguments, toRedact: false)
      return try await batch.run { input, output in
        guard tracks[input] != nil || !arguments.has("tracks") else { return .uncovered }
        return .video(try Self.video(input, to: output, arguments, recipe, tracks[input], backend))
      }
    case .pipe(let pipe, let tracks):
      for remark in tracks?.remarks ?? [] { Console.note("frostglass video: \(remark)") }
      _ = try await pipe.run(
        VideoPipe.Work(
          command: Self.name, recipe: recipe.recipe, mask: recipe.mask, tracks: tracks,
          maxPixels: recipe.decoding.maxPixels, backend: backend))
      return ExitCode.done
    }
  }
}
