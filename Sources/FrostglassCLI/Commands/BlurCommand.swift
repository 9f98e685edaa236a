internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// `frostglass blur`: image files in, blurred image files out.
struct BlurCommand: Command {
  static let name = "blur"
  static let summary = "Blur one image, or several into a directory"
  static let operands =
    "INPUT OUTPUT  |  INPUT… --out-dir DIR [--recursive] [--resume]  |  --from FILE --out-dir DIR"
  static let notes = """
    INPUT and OUTPUT are JPEG, PNG, WebP, AVIF, HEIC, JPEG XL, GIF, TIFF, BMP, PPM or PFM files; - is
    standard input or output. GIF, WebP and APNG animations stay animated; other formats hold the first
    frame, or the one that --frame names. One of --sigma, --style, --filter and --preset is required.
    --sigma with --style replaces the style's sigma. `frostglass filters` lists what --filter accepts.
    --save-preset writes filters, edge, quality, scale and linear to a file, and needs no INPUT. Options
    given with --preset override it.

    --region, --regions and --mask limit the blur:
      frostglass blur in.jpg out.jpg --sigma 20 --region 40,30,200,100
      frostglass blur in.jpg out.jpg --sigma 2% --region "ellipse(10%,10%,30%,40%)" --feather 20
      frostglass blur in.jpg out.jpg --sigma 8 --mask person.png --invert --mask-use confine
    A region is X,Y,W,H, ellipse(X,Y,W,H), rounded(X,Y,W,H,RADIUS), continuous(X,Y,W,H,RADIUS),
    polygon(X Y, X Y, X Y…) or gradient(X Y, X Y, EASING), in px, pt or % of width and height, from the
    top left corner of the upright image; see docs/use/regions.md. --find faces blurs the faces that a
    detector finds. A blur can be reversed in part: use `frostglass redact` to hide something.

    --resize, --width and --height resize first: sigma, lengths, regions and masks are in pixels or %
    of the result. Small images are enlarged only with --enlarge:
      frostglass blur in.jpg thumb.webp --resize 300x200 --fit cover --gravity attention --sigma 8

    --also writes one input several times, each with its own filters and the same other options; an
    empty filter list leaves the image as it is:
      frostglass blur in.jpg a.jpg --sigma 20 --also "dark() -> b.webp" --also "-> c.avif"
    `frostglass plan` shows which passes they share. Outputs are published atomically, all or none.

    --out-dir processes several images in parallel, within cores and memory. A failed image does not
    stop the others; failures are listed at the end. After an interruption only whole files are there,
    and --resume does the rest. With --recursive an INPUT may be a directory; hidden files and links to
    directories are skipped. --from reads a list, --shard takes a part of it for one of many machines,
    and --report writes a JSON line for each image:
      frostglass blur --from list.jsonl --shard 3/64 --out-dir out --resume --report 3.jsonl --sigma 12

    Exit codes: 0 success, 64 usage, 65 bad input data or some images of a batch failed, 66 no input,
    69 backend unavailable, 70 internal error, 73 output cannot be written, 75 stopped, or deadline
    exceeded; a shell sees 130 after Ctrl-C.
    """
  static let options: [Option] =
    RecipeOptions.table + FindOptions.table + [RegionOptions.fromMetadata]
    + Resize.options + [
      RecipeOptions.also, .backend, .device, .gpuMemory, .format, .outputQuality, .effort, .strip,
      .overwrite,
      Batch.threads,
      Option(
        "verbose", letter: "v", "Print the backend, why it was chosen, and stage times"
      ).grouped(.running),
    ] + Option.manners + PresetSaving.options + Batch.options + Batch.listOptions

  private let recipe: RecipeOptions
  private let search: ImageSearch?
  private let encoding: EncodeOptions
  private let format: StillFormat?
  private let backend: BackendOptions
  private let threads: Int
  private let verbose: Bool
  private let saving: PresetSaving?
  private let isDry: Bool
  private let work: Work

  /// The work of the command.
  private enum Work {
    case single(StillSource, StillSink, also: [Job.Output])
    case batch(Batch)
    /// Only a preset is saved.
    case nothing
  }

