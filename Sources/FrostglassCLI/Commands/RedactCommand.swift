internal import Frostglass
internal import FrostglassOptions
internal import Glibc

/// `frostglass redact`: makes a part of a picture unrecognizable, for good unless told otherwise.
struct RedactCommand: Command {
  static let name = "redact"
  static let summary = "Make parts of an image or film unrecognizable, for good, or of several"
  static let operands = "INPUT OUTPUT  |  INPUT… --out-dir DIR [--recursive] [--resume]"
  static let notes = """
    One of --region, --regions and --mask is required; `frostglass blur --help` says how a region is
    written. Every pixel that a region touches is replaced, and --grow around it. Metadata is left
    out, previews of the picture with it.

    frosted and solid leave nothing of what they cover: no byte of the output depends on it. frosted
    is made of the colors around. mosaic and blur can be reversed and are here for their looks; they
    say so each time. Neither hides the shape and place of what was there. For example:

      frostglass redact photo.jpg safe.jpg --regions faces.json --audit safe.json
      frostglass redact scan.png safe.png --region 120,300,400,40 --fill solid --color black

    With --out-dir each INPUT takes its own regions from a file or folder with those of several; those
    without any are not written, and listed at the end. --audit then holds an array. Of films --tracks
    is a folder with a file for each, of its name:
      frostglass redact photos --recursive --out-dir safe --regions coco.json --audit safe.json
      frostglass redact films --recursive --out-dir safe --tracks tracks

    Of a film --tracks says where something is in each frame; --min-score and --labels choose among the
    tracks, --outlines takes COCO's masks. A film of which it is not known what to cover, or which frame is
    which, ends with 65 and is not written. Its cover, further videos, thumbnails, data such as places, and
    tags are left out and listed; sound, subtitles and chapters stay:

      frostglass redact in.mp4 safe.mp4 --tracks faces.json --audit safe.json

    Between pipes it comes as y4m on standard input, from ffmpeg for example, and goes to standard output;
    what it is not known of ends it, and the frames before are written. Where no other option speaks of a
    film, --to y4m does:
      … | frostglass redact - - --tracks faces.csv --audit safe.json | …

    docs/redaction.md has the measurements behind this.
    """
  static let options: [Option] =
    RedactionMethod.options + TrackOptions.table.grouped(.place) + [
      Option("scale", value: "N", "Pixels per point (1)").grouped(.place),
      Option("audit", value: "FILE", "Write what was done as JSON").grouped(.writing),
      Option("audit-time", "Say in the audit when it was done").grouped(.writing),
      Review.option,
      Option("keep-metadata", "Keep what the file says beside the pixels").grouped(.writing),
      .backend, .device, .gpuMemory, .format, .outputQuality, .overwrite,
      .background, .maxPixels, .memory, .profile, .frame, Batch.threads,
    ] + FilmPipe.reading + FilmPipe.writing + LivePipe.options + FilmFile.options + Option.manners
    + Batch.options
    + Batch.listOptions

  /// What there is to redact.
  private enum Work {
    case single(StillSource, StillSink)
    case batch(Batch)
    case films(FilmBatch)
    /// Frames between pipes.
    case pipe(FilmPipe)
    /// A film from file to file, what is to be done to it left out.
    case film(FilmJob)
  }

  private let arguments: ParsedArguments
  private let work: Work
  private let recipe: Recipe
  private let format: StillFormat?
  private let decoding: DecodeOptions
  private let encoding: EncodeOptions
  private let method: RedactionMethod
  private let mask: RegionOptions
  private let tracks: TrackOptions?
  private let backend: BackendOptions
  private let threads: Int
  private let audit: StillSink?
  private let review: Review?
  private let hasTime: Bool
  private let isDry: Bool

