internal import Frostglass
internal import FrostglassOptions

/// A batch of films as the command line asks for it. They go one after another, as each takes all of the
/// machine.
struct FilmBatch {
  /// What is to be done with a film.
  enum Work {
    case film(FilmFile)
    /// Nothing, for want of regions.
    case uncovered
  }

  /// A film that is done.
  struct Done {
    var file: FilmFile
    var report: FilmReport
    /// As it was before, where an audit is wanted.
    var inputDigest: String?
  }

  private let request: BatchRequest

  /// - Parameters:
  ///   - command: what it is called by.
  ///   - takesFilmsAlone: whether directories are looked through for films in any case, and not only where
  ///     there is no picture in them.
  /// - Returns: `nil` where no batch of films is asked for.
  init?(
    _ arguments: ParsedArguments, of command: any Command.Type, takesFilmsAlone: Bool
  ) throws(Failure) {
    // Lists are of pictures.
    guard takesFilmsAlone || !arguments.has("from") else { return nil }
    let request = try BatchRequest(arguments, of: command, takes: ["recursive", "resume"])
    guard let request else { return nil }
    guard !request.operands.isEmpty else { throw .usage("no INPUT is given") }
    if !takesFilmsAlone {
      let told = (TrackOptions.table + FilmFile.options).contains { arguments.has($0.name) }
      guard told || Self.areFilms(request.operands, output: request.directory) else { return nil }
    }
    self.request = request
  }

  /// Whether films are given, by name or in directories without pictures.
  private static func areFilms(_ operands: [String], output: String) -> Bool {
    operands.allSatisfy { operand in
      guard PictureWalk.isDirectory(operand) else { return FilmName.isFilm(operand) }
      guard FileIdentity(operand) != FileIdentity(output) else { return true }
      return PictureWalk(operand, except: output).found.isEmpty
        && !PictureWalk(operand, except: output, FilmName.isFilm).found.isEmpty
    }
  }

  private func inputs() throws(Failure) -> BatchInputs {
    try BatchInputs(
      request.operands, recursive: request.recursive, output: request.directory, FilmName.isFilm)
  }

  /// The films with their names below the directories that were given.
  func names() throws(Failure) -> [(name: String, path: String)] {
    try inputs().pictures.map { ($0.name, $0.path) }
  }

  /// - Parameters:
  ///   - digests: whether films are digested before they are read.
  ///   - make: what to do with a film, given both files.
  ///   - atEnd: told what became of those that worked, in order.
  /// - Returns: the exit code.
  /// - Throws: `Failure` before any work when something cannot be meant, and after it when something did not
  ///   work.
  func run(
    digests: Bool = false, atEnd: ([Done]) throws(Failure) -> Void = { _ throws(Failure) in },
    _ make: (_ input: String, _ output: String) throws(Failure) -> Work
  ) async throws(Failure) -> Int32 {
    guard CommandLineTool.films != nil else { throw FilmProgram.start() }
    let inputs = try inputs()
    for path in inputs.empty {
      Console.note("frostglass \(request.command): \(path): there are no films in this directory")
    }
    let start = ContinuousClock.now
    var rows: [PictureRow] = []
    var tally = BatchTally(total: inputs.pictures.count + inputs.obstacles.count)
    for obstacle in inputs.obstacles {
      tally.failures.append(
        BatchTally.Failure(input: obstacle.path, reason: "cannot be read (\(obstacle.reason))"))
    }
    let films = inputs.pictures.map { BatchInput(path: $0.path, name: $0.name, keepsName: true) }
    let all = try BatchOutput(directory: request.directory).places(for: films)
    let missing = try BatchOutput.missing(all)
    var works: [(input: String, work: Work)] = []
    for place in request.resume ? missing : all {
      works.append((place.input, try make(place.input, place.output)))
    }
    if request.resume {
      let isMissing = Set(missing.map(\.output.systemBytes))
      for place in all where !isMissing.contains(place.output.systemBytes) {
        rows.append(PictureRow(input: place.input, output: place.output, status: .skipped))
      }
      tally.skipped = rows.count
      tally.total -= rows.count
    }
    var done: [Done] = []
    for (input, work) in works {
      guard case .film(let file) = work else {
        tally.uncovered.append(BatchTally.Uncovered(input: input))
        rows.append(PictureRow(input: input, status: .uncovered))
        continue
      }
      let digest = digests ? FileDigest.sha256(of: input) : nil
      do throws(Failure) {
        try OutputFolder.make(Folder.parent(of: file.job.output))
        Console.note("\(input) → \(file.job.output)")
        let report = try await file.run()
        done.append(Done(file: file, report: report, inputDigest: digest))
        rows.append(file.row(of: report))
        tally.done += 1
        _ = try FilmFile.exitCode(of: report, file.job)
      } catch {
        if !Console.speaksJSON { Console.error("frostglass \(request.command): \(error.message)") }
        let reason = error.message.dropPrefix("\(input): ")
        tally.failures.append(BatchTally.Failure(input: input, reason: reason))
        if rows.last?.input != input {
          rows.append(PictureRow(input: input, status: .failed, reason: reason))
        }
      }
    }
    Console.note(tally.closing(after: start.duration(to: .now)))
    try atEnd(done)
    if Console.speaksJSON {
      Console.print(
        json: PicturesReport(rows: rows, duration: start.duration(to: .now)).members,
        of: request.command)
    }
    guard tally.failureList.isEmpty else { throw Failure(tally.failureList, .badData) }
    return ExitCode.done
  }
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