  init(_ arguments: ParsedArguments) throws {
    recipe = try RecipeOptions(arguments)
    encoding = try arguments.encoding()
    format = try arguments.outputFormat()
    threads = try arguments.threads()
    var backend = try arguments.backend()
    backend.threads = threads
    self.backend = backend
    verbose = arguments.has("verbose")
    saving = try PresetSaving(arguments, recipe)
    isDry = try arguments.isDryRun(
      writing: arguments.operands.dropFirst() + arguments.alsoFiles)
    guard !isDry || !arguments.has("find") else { throw ImageSearch.noDryRun }
    search = try ImageSearch(arguments)
    if arguments.has("regions-from"), recipe.decoding.resize != nil {
      throw Failure.usage(
        "--regions-from takes regions of the image as it is, and here it gets another size first; write that with a "
          + "command of its own, after this one")
    }
    if search != nil {
      guard !arguments.has("also") else {
        throw Failure.usage(
          "--also and --find exclude each other, as what --also writes covers nothing that is found; write it with a "
            + "command of its own, with --find")
      }
      try recipe.demandCover()
    }
    let also = try recipe.further(
      arguments, encoding, overwrite: arguments.has("overwrite"))
    if try arguments.isBatch(takes: Batch.demands) {
      let batch = try Batch(arguments, of: Self.self, format: format)
      guard also.isEmpty else { throw Failure.usage("--also and --out-dir exclude each other") }
      work = .batch(batch)
    } else if saving != nil, arguments.operands.isEmpty {
      work = .nothing
    } else {
      work = try Self.single(arguments, also)
    }
  }

  /// Returns the source and the destination of one image.
  private static func single(
    _ arguments: ParsedArguments, _ also: [Job.Output]
  ) throws -> Work {
    let operands = arguments.operands
    guard operands.count == 2 else {
      throw Failure.usage(
        operands.count < 2
          ? "INPUT and OUTPUT are needed; see `frostglass blur --help`"
          : "\(operands.count) names are given; several inputs need --out-dir DIR")
    }
    // An image's name is no video's.
    if (try? StillFormat.toWrite(path: operands[1])) == nil, !arguments.has("format"),
      operands[0] != "-", VideoName.isVideo(operands[1])
    {
      throw Failure.usage(
        "\(operands[1]) is a video's name; `frostglass video \(operands[0]) \(operands[1])` blurs videos"
      )
    }
    if (try? StillFormat.toWrite(path: operands[0])) == nil {
      try VideoFile.refuse(
        asImage: operands[0],
        "`frostglass video \(operands[0]) out.mp4` blurs videos, and with --time 3.5 and a name "
          + "such as out.jpg it makes an image of one moment")
    }
    try arguments.checkOutputs(operands.dropFirst() + arguments.alsoFiles)
    return .single(
      StillSource(operand: operands[0]),
      StillSink(operand: operands[1], overwrite: arguments.has("overwrite")), also: also)
  }

  func run() async throws -> Int32 {
    for remark in recipe.mask?.remarks ?? [] { Console.note("frostglass blur: \(remark)") }
    try saving?.check()
    let exitCode = try await runWork()
    if !isDry { try saving?.save() }
    return exitCode
  }

  private func runWork() async throws -> Int32 {
    switch work {
    case .nothing:
      if Console.speaksJSON {
        Console.print(
          json: ImagesReport(rows: [], isDry: isDry, duration: .zero).members, of: Self.name)
      }
      return ExitCode.done
    case .batch(let batch):
      var regions = recipe.mask.map(BatchRegions.init)
      return try await batch.run(backend: backend, threads: threads) { source, sink in
        let job = job(source, sink)
        let work = try regions?.work(on: source) { [job, search] own in
          let task = { @Sendable (own: RegionOptions) in BatchTask(own.restricted(job), own) }
          return task(own).searched(by: search, for: own.checked(job), beside: own, task)
        }
        return work ?? .task(BatchTask(job, nil))
      }
    case .single(let source, let sink, let also):
      var job = job(source, sink)
      job.outputs += also
      var regions = recipe.mask
      if let regions { job = regions.checked(job) }
      if let search, let given = regions {
        let own = try await search.regions(of: job, beside: given)
        job = own.restricted(job)
        regions = own
      }
      if isDry {
        try ImagesReport.dryRun(of: job, regions, by: Pipeline(backend), Self.name)
      } else {
        try await run(job, regions, in: Pipeline(backend))
      }
      return ExitCode.done
    }
  }

  private func job(_ source: StillSource, _ sink: StillSink) -> Job {
    Job(
      source: source, recipe: recipe.recipe, sink: sink, format: format,
      decoding: recipe.decoding, encoding: encoding)
  }

  private func run(
    _ job: Job, _ regions: RegionOptions?, in pipeline: Pipeline
  ) async throws {
    let report = try await ProgressLine.during { line in
      try await pipeline.run(job) { line.say($0) }
    }
    for note in regions?.notes(for: report.plan, scale: recipe.recipe.options.scale) ?? [] {
      Console.note("frostglass blur: \(note)")
    }
    Console.report(report.recoveries, of: Self.name)
    for note in report.notes(about: job) { Console.note("frostglass blur: \(note)") }
    if let warning = report.warning { Console.note("frostglass blur: \(warning)") }
    if verbose { await explain(report, pipeline) }
    if let search = regions?.search {
      let words = FindRecord.words([search], hint: "`frostglass find --review FILE` shows them")
      Console.note("frostglass blur: \(words)")
    }
    if Console.speaksJSON {
      Console.print(
        json: ImagesReport(rows: report.rows(of: job, regions), duration: report.duration)
          .members, of: Self.name)
    }
  }