  init(_ arguments: ParsedArguments) throws(Failure) {
    format = try arguments.outputFormat()
    let overwrite = arguments.has("overwrite")
    let operands = arguments.operands
    if let films = try FilmBatch(arguments, of: Self.self, takesFilmsAlone: false) {
      work = .films(films)
      try Self.refusePictures(arguments, "--out-dir of films")
      try Self.refusePipes(arguments)
    } else if let batch = try Batch(arguments, of: Self.self, format: format) {
      work = .batch(batch)
    } else {
      guard operands.count == 2 else {
        throw .usage("INPUT and OUTPUT are needed; see `frostglass redact --help`")
      }
      work =
        try Self.film(arguments)
        ?? .single(
          StillSource(operand: operands[0]), StillSink(operand: operands[1], overwrite: overwrite))
    }
    // Each film of several has tracks of its own.
    if case .films = work {
      tracks = nil
    } else {
      tracks = try TrackOptions(arguments, toRedact: true)
    }
    self.arguments = arguments
    guard let mask = try RegionOptions(arguments, grow: 4, refusing: true) else {
      throw .usage(
        "nothing to redact: give --region SHAPE, --regions FILE, --mask FILE, or of a film --tracks FILE"
      )
    }
    self.mask = mask
    method = try RedactionMethod(arguments)
    threads = try arguments.threads()
    var backend = try arguments.backend()
    backend.threads = threads
    self.backend = backend
    audit = try arguments.sideFile("audit").map { .file($0, overwrite: overwrite) }
    hasTime = arguments.has("audit-time")
    isDry = try arguments.isDryRun(writing: operands)
    if hasTime, audit == nil { throw .usage("--audit-time needs --audit FILE") }
    let scale = try arguments.number("scale", in: 0.001...1000) ?? 1
    review = try Review(arguments, scale: scale)
    if let review, let audit, review.name(1) == audit.name {
      throw .usage("--audit and --review are both \(audit.name); they need two names")
    }
    recipe = Recipe(
      method.chain, options: PlanOptions(scale: scale),
      background: try arguments.background())
    decoding = try arguments.decoding()
    encoding = EncodeOptions(
      quality: try arguments.integer("output-quality", in: 1...100),
      strip: !arguments.has("keep-metadata"))
  }

  /// A film, where a name or an option speaks of one; `nil` elsewhere.
  private static func film(_ arguments: ParsedArguments) throws(Failure) -> Work? {
    let names = arguments.operands
    let told =
      TrackOptions.table + FilmPipe.reading + FilmPipe.writing + LivePipe.options + FilmFile.options
    let option = told.first { arguments.has($0.name) }
    let film = names.first { FilmName.isFilm($0) || LivePipe.isCamera($0) }
    guard film != nil || option != nil else { return nil }
    let what = film ?? option.map { "--\($0.name)" } ?? ""
    try Self.refusePictures(arguments, what)
    if names[1] == "-", names[0] == "-" || LivePipe.isCamera(names[0]) {
      for other in FilmFile.options where arguments.has(other.name) {
        throw .usage(
          "--\(other.name) is for films from file to file, and these are frames between pipes")
      }
      return .pipe(
        try FilmPipe(arguments, hasTracks: true, live: try LivePipe(arguments)))
    }
    guard FilmName.isFilm(names[1]), names[0] != "-" else {
      throw .usage(
        "\(what) is for films, which go from file to file, such as in.mp4 and out.mp4, or through pipes: - and -"
      )
    }
    try Self.refusePipes(arguments)
    return .film(
      try FilmFile.job(
        names[0], to: names[1], arguments, Recipe([]),
        maxPixels: try arguments.decoding().maxPixels))
  }

  private static func refusePictures(
    _ arguments: ParsedArguments, _ what: String
  ) throws(Failure) {
    for other in ["review", "dry-run", "frame", "format"] where arguments.has(other) {
      throw .usage("--\(other) is for pictures, and \(what) is for films")
    }
  }

  private static func refusePipes(_ arguments: ParsedArguments) throws(Failure) {
    for other in ["size", "pixel-format", "rate", "to"] + LivePipe.options.map(\.name)
    where arguments.has(other) {
      throw .usage("--\(other) is for frames between pipes, - and -; files say so themselves")
    }
  }

  private func job(_ source: StillSource, _ sink: StillSink, _ regions: RegionOptions) -> Job {
    var recipe = recipe
    recipe.options.mask = regions.mask
    recipe.options.mask?.redaction = method.redaction
    return Job(
      source: source, recipe: recipe, sink: sink, format: format, decoding: decoding,
      encoding: encoding)
  }

