internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// A batch as the command line asks for it: which images, where to, and with how much of the
/// machine.
struct Batch {
  static let options: [Option] = [
    Option(
      "out-dir", value: "DIR", "Write outputs to DIR, under the names of the inputs",
      details: "DIR is created if it does not exist."),
    Option("recursive", "Include subdirectories, and keep their structure"),
    Option("resume", "Skip outputs that exist in DIR"),
  ].grouped(.batch)
  /// For batches that may come from a list.
  static let listOptions: [Option] = [
    Option(
      "from", value: "FILE",
      "Read inputs from a list; - is standard input",
      details: "One path or JSON object per line."),
    Option(
      "shard", value: "I/N", "Process part I of N of the list, counted from 1",
      details: "N runs, one for each I, process the whole list."),
    Option("report", value: "FILE", "Append a JSON line to FILE for each finished image"),
  ].grouped(.batch)
  /// For commands that take it for batches alone.
  static let threads = Option(
    "threads", value: "N", "CPU threads (one per core)"
  ).grouped(.running)

  /// The options that make no sense for one image.
  static let demands = ["recursive", "resume", "from", "shard", "report"]

  private let request: BatchRequest
  private let list: BatchList?
  /// The path of the file with a row for each image.
  private let report: String?
  /// Additional output files, by option.
  private let sidePlaces: [(option: String, place: FilePlace)]
  /// Additional input files, by option.
  private let readPlaces: [(option: String, place: FilePlace)]
  private let verbose: Bool
  /// True for a dry run.
  private let isDry: Bool
  private let format: StillFormat?
  /// Bytes for all images that run at once.
  private let budget: Int

  /// - Parameters:
  ///   - arguments: which ask for a batch.
  ///   - command: what it is called by.
  init(
    _ arguments: ParsedArguments, of command: any Command.Type, format: StillFormat?
  ) throws {
    request = try BatchRequest(arguments, of: command)
    list = try BatchList(arguments)
    guard list != nil || !request.operands.isEmpty else { throw Failure.usage("no INPUT is given") }
    report = try arguments.sideFile("report")
    sidePlaces = arguments.sidePlaces
    readPlaces = arguments.readPlaces
    verbose = arguments.has("verbose")
    isDry = arguments.has("dry-run")
    self.format = format
    budget = try arguments.bytes("memory") ?? MachineMemory.half
  }

  /// The advice on videos in a directory that also has images, by command.
  private static let videoAdvice = [
    "blur": "; `frostglass video` blurs videos",
    "redact": "; give videos by their names, with --tracks",
    "fill": "; give videos by their names",
  ]

  /// A command's steps before and after the images of a batch.
  struct Surroundings {
    /// Told of all images with their outputs, and of outputs that are there already, before any work.
    var begin: (_ all: [BatchOutput.Place], _ skipped: [String]) throws -> Void = {
      _, _ in
    }
    /// Told what became of those that worked, in order.
    var end: ([BatchOutcome]) throws -> Void = { _ in }
  }

  /// The work of a batch, known before any of it is done.
  private struct BatchPlan {
    var inputs: BatchInputs
    /// All images with their outputs, and those of them whose output is missing.
    var all: [BatchOutput.Place]
    var places: [BatchOutput.Place]
    var tasks: [BatchTask] = []
    var refused: [(place: BatchOutput.Place, failure: Failure)] = []
    var uncovered: [BatchTally.Uncovered] = []

    /// Images whose output is there.
    var skipped: [BatchOutput.Place] {
      let missing = Set(places.map(\.output.systemBytes))
      return all.filter { !missing.contains($0.output.systemBytes) }
    }
  }