  /// Says which backend ran, why, and how long each stage took.
  private func explain(_ report: Report, _ pipeline: Pipeline) async {
    Console.note("backend   \(report.backend) (\(report.reason))")
    for note in await pipeline.selector.notes() {
      Console.note("\(note.name.padded(to: 10))\(note.text)")
    }
    for timing in report.timings {
      Console.note("\(timing.stage.rawValue.padded(to: 10))\(timing.duration.millisecondsText) ms")
    }
    Console.note("together  \(report.duration.millisecondsText) ms, side by side")
  }
}

extension Report {
  /// Returns notes for the user on what of the image is missing in the outputs.
  func notes(about job: Job) -> [String] {
    var notes = input.notes(on: job.source.name)
    for (output, written) in zip(job.outputs, outputs) {
      let name = output.sink.name
      if written.framesLeftOut > 0 {
        notes.append(
          "\(job.source.name) has \(written.framesLeftOut + 1) frames, \(name) holds the first; "
            + "--frame N takes another, a GIF, WebP or APNG file all")
      }
      if written.hasHardEdges { notes.append(output.sink.noteOnHardEdges) }
      if written.changesOutside { notes.append("\(name) \(written.wordsOnColors)") }
      notes += [
        output.sink.note(onFormat: output.format),
        output.sink.note(onMissing: written.metadataLeftOut),
      ].compactMap { $0 }
    }
    return notes
  }
}

extension StillHeader {
  /// Returns notes on what cannot be read, and on the state of the rest.
  func notes(on name: String) -> [String] {
    [note(on: name)].compactMap { $0 } + remarks.map { "\(name) \($0)" }
  }

  private func note(on name: String) -> String? {
    guard unreadFrames > 0 else { return nil }
    let what =
      switch format {
      case .tiff: "page"
      case .heic, .avif: "image"
      default: "frame"
      }
    return "\(name) has \(unreadFrames) more \(what)\(unreadFrames == 1 ? "" : "s") that cannot be "
      + "read; only the first is used"
  }
}

extension StillSink {
  /// Returns a note if a file's name indicates another format than the requested one, otherwise `nil`.
  ///
  /// - Parameter format: `nil` goes by the name.
  func note(onFormat format: StillFormat?) -> String? {
    guard let format, case .file(let path, _) = self, !path.hasPrefix("/dev/"),
      let named = try? StillFormat.toWrite(path: path), named != format,
      // What reads PNG reads animated ones too, which mostly have that name.
      Set([named, format]) != [.png, .apng]
    else { return nil }
    return "\(name): the name says \(named.name), and by --format the bytes are \(format.name)"
  }

  /// Returns a note on metadata that a file has no place for; `nil` if it has all.
  func note(onMissing metadata: [String]) -> String? {
    metadata.isEmpty
      ? nil : "\(name) is without the input's \(metadata.joined(separator: ", "))"
  }

  /// The note on a file that cannot hold partly transparent pixels.
  var noteOnHardEdges: String {
    "\(name) is a GIF, whose pixels are transparent or not: soft edges became hard; WebP keeps them"
  }
}

/// The recipe of this command line in a file, for `--save-preset`.
private struct PresetSaving {
  static let options: [Option] = [
    Option("save-preset", value: "FILE", "Save filters and options to FILE, for --preset"),
    Option("preset-name", value: "TEXT", "Name of the saved preset"),
    Option("preset-description", value: "TEXT", "Description of the saved preset"),
  ].grouped(.presets)

  private let preset: Preset
  private let path: String
  private let overwrite: Bool

  /// - Parameter recipe: what there is to save.
  /// - Returns: `nil` where nothing is to be saved.
  init?(_ arguments: ParsedArguments, _ recipe: RecipeOptions) throws {
    guard let path = try arguments.sideFile("save-preset") else {
      for option in ["preset-name", "preset-description"] where arguments.has(option) {
        throw Failure.usage(
          "--\(option) is for a preset that is saved; it needs --save-preset FILE")
      }
      return nil
    }
    self.path = path
    overwrite = arguments.has("overwrite")
    var named = recipe.preset
    if let name = arguments.values["preset-name"] { named.name = name }
    if let text = arguments.values["preset-description"] { named.description = text }
    self.preset = named
  }

  /// Finds what can be found of trouble before any work is done.
  func check() throws {
    try StillSink.file(path, overwrite: overwrite).preflight()
  }

  func save() throws {
    try preset.write(to: path, overwrite: overwrite)
  }
}
