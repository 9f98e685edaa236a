internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// Videos that are redacted: one from file to file, several, or frames between pipes.
struct VideoRedaction {
  /// The videos to redact.
  enum Work {
    case one(VideoJob)
    case several(VideoBatch)
    case pipe(VideoPipe)
  }

  private let redaction: RedactionRequest
  private let tracks: TrackOptions?
  private let search: VideoSearch?
  private let review: Review?
  private let audit: StillSink?
  private let maxPixels: Int
  private let keepsTags: Bool
  private let arguments: ParsedArguments

  /// - Parameters:
  ///   - tracks: of one video, or of frames.
  ///   - search: finds them in one video.
  ///   - review: shows what was found.
  init(
    _ redaction: RedactionRequest, _ tracks: TrackOptions?, search: VideoSearch?, review: Review?,
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
    case .several(let videos): try await run(videos)
    case .pipe(let pipe): try await run(pipe)
    }
  }

  private func run(_ pipe: VideoPipe) async throws -> Int32 {
    for remark in redaction.remarks(tracks) { Console.note("frostglass redact: \(remark)") }
    if let warning = redaction.method.warning {
      Console.note("frostglass redact: warning: \(warning)")
    }
    let done = try await pipe.run(
      VideoPipe.Work(
        command: RedactCommand.name, recipe: redaction.recipe(covering: redaction.mask),
        mask: redaction.mask,
        tracks: tracks, maxPixels: maxPixels, backend: redaction.backend))
    guard audit != nil else { return ExitCode.done }
    let text: String
    do {
      text = try VideoAudit(
        redaction.method, redaction.mask, tracks, size: done.size, hasTime: redaction.hasTime
      ).text(done.moments, done.masks)
    } catch { throw error.failure(of: redaction.mask) }
    try save(text)
    return ExitCode.done
  }

  /// A video, with all that is to be done to it.
  private func video(_ job: VideoJob, _ tracks: TrackOptions?) -> VideoFile {
    var job = job
    job.recipe = redaction.recipe(covering: redaction.mask)
    job.isStrict = true
    job.keeping = .redacted
    job.keeping.tags = keepsTags
    if let tracks { job.follow(tracks, in: job.recipe) }
    let warnings = redaction.method.warning.map { ["warning: \($0)"] } ?? []
    return VideoFile(
      command: RedactCommand.name, job: job, mask: redaction.mask,
      remarks: redaction.remarks(tracks) + warnings, backend: redaction.backend)
  }

  private func run(_ job: VideoJob) async throws -> Int32 {
    guard let search else { return try await run(job, tracks) }
    guard let videos = CommandLineTool.videos else { throw VideoProgram.start() }
    // Obstacles are reported before the video is searched.
    try StillSink.file(job.output, overwrite: job.overwrite).preflight()
    try review?.check(1, beside: arguments.namedFiles(but: "review"))
    var job = job
    let (outcome, found) = try await search.run(
      on: &job, by: videos, on: redaction.backend, toRedact: true)
    let sheet = VideoReview(outcome)
    try review?.check(sheet.count, beside: arguments.namedFiles(but: "review"))
    let code = try await run(job, found)
    if let review {
      try await sheet.write(
        of: job.output, maxPixels: maxPixels, by: videos, on: Pipeline(redaction.backend),
        to: review
      )
    }
    search.say(
      outcome.found, outcome.found.words(hasSheet: review != nil), for: RedactCommand.name)
    return code
  }

  private func run(_ job: VideoJob, _ tracks: TrackOptions?) async throws -> Int32 {
    var file = video(job, tracks)
    if let audit, CommandLineTool.videos != nil {
      file.job.tell { [redaction, tracks] account throws(VideoFileError) in
        let text = try redaction.audit(of: account, tracks)
        return try mapped(VideoFileError.unwritable, audit.sidecar(text))
      }
    }
    _ = try await file.runAlone()
    return ExitCode.done
  }

  private func run(_ videos: VideoBatch) async throws -> Int32 {
    let own = try TrackOptions.each(of: videos.names(), arguments, toRedact: true)
    var told: VideoBatch.Audit?
    if case .file(let path, let overwrite)? = audit {
      let place = FilePlace(path)
      for tracks in own.values where FilePlace(tracks.path) == place {
        throw Failure.usage("--audit is \(path), which --tracks reads; take another file")
      }
      told = VideoBatch.Audit(
        file: try AuditFile(path, overwrite: overwrite, resuming: videos.resumes)
      ) { [redaction] account throws(VideoFileError) in
        try redaction.audit(of: account, own[account.job.input])
      }
    }
    return try await videos.run(audit: told) { input, output in
      guard own[input] != nil || !arguments.has("tracks") else { return .uncovered }
      let job = try VideoFile.job(input, to: output, arguments, Recipe([]), maxPixels: maxPixels)
      return .video(video(job, own[input]))
    }
  }

  private func save(_ text: String) throws {
    try audit?.save(text)
  }
}