  func run() async throws(Failure) -> Int32 {
    do throws(EncodeError) { try audit?.preflight() } catch {
      throw FrostglassError.encode(error).failure
    }
    try review?.check()
    switch work {
    case .film(let job): return try await run(job)
    case .films(let films): return try await run(films)
    case .single, .batch, .pipe: break
    }
    for remark in remarks(tracks) { Console.note("frostglass redact: \(remark)") }
    switch work {
    case .single(let source, let sink):
      let job = job(source, sink, mask)
      guard isDry else { return try await run(job) }
      try PicturesReport.dryRun(of: job, mask, by: Pipeline(backend), Self.name)
      return ExitCode.done
    case .batch(let batch): return try await run(batch)
    case .pipe(let pipe): return try await run(pipe)
    case .film, .films: return ExitCode.done
    }
  }

  /// What a person should know of the files with regions, and of what of them is left out of a film.
  private func remarks(_ tracks: TrackOptions?) -> [String] {
    var remarks = mask.remarks + (tracks?.remarks ?? [])
    if let leftOut = tracks?.leftOut, leftOut.count > 0 { remarks.append(words(leftOut, "track")) }
    return remarks
  }

  /// What is done to each frame of a film.
  private var filmRecipe: Recipe {
    var recipe = recipe
    recipe.options.mask = mask.mask
    recipe.options.mask?.redaction = method.redaction
    return recipe
  }

  private func run(_ pipe: FilmPipe) async throws(Failure) -> Int32 {
    if let warning = method.warning { Console.note("frostglass redact: warning: \(warning)") }
    let done = try await pipe.run(
      FilmPipe.Work(
        command: Self.name, recipe: filmRecipe, mask: mask, tracks: tracks,
        maxPixels: decoding.maxPixels, backend: backend))
    guard let audit else { return ExitCode.done }
    let text: String
    do throws(VideoError) {
      text = try FilmAudit(method, mask, tracks, size: done.size, hasTime: hasTime)
        .text(done.moments, done.masks)
    } catch { throw error.failure(of: mask) }
    try save(text, audit)
    return ExitCode.done
  }

  /// A film, with all that is to be done to it.
  private func film(_ job: FilmJob, _ tracks: TrackOptions?) -> FilmFile {
    var job = job
    job.recipe = filmRecipe
    job.isStrict = true
    job.keeping = .redacted
    job.keeping.tags = !encoding.strip
    if let tracks { job.follow(tracks, in: job.recipe) }
    let warnings = method.warning.map { ["warning: \($0)"] } ?? []
    return FilmFile(
      command: Self.name, job: job, mask: mask, remarks: remarks(tracks) + warnings,
      backend: backend)
  }

  private func run(_ job: FilmJob) async throws(Failure) -> Int32 {
    let isHere = CommandLineTool.films != nil
    let digest = audit != nil && isHere ? FileDigest.sha256(of: job.input) : nil
    let file = film(job, tracks)
    let report = try await file.runAlone()
    let done = FilmBatch.Done(file: file, report: report, inputDigest: digest)
    if let audit { try save(try auditText(of: done, tracks), audit) }
    return ExitCode.done
  }

  private func run(_ films: FilmBatch) async throws(Failure) -> Int32 {
    let own = try TrackOptions.each(of: films.names(), arguments, toRedact: true)
    return try await films.run(digests: audit != nil) { done throws(Failure) in
      guard let audit else { return }
      var texts: [String] = []
      for film in done {
        texts.append(String(try auditText(of: film, own[film.file.job.input]).dropLast()))
      }
      try save(texts.isEmpty ? "[]\n" : "[\n\(texts.joined(separator: ",\n"))\n]\n", audit)
    } _: { input, output throws(Failure) in
      guard own[input] != nil || !arguments.has("tracks") else { return .uncovered }
      let job = try FilmFile.job(
        input, to: output, arguments, Recipe([]), maxPixels: decoding.maxPixels)
      return .film(film(job, own[input]))
    }
  }

  private func auditText(
    of done: FilmBatch.Done, _ tracks: TrackOptions?
  ) throws(Failure) -> String {
    let (job, report) = (done.file.job, done.report)
    let files = FilmAudit.Files(
      input: job.input, inputDigest: done.inputDigest, output: job.output,
      encoders: report.encoders, dropped: report.leftOut)
    let audit = FilmAudit(
      method, mask, tracks, size: report.size ?? Size(width: 0, height: 0), files: files,
      hasTime: hasTime)
    do throws(VideoError) { return try audit.text(report.moments, report.masks) } catch {
      throw error.failure(of: mask)
    }
  }