  /// - Parameters:
  ///   - threads: images at once; where there are fewer, each has more.
  ///   - make: what to do with an image.
  /// - Returns: the exit code.
  /// - Throws: `Failure` before any work when something cannot be meant, and after it when
  ///   something did not work.
  func run(
    backend: BackendOptions, threads: Int, around: Surroundings = Surroundings(),
    _ make: (StillSource, StillSink) throws -> BatchWork
  ) async throws -> Int32 {
    let agenda = try agenda(make)
    let concurrent = max(min(agenda.places.count, threads), 1)
    var backend = backend
    backend.threads = max(threads / concurrent, 1)
    (backend.expectedJobs, backend.jobsAtOnce) = (max(agenda.places.count, 1), concurrent)
    let pipeline = Pipeline(backend)
    var notices = BatchNotices()
    if isDry {
      try OutputFolder.check(request.directory)
    } else {
      if !agenda.places.isEmpty {
        try await start(pipeline, &notices)
        try OutputFolder.make(request.directory)
      }
      try around.begin(agenda.all, agenda.skipped.map(\.output))
    }

    let display = BatchDisplay(
      BatchTally(
        total: agenda.places.count + agenda.inputs.obstacles.count, skipped: agenda.skipped.count),
      of: request.command, verbose: verbose, notices: notices, to: try reportFile(agenda.skipped))
    Interruption.onEnd { [request] in
      let words = Self.interruption(display.close().tally, overwrite: request.overwrite)
      Console.report(Failure(words, .temporary), of: request.command)
    }
    display.show(agenda.inputs.obstacles, agenda.refused, agenda.uncovered)
    let run = BatchRun(
      tasks: agenda.tasks, pipeline: pipeline, places: concurrent, budget: budget,
      skipsExisting: request.resume, display: display)
    let outcomes = isDry ? [] : await run.run()
    let planned = isDry ? check(agenda.tasks, pipeline, display) : []
    let (tally, elapsed) = display.close()
    Console.note(tally.closing(after: elapsed))
    if verbose {
      for note in await pipeline.selector.notes() {
        Console.note("\(note.name.padded(to: 10))\(note.text)")
      }
    }
    if !isDry { try around.end(outcomes) }
    try display.report?.check()
    if Console.speaksJSON {
      let rows = rows(planned + outcomes.map(\.row), tally, agenda.all)
      Console.print(
        json: ImagesReport(rows: rows, isDry: isDry, duration: elapsed).members,
        of: request.command)
    }
    guard tally.failureLines.isEmpty else {
      throw Failure(lines: tally.failureLines, .badData)
    }
    return ExitCode.done
  }

  /// Finds the images, where they go, and what is to be done with each.
  ///
  /// - Throws: `Failure` for what cannot be meant: that is refused before anything is done.
  private func agenda(
    _ make: (StillSource, StillSink) throws -> BatchWork
  ) throws -> BatchPlan {
    let inputs =
      if let list {
        BatchInputs(try list.pictures())
      } else {
        try BatchInputs(
          request.operands, recursive: request.recursive, output: request.directory,
          keepingOthers: request.tellsOfOthers)
      }
    let output = BatchOutput(directory: request.directory, format: format)
    let all = try output.places(for: inputs.pictures)
    if let first = inputs.videos.first {
      let count = inputs.videos.count
      let words =
        "frostglass \(request.command): \(count) video\(count == 1 ? "" : "s") passed over, such as \(first)"
        + Self.videoAdvice[request.command, default: ""]
      if request.tellsOfOthers { Console.warn(words) } else { Console.note(words) }
    }
    request.tell(of: inputs.others)
    // A part of a list may be empty.
    if list == nil { try checkForImages(inputs) }
    try BatchOutput.check(sidePlaces, beside: all, "an image")
    try BatchOutput.check(all, against: readPlaces)
    var agenda = BatchPlan(
      inputs: inputs, all: all, places: try request.resume ? BatchOutput.missing(all) : all)
    for place in agenda.places {
      do {
        switch try make(.file(place.input), .file(place.output, overwrite: request.overwrite)) {
        case .task(let task): agenda.tasks.append(task)
        case .uncovered(let leftOut):
          agenda.uncovered.append(
            BatchTally.Uncovered(input: place.input, output: place.output, leftOut: leftOut))
        }
      } catch {
        let failure = Failure(saying: error)
        guard failure.kind != .usage else { throw failure }
        agenda.refused.append((place, failure))
      }
    }
    return agenda
  }

  /// Says what would be written.
  private func check(
    _ tasks: [BatchTask], _ pipeline: Pipeline, _ display: BatchDisplay
  ) -> [ImageRow] {
    var rows: [ImageRow] = []
    for task in tasks {
      do {
        let row = try task.check(pipeline)
        rows.append(row)
        display.planned(row)
      } catch {
        guard case .encode(.exists) = error else {
          display.failed(task.source.name, task.sink.name, task.failure(error))
          continue
        }
        display.failed(task.source.name, task.sink.name, error.batchFailure)
      }
    }
    return rows
  }

