internal import Frostglass
internal import FrostglassOptions

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
    place; with --tracks what a tracker or an annotation tool has followed, frame by frame. This hides
    nothing for good; `frostglass redact - - --tracks FILE` does.

    Exit codes are those of `frostglass blur`; 65 also stands for a stream that ends within a frame,
    of which the frames before are written.
    """
  static let options: [Option] =
    RecipeOptions.table.filter { !["frame", "memory", "profile"].contains($0.name) }
    + TrackOptions.table.grouped(.place) + FilmPipe.reading + FilmPipe.writing
    + [.backend, .device, .gpuMemory, Batch.threads]

  private let recipe: RecipeOptions
  private let backend: BackendOptions
  private let pipe: FilmPipe
  private let tracks: TrackOptions?

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
    tracks = try TrackOptions(arguments, toRedact: false)
    pipe = try FilmPipe(arguments, hasTracks: tracks != nil)
  }

  func run() async throws(Failure) -> Int32 {
    _ = try await pipe.run(
      FilmPipe.Work(
        command: Self.name, recipe: recipe.recipe, mask: recipe.mask, tracks: tracks,
        maxPixels: recipe.decoding.maxPixels, backend: backend))
    return ExitCode.done
  }
}