  private func save(_ text: String, _ audit: StillSink) throws(Failure) {
    do throws(FrostglassError) { try audit.save(text) } catch { throw error.failure }
  }

  private func run(_ batch: Batch) async throws(Failure) -> Int32 {
    var regions = BatchRegions(mask)
    return try await batch.run(
      backend: backend, threads: threads,
      atEnd: { outcomes throws(Failure) in try conclude(outcomes, regions.leftOut) }
    ) { source, sink throws(Failure) in
      try regions.work(on: source) { own in
        BatchTask(
          redacting: job(source, sink, own), own, by: method,
          auditTime: audit == nil ? nil : hasTime)
      }
    }
  }

  /// Says what was covered, and writes the audits.
  private func conclude(
    _ outcomes: [BatchOutcome], _ leftOut: RegionFilter.LeftOut
  ) throws(Failure) {
    Console.note(Self.summary(of: outcomes))
    if leftOut.count > 0 { Console.note(words(leftOut)) }
    if let warning = method.warning { Console.note("frostglass redact: warning: \(warning)") }
    try review?.write(
      outcomes.compactMap { outcome in
        outcome.regions.flatMap { Review.Picture(outcome.row, $0) }
      })
    guard let audit else { return }
    let texts = outcomes.compactMap(\.audit).map { String($0.dropLast()) }
    do throws(FrostglassError) {
      try audit.save(texts.isEmpty ? "[]\n" : "[\n\(texts.joined(separator: ",\n"))\n]\n")
    } catch { throw error.failure }
  }

  /// Such as `covered 7 regions in 3 pictures: 5 face, 2 plate`.
  private static func summary(of outcomes: [BatchOutcome]) -> String {
    let labels = LabelCounts(outcomes.flatMap(\.row.covered))
    let kinds = labels.counts.map { "\($0.count) \($0.label)" }
    let regions = "\(labels.regions) region\(labels.regions == 1 ? "" : "s")"
    let pictures = "\(outcomes.count) picture\(outcomes.count == 1 ? "" : "s")"
    return "covered \(regions) in \(pictures)"
      + (kinds.isEmpty ? "" : ": " + kinds.joined(separator: ", "))
  }

  /// Such as `left out 4 regions: 3 under --min-score 0.5, 1 with another label`.
  private func words(_ leftOut: RegionFilter.LeftOut, _ thing: String = "region") -> String {
    var reasons: [String] = []
    if leftOut.byScore > 0, let score = mask.filter.minimumScore {
      reasons.append("\(leftOut.byScore) under --min-score \(score)")
    }
    if leftOut.byLabel > 0 { reasons.append("\(leftOut.byLabel) with another label") }
    return "left out \(leftOut.count) \(thing)\(leftOut.count == 1 ? "" : "s"): "
      + reasons.joined(separator: ", ")
  }

  private func run(_ job: Job) async throws(Failure) -> Int32 {
    let inputDigest = audit == nil ? nil : FileDigest.sha256(of: job.source)
    let pipeline = Pipeline(backend)
    let report = try await ProgressLine.during { line throws(Failure) in
      do throws(FrostglassError) {
        return try await pipeline.run(job) { line.say($0) }
      } catch { throw mask.refusal(error) ?? error.failure }
    }
    for note in mask.notes(for: report.plan, scale: job.outputs[0].recipe.options.scale) {
      Console.note("frostglass redact: \(note)")
    }
    if mask.leftOut.count > 0 { Console.note("frostglass redact: \(words(mask.leftOut))") }
    Console.report(report.recoveries, of: Self.name)
    for note in report.notes(about: job) { Console.note("frostglass redact: \(note)") }
    if let warning = method.warning { Console.note("frostglass redact: warning: \(warning)") }
    if let warning = report.warning { Console.note("frostglass redact: \(warning)") }
    if let audit {
      let text = RedactionAudit(
        job: job, method: method, mask: mask, size: report.plan.inputs[0].size,
        inputDigest: inputDigest, hasTime: hasTime
      ).text
      do throws(FrostglassError) { try audit.save(text) } catch { throw error.failure }
    }
    let rows = report.rows(of: job, mask)
    try review?.write(rows.compactMap { Review.Picture($0, mask) })
    if Console.speaksJSON {
      Console.print(
        json: PicturesReport(rows: rows, duration: report.duration).members,
        of: Self.name)
    }
    return ExitCode.done
  }
}
