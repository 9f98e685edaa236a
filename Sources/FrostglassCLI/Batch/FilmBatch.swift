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

  private let command: String
  private let operands: [String]
  private let directory: String
  private let recursive: Bool
  private let resume: Bool
  private let overwrite: Bool

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
    guard let directory = arguments.values["out-dir"] else {
      for option in ["recursive", "resume"] where arguments.has(option) {
        throw .usage("--\(option) is for batches; it needs --out-dir DIR")
      }
      return nil
    }
    guard !directory.isEmpty else { throw .usage("--out-dir is empty; it must be a directory") }
    guard !arguments.operands.isEmpty else { throw .usage("no INPUT is given") }
    guard !arguments.has("resume") || !arguments.has("overwrite") else {
      throw .usage(
        "--resume and --overwrite exclude each other; one skips what exists, the other replaces it")
    }
    if !takesFilmsAlone {
      let told = (TrackOptions.table + FilmFile.options).contains { arguments.has($0.name) }
      guard told || Self.areFilms(arguments.operands, output: directory) else { return nil }
    }
    self.command = command.name
    operands = arguments.operands
    self.directory = directory
    recursive = arguments.has("recursive")
    resume = arguments.has("resume")
    overwrite = arguments.has("overwrite")
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
    try BatchInputs(operands, recursive: recursive, output: directory, FilmName.isFilm)
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
      Console.note("frostglass \(command): \(path): there are no films in this directory")
    }
    let start = ContinuousClock.now
    var rows: [PictureRow] = []
    var tally = BatchTally(total: inputs.pictures.count + inputs.obstacles.count)
    for obstacle in inputs.obstacles {
      tally.failures.append(
        BatchTally.Failure(input: obstacle.path, reason: "cannot be read (\(obstacle.reason))"))
    }
    var works: [(input: String, work: Work)] = []
    var taken: [[UInt8]: String] = [:]
    for film in inputs.pictures {
      let output = directory + (directory.hasSuffix("/") ? "" : "/") + film.name
      if let other = taken.updateValue(film.path, forKey: film.name.systemBytes) {
        throw .usage("\(other) and \(film.path) would both become \(film.name)")
      }
      guard let there = FileIdentity(file: output) else {
        works.append((film.path, try make(film.path, output)))
        continue
      }
      guard there != FileIdentity(film.path) else {
        throw .usage("\(film.path) would be its own output; give another --out-dir")
      }
      guard !resume else {
        rows.append(PictureRow(input: film.path, output: output, status: .skipped))
        tally.skipped += 1
        tally.total -= 1
        continue
      }
      works.append((film.path, try make(film.path, output)))
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
        if !Console.speaksJSON { Console.error("frostglass \(command): \(error.message)") }
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
        json: PicturesReport(rows: rows, duration: start.duration(to: .now)).members, of: command)
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
