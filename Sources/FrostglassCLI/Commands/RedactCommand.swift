internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass redact`: irreversibly redacts regions of images and videos.
struct RedactCommand: Command {
  static let name = "redact"
  static let summary = "Irreversibly redact regions of images and videos"
  static let operands = "INPUT OUTPUT  |  INPUT… --out-dir DIR [--recursive] [--resume]"
  static let notes = """
    One of --region, --regions, --mask and --find is required; `frostglass blur --help` shows how to
    write a region. Replaces every pixel that a region touches, and --grow around it. Metadata is
    removed, embedded previews included.

    With frosted and solid no byte of the output depends on what is covered. frosted is computed from
    the surrounding colors. mosaic and blur can be reversed: use them for their looks only; each run
    warns about it. No fill hides the shape and position of a region. For example:

      frostglass redact photo.jpg safe.jpg --regions faces.json --audit safe.json
      frostglass redact scan.png safe.png --region 120,300,400,40 --fill solid --color black

    --find faces covers the faces that a detector finds, and misses others: check the sheet of --review.
    If nothing is found, nothing is written and the exit code is 65; see docs/use/find.md:
      frostglass redact photo.jpg safe.jpg --find faces --review seen.png
      frostglass redact film.mp4 safe.mp4 --find faces --review seen.png

    With --out-dir each INPUT uses its own regions from a file or directory with regions of several
    images. Images without regions are not written; they are listed at the end. --audit then holds an
    array. For videos --tracks is a directory with one file per video, of the same name:
      frostglass redact photos --recursive --out-dir safe --regions coco.json --audit safe.json
      frostglass redact films --recursive --out-dir safe --tracks tracks

    --resize, --width and --height resize the redacted image: regions refer to the image before that.

    For a video --tracks gives the regions of each frame; --min-score and --labels select tracks, and
    --outlines uses COCO masks. If it is unclear what to cover or in which frame, nothing is written
    and the exit code is 65. Cover art, further video streams, thumbnails, data such as
    locations, and tags are removed and listed; sound, subtitles and chapters are kept:

      frostglass redact in.mp4 safe.mp4 --tracks faces.json --audit safe.json

    Between pipes, frames come as y4m on standard input and go to standard output. A frame without known
    positions ends the run; the frames before it are written. If no other option implies a video, add
    --to y4m:
      … | frostglass redact - - --tracks faces.csv --audit safe.json | …

    docs/use/redaction.md has the measurements behind this.
    """
  static let options: [Option] =
    RedactionMethod.options + FindOptions.table + [RegionOptions.fromMetadata]
    + TrackOptions.table.grouped(.place)
    + Resize.options + [
      Option("scale", value: "N", "Pixels per point (1)").grouped(.place),
      Option("audit", value: "FILE", "Write an audit report to FILE, as JSON").grouped(.writing),
      Option("audit-time", "Include the time in the audit report").grouped(.writing),
      Option(
        "audit-no-input-digest", "Leave the input's SHA-256 out of the audit report",
        details: "The digest lets anyone confirm a guess of the input."
      )
      .grouped(.writing),
      Review.option,
      Option(
        "keep-metadata", "Keep metadata",
        details: "By default all metadata is dropped."
      ).grouped(.writing),
      .backend, .device, .gpuMemory, .format, .outputQuality, .effort, .overwrite,
      .background, .maxPixels, .memory, .profile, .frame, Batch.threads,
    ] + VideoPipe.reading + VideoPipe.writing + LivePipe.options + VideoFile.options
    + Option.manners
    + Batch.options
    + Batch.listOptions

  /// The work of the command.
  private enum Work {
    case single(StillSource, StillSink)
    case batch(Batch)
    case videos(VideoRedaction.Work)
  }

  private let arguments: ParsedArguments
  private let work: Work
  private var redaction: RedactionRequest
  private let search: ImageSearch?
  private let videoSearch: VideoSearch?
  private let format: StillFormat?
  private let decoding: DecodeOptions
  private let encoding: EncodeOptions
  private let tracks: TrackOptions?
  private let threads: Int
  private let audit: StillSink?
  private let review: Review?
  private let isDry: Bool

  init(_ arguments: ParsedArguments) throws {
    format = try arguments.outputFormat()
    let overwrite = arguments.has("overwrite")
    let operands = arguments.operands
    if let videos = try VideoRedaction.Work(several: arguments) {
      work = .videos(videos)
    } else if try arguments.isBatch(takes: Batch.demands) {
      work = .batch(try Batch(arguments, of: Self.self, format: format))
    } else {
      guard operands.count == 2 else {
        throw Failure.usage("INPUT and OUTPUT are needed; see `frostglass redact --help`")
      }
      try arguments.checkOutputs(operands.dropFirst())
      work =
        try VideoRedaction.Work(arguments).map(Work.videos)
        ?? .single(
          StillSource(operand: operands[0]), StillSink(operand: operands[1], overwrite: overwrite))
    }
    if case .videos = work, arguments.has("regions-from") {
      throw Failure.usage(
        "--regions-from is for images; of a film --find faces or --tracks FILE says where faces are"
      )
    }
    videoSearch = try Self.videoSearch(work, arguments)
    // Each video of several has tracks of its own.
    if case .videos(.several) = work {
      tracks = nil
    } else {
      tracks = try TrackOptions(arguments, toRedact: true)
    }
    self.arguments = arguments
    guard let mask = try RegionOptions(arguments, grow: 4, refusing: true) else {
      throw Failure.usage(
        "nothing to redact: give --region SHAPE, --regions FILE, --regions-from metadata, --mask FILE, --find faces, "
          + "or of a video --tracks FILE"
      )
    }
    let method = try RedactionMethod(arguments)
    threads = try arguments.threads()
    var backend = try arguments.backend()
    backend.threads = threads
    audit = try arguments.sideFile("audit").map { .file($0, overwrite: overwrite) }
    let hasTime = arguments.has("audit-time")
    isDry = try arguments.isDryRun(writing: operands.dropFirst())
    guard !isDry || !arguments.has("find") else { throw ImageSearch.noDryRun }
    for option in ["audit-time", "audit-no-input-digest"]
    where arguments.has(option) && audit == nil {
      throw Failure.usage("--\(option) needs --audit FILE")
    }
    let scale = try arguments.ownScale() ?? 1
    if arguments.has("find") { try method.demandCover(scale: scale) }
    review = try Review(arguments, scale: scale)
    redaction = RedactionRequest(
      method: method, mask: mask, scale: scale, background: try arguments.background(),
      hasTime: hasTime, hasInputDigest: !arguments.has("audit-no-input-digest"), backend: backend)
    (decoding, encoding) = try arguments.redactionFiles()
    if case .videos = work { search = nil } else { search = try ImageSearch(arguments) }
  }

  /// The search for faces in a video; `nil` where none is asked for.
  private static func videoSearch(
    _ work: Work, _ arguments: ParsedArguments
  ) throws -> VideoSearch? {
    guard case .videos(let videos) = work, arguments.has("find") else { return nil }
    let isOne = if case .one = videos { true } else { false }
    try VideoSearch.check(arguments, isOne: isOne)
    return try VideoSearch(arguments)
  }

  private func job(_ source: StillSource, _ sink: StillSink, _ regions: RegionOptions) -> Job {
    regions.checked(
      Job(
        source: source, recipe: redaction.recipe(covering: regions), sink: sink, format: format,
        decoding: decoding, encoding: encoding))
  }

  func run() async throws -> Int32 {
    // A batch that goes on has told of what it made before.
    let goesOn =
      switch work {
      case .batch, .videos(.several): arguments.has("resume")
      case .single, .videos: false
      }
    if let audit, !goesOn { try audit.preflight() }
    switch work {
    case .videos(let videos):
      return try await VideoRedaction(
        redaction, tracks, search: videoSearch, review: review, audit: audit, decoding: decoding,
        keepsTags: !encoding.strip, arguments
      ).run(videos)
    case .single(let source, let sink):
      var command = self
      if let search {
        command.redaction.mask = try await search.regions(
          of: job(source, sink, redaction.mask), beside: redaction.mask)
      }
      return try await command.run(source, sink)
    case .batch(let batch):
      try review?.check(1, beside: arguments.namedFiles(but: "review"))
      for remark in redaction.remarks(tracks) { Console.note("frostglass redact: \(remark)") }
      return try await run(batch)
    }
  }

  private func run(_ source: StillSource, _ sink: StillSink) async throws -> Int32 {
    let leftAlone = redaction.mask.search?.found.leftAlone.count ?? 0
    try review?.check(
      redaction.mask.mask.shapes.count + leftAlone, beside: arguments.namedFiles(but: "review"))
    for remark in redaction.remarks(tracks) { Console.note("frostglass redact: \(remark)") }
    let job = job(source, sink, redaction.mask)
    guard isDry else { return try await run(job) }
    try ImagesReport.dryRun(of: job, redaction.mask, by: Pipeline(redaction.backend), Self.name)
    return ExitCode.done
  }

  private func run(_ batch: Batch) async throws -> Int32 {
    var regions = BatchRegions(redaction.mask)
    var places = 0
    var audit: AuditFile?
    if case .file(let path, let overwrite)? = self.audit, !isDry {
      audit = try AuditFile(path, overwrite: overwrite, resuming: arguments.has("resume"))
    }
    let around = Batch.Surroundings(
      begin: { [audit] all, skipped in
        let named = arguments.namedFiles(but: "review")
        try review?.check(places, beside: named + all.flatMap { [$0.input, $0.output] })
        try audit?.open()
        if let words = audit?.doubt(of: skipped) {
          Console.note("frostglass redact: warning: \(words)")
        }
      },
      end: { [audit] outcomes in
        try conclude(outcomes, regions.leftOut, audit)
      })
    return try await batch.run(backend: redaction.backend, threads: threads, around: around) {
      [audit] source, sink in
      try regions.work(on: source) { own in
        places += own.mask.isInverted ? 1 : own.mask.shapes.count
        let task = { @Sendable (own: RegionOptions) in
          BatchTask(
            redacting: job(source, sink, own), own, by: redaction.method, audit: audit,
            hasTime: redaction.hasTime, hasInputDigest: redaction.hasInputDigest)
        }
        return task(own).searched(by: search, for: job(source, sink, own), beside: own, task)
      }
    }
  }

  /// Says what was covered, and ends the audit before what may fail.
  private func conclude(
    _ outcomes: [BatchOutcome], _ leftOut: RegionFilter.LeftOut, _ audit: AuditFile?
  ) throws {
    Console.note(Self.summary(of: outcomes))
    if leftOut.count > 0 { Console.note(redaction.words(leftOut)) }
    if let warning = redaction.method.warning {
      Console.note("frostglass redact: warning: \(warning)")
    }
    try audit?.finish(
      outcomes.compactMap { outcome in
        outcome.audit.map { (output: outcome.row.output ?? "", text: $0) }
      })
    try review?.write(
      outcomes.compactMap { outcome in
        outcome.regions.flatMap { Review.ImageEntry(outcome.row, $0) }
      })
    tell(of: outcomes.compactMap(\.regions?.search))
  }

  /// Says how many faces were found, last of all.
  private func tell(of searches: [FindRecord]) {
    guard search != nil else { return }
    Console.note(
      "frostglass redact: \(FindRecord.words(searches, hint: Review.hint(review != nil)))")
  }

  /// Such as `covered 7 regions in 3 pictures: 5 face, 2 plate`.
  private static func summary(of outcomes: [BatchOutcome]) -> String {
    let labels = LabelCounts(outcomes.flatMap(\.row.covered))
    let kinds = labels.counts.map { "\($0.count) \($0.label)" }
    let regions = "\(labels.regions) region\(labels.regions == 1 ? "" : "s")"
    let pictures = "\(outcomes.count) image\(outcomes.count == 1 ? "" : "s")"
    return "covered \(regions) in \(pictures)"
      + (kinds.isEmpty ? "" : ": " + kinds.joined(separator: ", "))
  }

  /// A job whose audit and image get their names together, both on the disk before.
  private func telling(_ job: Job) -> Job {
    guard let audit else { return job }
    let digest =
      redaction.hasInputDigest ? FileDigest.sha256(of: job.source, in: job.decoding.version) : nil
    var telling = job
    telling.outputs[0].encoding.isDurable = true
    telling.outputs[0].telling = { [redaction] size, output throws(FrostglassError) in
      let text = RedactionAudit(
        job: job, method: redaction.method, mask: redaction.mask, size: size, inputDigest: digest,
        outputDigest: output, hasTime: redaction.hasTime
      ).text
      return try mapped(FrostglassError.encode, audit.sidecar(text))
    }
    return telling
  }

  private func run(_ job: Job) async throws -> Int32 {
    let (mask, method) = (redaction.mask, redaction.method)
    let pipeline = Pipeline(redaction.backend)
    let report = try await ProgressLine.during { [telling = telling(job)] line in
      do throws(FrostglassError) {
        return try await pipeline.run(telling) { line.say($0) }
      } catch { throw mask.refusal(error) ?? error.failure }
    }
    for note in mask.notes(for: report.plan, scale: job.outputs[0].recipe.options.scale) {
      Console.note("frostglass redact: \(note)")
    }
    if mask.leftOut.count > 0 {
      Console.note("frostglass redact: \(redaction.words(mask.leftOut))")
    }
    Console.report(report.recoveries, of: Self.name)
    for note in report.notes(about: job) { Console.note("frostglass redact: \(note)") }
    if let warning = method.warning { Console.note("frostglass redact: warning: \(warning)") }
    if let warning = report.warning { Console.note("frostglass redact: \(warning)") }
    let rows = report.rows(of: job, mask)
    try review?.write(rows.compactMap { Review.ImageEntry($0, mask) })
    tell(of: [mask.search].compactMap { $0 })
    if Console.speaksJSON {
      Console.print(
        json: ImagesReport(rows: rows, duration: report.duration).members,
        of: Self.name)
    }
    return ExitCode.done
  }
}

/// The settings of a redaction, for images and videos alike.
struct RedactionRequest {
  var method: RedactionMethod
  var mask: RegionOptions
  /// Pixels per point.
  var scale: Double
  /// Behind transparent results without alpha.
  var background: Color
  /// True if an audit has the time.
  var hasTime: Bool
  /// True if an audit has the input's SHA-256, by which guesses of what was hidden can be confirmed.
  var hasInputDigest: Bool
  var backend: BackendOptions

  /// Returns the recipe that covers some regions.
  func recipe(covering regions: RegionOptions) -> Recipe {
    method.recipe(covering: regions, scale: scale, background: background)
  }

  /// Returns remarks on the files with regions, and on what of them is left out of a video.
  func remarks(_ tracks: TrackOptions?) -> [String] {
    var remarks = mask.remarks + (tracks?.remarks ?? [])
    if let leftOut = tracks?.leftOut, leftOut.count > 0 { remarks.append(words(leftOut, "track")) }
    return remarks
  }

  /// Such as `left out 4 regions: 3 under --min-score 0.5, 1 with another label`.
  func words(_ leftOut: RegionFilter.LeftOut, _ thing: String = "region") -> String {
    var reasons: [String] = []
    if leftOut.byScore > 0, let score = mask.filter.minimumScore {
      reasons.append("\(leftOut.byScore) under --min-score \(score)")
    }
    if leftOut.byLabel > 0 { reasons.append("\(leftOut.byLabel) with another label") }
    return "left out \(leftOut.count) \(thing)\(leftOut.count == 1 ? "" : "s"): "
      + reasons.joined(separator: ", ")
  }
}
