internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass find film.mp4 tracks.json`: says where faces are in each frame of a film.
struct FilmFindRequest {
  private let film: String
  private let output: StillSink
  private let format: TracksFormat
  private let search: FilmSearch
  private let review: Review?
  private let maxPixels: Int
  private let arguments: ParsedArguments

  /// - Returns: `nil` where no film is given.
  init?(_ arguments: ParsedArguments) throws {
    let names = arguments.operands
    guard let film = names.first(where: FilmName.isFilm) else { return nil }
    guard names.count <= 2, names[0] == film, names.count == 1 || !FilmName.isFilm(names[1]) else {
      throw Failure.usage(
        "\(film) is a video; give one video, and a name such as faces.json for its tracks")
    }
    for option in ["frame", "memory", "recursive"] where arguments.has(option) {
      throw Failure.usage("--\(option) is for images, and \(film) is a video")
    }
    let path = names.count == 2 && names[1] != "-" ? names[1] : nil
    let named = path.flatMap { FoundFile.Form(path: $0) }
    guard path == nil || named != nil || arguments.has("to") else {
      throw Failure.usage(
        "\(names[1]): nothing tells the form to write; give a name that ends with .json or .csv, or --to"
      )
    }
    let form: FoundFile.Form =
      arguments.has("to") ? try arguments.choice("to", default: .json) : named ?? .json
    format =
      switch form {
      case .json: .json
      case .coco: .cocoVideo
      case .csv: .csv
      }
    if let path {
      try arguments.checkOutputs([path])
      output = .file(path, overwrite: arguments.has("overwrite"))
    } else {
      guard !arguments.has("json") else {
        throw Failure.usage("--json and - as output exclude each other: both are standard output")
      }
      output = .standardOutput
    }
    guard let search = try FilmSearch(arguments, isAsked: true) else {
      throw Failure("nothing is searched for", .software)
    }
    (self.film, self.search, self.arguments) = (film, search, arguments)
    review = try Review(arguments, scale: 1)
    maxPixels = try arguments.decoding().maxPixels
  }

  func run() async throws -> Int32 {
    guard let films = CommandLineTool.films else { throw FilmProgram.start() }
    try output.preflight()
    try review?.check(1, beside: arguments.namedFiles(but: "review"))
    let backend = BackendOptions(.fast)
    let outcome = try await search.run(film, by: films, on: backend, for: FindCommand.name)
    let sheet = FilmReview(outcome)
    try review?.check(sheet.count, beside: arguments.namedFiles(but: "review"))
    let written: WrittenTracks
    do throws(RegionsError) { written = try WrittenTracks(outcome.tracks, as: format) } catch {
      throw Failure("\(film): \(error)", error.kind)
    }
    for file in written.files { try output.save(file.text) }
    for loss in written.losses {
      Console.note("frostglass find: \(format.rawValue) does not hold \(loss)")
    }
    if let review {
      try await sheet.write(
        of: film, maxPixels: maxPixels, by: films, on: Pipeline(backend), to: review)
    }
    search.say(
      outcome.found, outcome.found.words(hasSheet: review != nil), for: FindCommand.name)
    if Console.speaksJSON {
      Console.print(
        json: [
          ("input", film.jsonPath), ("frames", "\(outcome.frames)"),
          ("found", search.json(outcome)),
        ], of: FindCommand.name)
    }
    return ExitCode.done
  }
}