/// A video that is whole and has no name yet.
struct VideoAccount: Sendable {
  var job: VideoJob
  var report: VideoReport
  /// The SHA-256 of the video that it was made of, from before.
  var inputDigest: String?
  /// Its own.
  var outputDigest: String?
}

extension VideoJob {
  /// Writes the audit before the video is published, so that no video lacks one.
  ///
  /// - Parameter teller: what it makes gets its name with the video.
  mutating func tell(
    _ teller: @escaping @Sendable (VideoAccount) throws(VideoFileError) -> Sidecar
  ) {
    let digest = FileDigest.sha256(of: input, in: version)
    telling = { [job = self] report, path throws(VideoFileError) in
      try teller(
        VideoAccount(
          job: job, report: report, inputDigest: digest,
          outputDigest: FileDigest.sha256(of: path)))
    }
  }
}

extension RedactionRequest {
  /// Returns the audit of a video, as one JSON object.
  fileprivate func audit(
    of account: VideoAccount, _ tracks: TrackOptions?
  ) throws(VideoFileError) -> String {
    let (job, report) = (account.job, account.report)
    let files = VideoAudit.Files(
      input: job.input, inputDigest: hasInputDigest ? account.inputDigest : nil,
      output: job.output,
      outputDigest: account.outputDigest, encoders: report.encoders, dropped: report.leftOut)
    let audit = VideoAudit(
      method, mask, tracks, size: report.size ?? Size(width: 0, height: 0), files: files,
      hasTime: hasTime)
    do { return try audit.text(report.moments, report.masks) } catch {
      throw VideoFileError(error, of: job.input)
    }
  }
}

extension VideoRedaction.Work {
  /// Several videos; `nil` where none are given.
  init?(several arguments: ParsedArguments) throws {
    let videos = try VideoBatch(arguments, of: RedactCommand.self, takesVideosAlone: false)
    guard let videos else { return nil }
    self = .several(videos)
    try VideoFile.refuseImages(arguments, "--out-dir of videos")
    try Self.refusePipes(arguments)
  }

  /// A video, or frames between pipes, where a name or an option speaks of one; `nil` elsewhere.
  init?(_ arguments: ParsedArguments) throws {
    let names = arguments.operands
    let told =
      TrackOptions.table + VideoPipe.reading + VideoPipe.writing + LivePipe.options
      + VideoFile.options
    let option = told.first { arguments.has($0.name) }
    let video = names.first { VideoName.isVideo($0) || LivePipe.isCamera($0) }
    guard video != nil || option != nil else { return nil }
    let what = video ?? option.map { "--\($0.name)" } ?? ""
    try VideoFile.refuseImages(arguments, what)
    if names[1] == "-", names[0] == "-" || LivePipe.isCamera(names[0]) {
      for other in VideoFile.options where arguments.has(other.name) {
        throw Failure.usage(
          "--\(other.name) is for videos from file to file, and these are frames between pipes")
      }
      self = .pipe(
        try VideoPipe(arguments, hasTracks: true, live: try LivePipe(arguments)))
      return
    }
    guard VideoName.isVideo(names[1]), names[0] != "-" else {
      try VideoFile.refuse(picture: names[1], of: names[0])
      throw Failure.usage(
        "\(what) is for videos, which go from file to file, such as in.mp4 and out.mp4, or through pipes: - and -"
      )
    }
    try Self.refusePipes(arguments)
    self = .one(
      try VideoFile.job(
        names[0], to: names[1], arguments, Recipe([]),
        maxPixels: try arguments.decoding().maxPixels))
  }

  private static func refusePipes(_ arguments: ParsedArguments) throws {
    for other in ["size", "pixel-format", "rate", "to"] + LivePipe.options.map(\.name)
    where arguments.has(other) {
      throw Failure.usage(VideoFile.refusal(ofPipes: other))
    }
  }
}
