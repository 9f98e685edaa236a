internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// Films that are redacted: one from file to file, several, or frames between pipes.
struct FilmRedaction {
  /// The videos to redact.
  enum Work {
    case one(FilmJob)
    case several(FilmBatch)
    case pipe(FilmPipe)
  }

  private let redaction: RedactionRequest
  private let tracks: TrackOptions?
  private let search: FilmSearch?
  private let review: Review?
  private let audit: StillSink?
  private let maxPixels: Int
  private let keepsTags: Bool
  private let arguments: ParsedArguments

  /// - Parameters:
  ///   - tracks: of one film, or of frames.
  ///   - search: finds them in one film.
  ///   - review: shows what was found.
  init(
    _ redaction: RedactionRequest, _ tracks: TrackOptions?, search: FilmSearch?, review: Review?,
    audit: StillSink?, decoding: DecodeOptions, keepsTags: Bool, _ arguments: ParsedArguments
  ) {
    self.redaction = redaction
    self.tracks = tracks
    (self.search, self.review) = (search, review)
    self.audit = audit
    maxPixels = decoding.maxPixels
    self.keepsTags = keepsTags
    self.arguments = arguments
  }

  func run(_ work: Work) async throws -> Int32 {
    switch work {
    case .one(let job): try await run(job)
    case .several(let films): try await run(films)
    case .pipe(let pipe): try await run(pipe)
    }
  }

  private func run(_ pipe: FilmPipe) async throws -> Int32 {
    for remark in redaction.remarks(tracks) { Console.note("frostglass redact: \(remark)") }
    if let warning = redaction.method.warning {
      Console.note("frostglass redact: warning: \(warning)")
    }
    let done = try await pipe.run(
      FilmPipe.Work(
        command: RedactCommand.name, recipe: redaction.recipe(covering: redaction.mask),
        mask: redaction.mask,
        tracks: tracks, maxPixels: maxPixels, backend: redaction.backend))
    guard audit != nil else { return ExitCode.done }
    let text: String
    do {
      text = try FilmAudit(
        redaction.method, redaction.mask, tracks, size: done.size, hasTime: redaction.hasTime
      ).text(done.moments, done.masks)
    } catch { throw error.failure(of: redaction.mask) }
    try save(text)
    return ExitCode.done
  }

  /// A film, with all that is to be done to it.
  private func film(_ job: FilmJob, _ tracks: TrackOptions?) -> FilmFile {
    var job = job
    job.recipe = redaction.recipe(covering: redaction.mask)
    job.isStrict = true
    job.keeping = .redacted
    job.keeping.tags = keepsTags
    if let tracks { job.follow(tracks, in: job.recipe) }
    let warnings = redaction.method.warning.map { ["warning: \($0)"] } ?? []
    return FilmFile(
      command: RedactCommand.name, job: job, mask: redaction.mask,
      remarks: redaction.remarks(tracks) + warnings, backend: redaction.backend)
  }

  private func run(_ job: FilmJob) async throws -> Int32 {
    guard let search else { return try await run(job, tracks) }
    guard let films = CommandLineTool.films else { throw FilmProgram.start() }
    // What stands in the way is said before the film is looked through.
    try StillSink.file(job.output, overwrite: job.overwrite).preflight()
    try review?.check(1, beside: arguments.namedFiles(but: "review"))
    var job = job
    let (outcome, found) = try await search.run(
      on: &job, by: films, on: redaction.backend, toRedact: true)
    let sheet = FilmReview(outcome)
    try review?.check(sheet.count, beside: arguments.namedFiles(but: "review"))
    let code = try await run(job, found)
    if let review {
      try await sheet.write(
        of: job.output, maxPixels: maxPixels, by: films, on: Pipeline(redaction.backend), to: review
      )
    }
    search.say(
      outcome.found, outcome.found.words(hasSheet: review != nil), for: RedactCommand.name)
    return code
  }

  private func run(_ job: FilmJob, _ tracks: TrackOptions?) async throws -> Int32 {
    var file = film(job, tracks)
    if let audit, CommandLineTool.films != nil {
      file.job.tell { [redaction, tracks] account throws(FilmError) in
        let text = try redaction.audit(of: account, tracks)
        return try mapped(FilmError.unwritable, audit.sidecar(text))
      }
    }
    _ = try await file.runAlone()
    return ExitCode.done
  }