  /// A row for each image, in the order in which they were given.
  private func rows(
    _ made: [ImageRow], _ tally: BatchTally, _ places: [BatchOutput.Place]
  ) -> [ImageRow] {
    let failed = tally.failures.map { failure in
      ImageRow(
        input: failure.input, output: failure.output, status: .failed, reason: failure.reason)
    }
    let uncovered = tally.uncovered.map { picture in
      ImageRow(
        input: picture.input, output: picture.output, status: .uncovered, leftOut: picture.leftOut)
    }
    // By outputs, and their bytes: a list may make several of one input.
    var known: [[UInt8]: ImageRow] = [:]
    for row in made + failed + uncovered {
      if let output = row.output { known[Array(output.systemBytes)] = row }
    }
    let rows = places.map { place in
      known[Array(place.output.systemBytes)]
        ?? ImageRow(input: place.input, output: place.output, status: .skipped)
    }
    // Files that cannot be examined have no identity.
    return rows + failed.filter { $0.output == nil }
  }

  /// The requested report, with its existing rows.
  private func reportFile(_ skipped: [BatchOutput.Place]) throws -> BatchReport? {
    guard let report, !isDry else { return nil }
    return try BatchReport(
      report, below: request.directory, resuming: request.resume, overwrite: request.overwrite,
      skipped: skipped.map { ImageRow(input: $0.input, output: $0.output, status: .skipped) })
  }

  /// Says what was given in vain.
  private func checkForImages(_ inputs: BatchInputs) throws {
    let reasons = inputs.empty.map { "\($0): there are no images in this directory" }
    guard inputs.pictures.isEmpty, inputs.obstacles.isEmpty else {
      for reason in reasons { Console.note("frostglass \(request.command): \(reason)") }
      return
    }
    guard let reason = reasons.first else {
      throw Failure.usage(
        "\(request.directory) is both INPUT and --out-dir; give another --out-dir")
    }
    throw Failure(
      "\(reason); give one with \(StillFormat.names("or")) files",
      .noInput)
  }

  /// Starts the backend, so that one that does not start is reported once.
  private func start(_ pipeline: Pipeline, _ notices: inout BatchNotices) async throws {
    guard let selection = try await pipeline.selector.prepare() else { return }
    if let warning = notices.warning(selection.warning) {
      Console.note("frostglass \(request.command): \(warning)")
    }
    let choice = notices.choice(selection.backend.name, selection.reason)
    if verbose, let choice { Console.note(choice) }
  }

  private static func interruption(_ tally: BatchTally, overwrite: Bool) -> String {
    // What is to be replaced cannot be told from what has been.
    let rest = overwrite ? "" : "; the same command with --resume does the rest"
    return "interrupted with \(tally.standing)\(rest)"
  }
}

/// The settings that batches of images and of videos share: the inputs, the output directory, and the handling of
/// existing files.
struct BatchRequest {
  /// The command's name.
  let command: String
  let operands: [String]
  /// The one that outputs go to.
  let directory: String
  let recursive: Bool
  let resume: Bool
  let overwrite: Bool

  /// True if files passed over in directories are reported. Users who redact should know what is left.
  var tellsOfOthers: Bool { command == RedactCommand.name }

  /// Says which files in directories are passed over, also to who wants errors only.
  func tell(of others: [String]) {
    guard tellsOfOthers, !others.isEmpty else { return }
    let count = others.count
    let names = others.prefix(3).joined(separator: ", ")
    Console.warn(
      "frostglass \(command): warning: \(count) file\(count == 1 ? "" : "s") passed over and not "
        + "redacted: \(names)\(count > 3 ? ", …" : "")")
  }

  /// - Parameter arguments: which ask for a batch.
  init(_ arguments: ParsedArguments, of command: any Command.Type) throws {
    let directory = arguments.values["out-dir"] ?? ""
    guard !directory.isEmpty else {
      throw Failure.usage("--out-dir is empty; it must be a directory")
    }
    guard !arguments.has("resume") || !arguments.has("overwrite") else {
      throw Failure.usage(
        "--resume and --overwrite exclude each other; one skips what exists, the other replaces it")
    }
    self.command = command.name
    operands = arguments.operands
    self.directory = directory
    recursive = arguments.has("recursive")
    resume = arguments.has("resume")
    overwrite = arguments.has("overwrite")
  }
}
