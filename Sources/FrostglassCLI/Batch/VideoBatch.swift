internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// A batch of videos as the command line asks for it. They go one after another, as each takes all of the
/// machine.
struct VideoBatch {
  /// The work on a video.
  enum Work {
    case video(VideoFile)
    /// Nothing, for want of regions.
    case uncovered
  }

  /// The audit of each video, written before the video gets its name.
  struct Audit {
    let file: AuditFile
    /// Returns the audit of a video, as one JSON object.
    let text: @Sendable (VideoAccount) throws(VideoFileError) -> String
  }

  private let request: BatchRequest
  /// Additional output files, by option.
  private let sidePlaces: [(option: String, place: FilePlace)]
  /// Additional input files, by option.
  private let readPlaces: [(option: String, place: FilePlace)]

  /// - Parameters:
  ///   - command: what it is called by.
  ///   - takesVideosAlone: whether directories are looked through for videos in any case, and not only where
  ///     there is no image in them.
  /// - Returns: `nil` where no batch of videos is asked for.
  init?(
    _ arguments: ParsedArguments, of command: any Command.Type, takesVideosAlone: Bool
  ) throws {
    // Lists are of images.
    guard takesVideosAlone || !arguments.has("from") else { return nil }
    guard try arguments.isBatch(takes: ["recursive", "resume"]) else { return nil }
    let request = try BatchRequest(arguments, of: command)
    guard !request.operands.isEmpty else { throw Failure.usage("no INPUT is given") }
    if !takesVideosAlone {
      let told = (TrackOptions.table + VideoFile.options).contains { arguments.has($0.name) }
      guard told || Self.areVideos(request.operands, output: request.directory) else { return nil }
    }
    for option in ["shard", "report"] where arguments.has(option) {
      throw Failure.usage("--\(option) is for images; batches of videos go without it")
    }
    self.request = request
    sidePlaces = arguments.sidePlaces
    readPlaces = arguments.readPlaces
  }

  /// True if existing outputs are kept and count as done.
  var resumes: Bool { request.resume }

  /// Returns true if videos are given, by name or in directories without images.
  private static func areVideos(_ operands: [String], output: String) -> Bool {
    operands.allSatisfy { operand in
      guard ImageWalk.isDirectory(operand) else { return VideoName.isVideo(operand) }
      guard FileIdentity(operand) != FileIdentity(output) else { return true }
      return ImageWalk(operand, except: output).found.isEmpty
        && !ImageWalk(operand, except: output, VideoName.isVideo).found.isEmpty
    }
  }

  private func inputs() throws -> BatchInputs {
    try BatchInputs(
      request.operands, recursive: request.recursive, output: request.directory,
      keepingOthers: request.tellsOfOthers, VideoName.isVideo)
  }

  /// The videos with their names below the directories that were given.
  func names() throws -> [(name: String, path: String)] {
    try inputs().pictures.map { ($0.name, $0.path) }
  }

  /// - Parameters:
  ///   - audit: gets a row for each video, which is digested before it is read.
  ///   - make: what to do with a video, given both files.
  /// - Returns: the exit code.
  /// - Throws: `Failure` before any work when something cannot be meant, and after it when something did not
  ///   work.
  func run(
    audit: Audit? = nil,
    _ make: (_ input: String, _ output: String) throws -> Work
  ) async throws -> Int32 {
    guard CommandLineTool.videos != nil else { throw VideoProgram.start() }
    let inputs = try inputs()
    for path in inputs.empty {
      Console.note("frostglass \(request.command): \(path): there are no videos in this directory")
    }
    request.tell(of: inputs.others)
    let start = ContinuousClock.now
    var course = BatchProgress(inputs)
    let works = try works(inputs, &course, make)
    if let file = audit?.file {
      try file.open()
      if let words = file.doubt(of: course.skipped, "videos") {
        Console.note("frostglass \(request.command): warning: \(words)")
      }
    }
    for (input, work) in works {
      switch work {
      case .uncovered: course.leaveOut(input)
      case .video(let file): await run(file, input, audit, &course)
      }
    }
    Console.note(course.tally.closing(after: start.duration(to: .now)))
    try audit?.file.finish(course.told)
    if Console.speaksJSON {
      Console.print(
        json: ImagesReport(rows: course.rows, duration: start.duration(to: .now)).members,
        of: request.command)
    }
    guard course.tally.failureLines.isEmpty else {
      throw Failure(lines: course.tally.failureLines, .badData)
    }
    return ExitCode.done
  }