  private func run(_ films: FilmBatch) async throws -> Int32 {
    let own = try TrackOptions.each(of: films.names(), arguments, toRedact: true)
    var told: FilmBatch.Audit?
    if case .file(let path, let overwrite)? = audit {
      let place = FilePlace(path)
      for tracks in own.values where FilePlace(tracks.path) == place {
        throw Failure.usage("--audit is \(path), which --tracks reads; take another file")
      }
      told = FilmBatch.Audit(
        file: try AuditFile(path, overwrite: overwrite, resuming: films.resumes)
      ) { [redaction] account throws(FilmError) in
        try redaction.audit(of: account, own[account.job.input])
      }
    }
    return try await films.run(audit: told) { input, output in
      guard own[input] != nil || !arguments.has("tracks") else { return .uncovered }
      let job = try FilmFile.job(input, to: output, arguments, Recipe([]), maxPixels: maxPixels)
      return .film(film(job, own[input]))
    }
  }

  private func save(_ text: String) throws {
    try audit?.save(text)
  }
}

/// A film that is whole and has no name yet.
struct FilmAccount: Sendable {
  var job: FilmJob
  var report: FilmReport
  /// The SHA-256 of the film that it was made of, from before.
  var inputDigest: String?
  /// Its own.
  var outputDigest: String?
}

extension FilmJob {
  /// Writes the audit before the video is published, so that no video lacks one.
  ///
  /// - Parameter teller: what it makes gets its name with the film.
  mutating func tell(
    _ teller: @escaping @Sendable (FilmAccount) throws(FilmError) -> Sidecar
  ) {
    let digest = FileDigest.sha256(of: input, in: version)
    telling = { [job = self] report, path throws(FilmError) in
      try teller(
        FilmAccount(
          job: job, report: report, inputDigest: digest,
          outputDigest: FileDigest.sha256(of: path)))
    }
  }
}

extension RedactionRequest {
  /// Returns the audit of a video, as one JSON object.
  fileprivate func audit(
    of account: FilmAccount, _ tracks: TrackOptions?
  ) throws(FilmError) -> String {
    let (job, report) = (account.job, account.report)
    let files = FilmAudit.Files(
      input: job.input, inputDigest: hasInputDigest ? account.inputDigest : nil,
      output: job.output,
      outputDigest: account.outputDigest, encoders: report.encoders, dropped: report.leftOut)
    let audit = FilmAudit(
      method, mask, tracks, size: report.size ?? Size(width: 0, height: 0), files: files,
      hasTime: hasTime)
    do { return try audit.text(report.moments, report.masks) } catch {
      throw FilmError(error, of: job.input)
    }
  }
}

extension FilmRedaction.Work {
  /// Several films; `nil` where none are given.
  init?(several arguments: ParsedArguments) throws {
    let films = try FilmBatch(arguments, of: RedactCommand.self, takesFilmsAlone: false)
    guard let films else { return nil }
    self = .several(films)
    try FilmFile.refusePictures(arguments, "--out-dir of videos")
    try Self.refusePipes(arguments)
  }

  /// A film, or frames between pipes, where a name or an option speaks of one; `nil` elsewhere.
  init?(_ arguments: ParsedArguments) throws {
    let names = arguments.operands
    let told =
      TrackOptions.table + FilmPipe.reading + FilmPipe.writing + LivePipe.options + FilmFile.options
    let option = told.first { arguments.has($0.name) }
    let film = names.first { FilmName.isFilm($0) || LivePipe.isCamera($0) }
    guard film != nil || option != nil else { return nil }
    let what = film ?? option.map { "--\($0.name)" } ?? ""
    try FilmFile.refusePictures(arguments, what)
    if names[1] == "-", names[0] == "-" || LivePipe.isCamera(names[0]) {
      for other in FilmFile.options where arguments.has(other.name) {
        throw Failure.usage(
          "--\(other.name) is for videos from file to file, and these are frames between pipes")
      }
      self = .pipe(
        try FilmPipe(arguments, hasTracks: true, live: try LivePipe(arguments)))
      return
    }
    guard FilmName.isFilm(names[1]), names[0] != "-" else {
      try FilmFile.refuse(picture: names[1], of: names[0])
      throw Failure.usage(
        "\(what) is for videos, which go from file to file, such as in.mp4 and out.mp4, or through pipes: - and -"
      )
    }
    try Self.refusePipes(arguments)
    self = .one(
      try FilmFile.job(
        names[0], to: names[1], arguments, Recipe([]),
        maxPixels: try arguments.decoding().maxPixels))
  }

  private static func refusePipes(_ arguments: ParsedArguments) throws {
    for other in ["size", "pixel-format", "rate", "to"] + LivePipe.options.map(\.name)
    where arguments.has(other) {
      throw Failure.usage(FilmFile.refusal(ofPipes: other))
    }
  }
}
