internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass find`: lists the faces in images and videos.
struct FindCommand: Command {
  static let name = "find"
  static let summary = "Find faces in images and videos"
  static let operands = "INPUT… [OUTPUT.json|OUTPUT.csv]  |  VIDEO [OUTPUT]"
  static let notes = """
    OUTPUT lists a box for each face, with its score and five points; --regions of other commands reads
    it. Without OUTPUT the list goes to standard output. Boxes include a margin for hair and ears:

      frostglass find photo.jpg faces.json --review seen.png
      frostglass redact photo.jpg safe.jpg --regions faces.json

    For a video OUTPUT lists tracks, which --tracks of other commands reads:

      frostglass find film.mp4 faces.json --review seen.png
      frostglass redact film.mp4 safe.mp4 --tracks faces.json --spread-frames 0 --grow-motion 0

    redact --find does both steps in one:

      frostglass redact photo.jpg safe.jpg --find faces

    No detector finds every face: dark, small, turned and partly covered ones are missed most; see
    docs/use/find.md. The sheet of --review shows what is covered, then what was detected but is not.
    Nobody is identified.

    If no face reaches --find-score, nothing is written and the exit code is 65, unless --allow-none is
    given. Exit code 69: frostglass-find or its models are not installed.
    """
  static let options: [Option] =
    FindOptions.search + [
      Option(
        "to", value: "NAME", "Format of OUTPUT (by its extension, or json)",
        choices: FoundFile.Form.allCases.map(\.rawValue)
      ).grouped(.writing),
      Review.option, .overwrite, .maxPixels, .memory, .frame,
      Option("recursive", "Include subdirectories").grouped(.reading),
      .json, .quiet,
    ]

  private enum Work {
    case images(ImageFind)
    case video(VideoFindRequest)
  }

  private let work: Work

  init(_ arguments: ParsedArguments) throws {
    work =
      try VideoFindRequest(arguments).map(Work.video) ?? Work.images(ImageFind(arguments))
  }

  func run() async throws -> Int32 {
    switch work {
    case .images(let images): try await images.run()
    case .video(let video): try await video.run()
    }
  }
}

/// The faces of some images.
private struct ImageFind {
  private let inputs: BatchInputs
  private let output: StillSink
  private let form: FoundFile.Form
  private let search: ImageSearch
  private let review: Review?
  private let decoding: DecodeOptions
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws {
    self.arguments = arguments
    var names = arguments.operands
    var path: String?
    if names.count > 1, let last = names.last, last == "-" || FoundFile.Form(path: last) != nil {
      path = names.removeLast()
    }
    guard !names.isEmpty else {
      throw Failure.usage("INPUT is needed; see `frostglass find --help`")
    }
    let named = path.flatMap { FoundFile.Form(path: $0) }
    form = arguments.has("to") ? try arguments.choice("to", default: .json) : named ?? .json
    if let path, path != "-" {
      try arguments.checkOutputs([path])
      for name in names where FilePlace(name) == FilePlace(path) {
        throw Failure.usage("OUTPUT is \(path), which is an INPUT; take another file")
      }
      output = .file(path, overwrite: arguments.has("overwrite"))
    } else {
      guard !arguments.has("overwrite") || arguments.has("review") else {
        throw Failure.usage("--overwrite is for OUTPUT, which is not given")
      }
      guard !arguments.has("json") else {
        throw Failure.usage("--json and - as output exclude each other: both are standard output")
      }
      output = .standardOutput
    }
    for name in names {
      try VideoFile.refuse(asImage: name, "`frostglass find` takes images")
    }
    if names.contains("-") {
      throw Failure.usage("- is standard input, which has no name to find again; give a file")
    }
    inputs = try BatchInputs(names, recursive: arguments.has("recursive"), output: "")
    decoding = try arguments.decoding()
    review = try Review(arguments, scale: 1)
    guard let search = try ImageSearch(arguments, isAsked: true) else {
      throw Failure("nothing is searched for", .software)
    }
    self.search = search
  }

  func run() async throws -> Int32 {
    try output.preflight()
    try review?.check(1, beside: arguments.namedFiles(but: "review"))
    var lines =
      inputs.obstacles.map { "\($0.path): cannot be read (\($0.reason))" }
      + inputs.empty.map { "\($0): there are no images in this directory" }
    var found: [FoundFile.Entry] = []
    for picture in inputs.pictures {
      do throws(Failure) {
        let record = try await search.record(of: .file(picture.path), decoding)
        found.append(FoundFile.Entry(path: picture.path, record: record))
        if inputs.pictures.count > 1, record.found.covered.isEmpty {
          Console.note("frostglass find: \(picture.path): no face was found")
        }
      } catch {
        let isOfAll = error.kind == .usage || error.kind == .unavailable
        guard inputs.pictures.count > 1, !isOfAll else { throw error }
        lines.append(contentsOf: error.lines)
      }
    }
    guard lines.isEmpty else { throw Failure(lines: lines, .badData) }
    let records = found.map(\.record)
    guard search.options.allowsNone || records.contains(where: { !$0.found.covered.isEmpty }) else {
      let name = found.count == 1 ? found[0].path : "\(found.count) images"
      throw search.options.nothing(in: name, records)
    }
    try output.save(FoundFile(entries: found).text(form))
    try review?.write(found.map { Review.ImageEntry($0) })
    Console.note("frostglass find: \(FindRecord.words(records, hint: Review.hint(review != nil)))")
    if Console.speaksJSON {
      Console.print(json: FoundFile(entries: found).report, of: FindCommand.name)
    }
    return ExitCode.done
  }
}