  /// The progress of the videos.
  private struct BatchProgress {
    var rows: [ImageRow] = []
    var tally: BatchTally
    /// The audits of the videos.
    var told: [(output: String, text: String)] = []

    init(_ inputs: BatchInputs) {
      tally = BatchTally(total: inputs.pictures.count + inputs.obstacles.count)
      tally.failures = inputs.obstacles.map { obstacle in
        BatchTally.Failure(input: obstacle.path, reason: "cannot be read (\(obstacle.reason))")
      }
    }

    /// Counts outputs that exist already as skipped.
    mutating func skip(_ places: [BatchOutput.Place]) {
      rows += places.map {
        ImageRow(input: $0.input, output: $0.output, status: .skipped)
      }
      tally.skipped += places.count
      tally.total -= places.count
    }

    /// Outputs that were there already.
    var skipped: [String] {
      rows.compactMap { $0.status == .skipped ? $0.output : nil }
    }

    /// A video without regions is not written.
    mutating func leaveOut(_ input: String) {
      tally.uncovered.append(BatchTally.Uncovered(input: input))
      rows.append(ImageRow(input: input, status: .uncovered))
    }

    mutating func add(_ file: VideoFile, _ report: VideoReport) {
      rows.append(file.row(of: report))
      tally.done += 1
    }

    mutating func fail(_ input: String, _ reason: String) {
      tally.failures.append(BatchTally.Failure(input: input, reason: reason))
      rows.append(ImageRow(input: input, status: .failed, reason: reason))
    }
  }

  /// Returns the work on each video; with `--resume`, only on those whose output is missing.
  private func works(
    _ inputs: BatchInputs, _ course: inout BatchProgress,
    _ make: (_ input: String, _ output: String) throws -> Work
  ) throws -> [(input: String, work: Work)] {
    let videos = inputs.pictures.map { BatchInput(path: $0.path, name: $0.name, keepsName: true) }
    let all = try BatchOutput(directory: request.directory).places(for: videos)
    try BatchOutput.check(sidePlaces, beside: all, "a video")
    try BatchOutput.check(all, against: readPlaces)
    let missing = try BatchOutput.missing(all)
    var works: [(input: String, work: Work)] = []
    for place in request.resume ? missing : all {
      works.append((place.input, try make(place.input, place.output)))
    }
    if request.resume {
      let isMissing = Set(missing.map(\.output.systemBytes))
      course.skip(all.filter { !isMissing.contains($0.output.systemBytes) })
    }
    return works
  }

  /// Makes a video, and says what became of it.
  private func run(
    _ file: VideoFile, _ input: String, _ audit: Audit?, _ course: inout BatchProgress
  ) async {
    var file = file
    let told = ToldRow()
    if let audit {
      file.job.tell { account throws(VideoFileError) in
        let text = try audit.text(account)
        told.text = text
        return audit.file.sidecar(text)
      }
    }
    file.demandWholeness()
    do {
      try OutputFolder.make(Folder.parent(of: file.job.output))
      Console.note("\(input) → \(file.job.output)")
      let report = try await file.run()
      if let text = told.text { course.told.append((file.job.output, text)) }
      course.add(file, report)
    } catch {
      let message = Failure(saying: error).message
      if !Console.speaksJSON { Console.error("frostglass \(request.command): \(message)") }
      course.fail(input, message.dropPrefix("\(input): "))
    }
  }
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
