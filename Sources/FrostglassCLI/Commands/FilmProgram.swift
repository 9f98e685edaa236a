internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import FrostglassOptions
internal import Glibc

/// The program that reads and writes films: this command with libav in it.
enum FilmProgram {
  static let name = "frostglass-video"

  /// Where it is: beside this program, where packages put it, or where `PATH` says; `nil` where it is not.
  static var path: String? {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &own, own.count)
    let folder = Folder.parent(
      of: String(systemPath: own.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }))
    let places = getenv("PATH").map {
      String(systemPath: $0).split(separator: ":").map(String.init)
    }
    return ([folder, "\(folder)/../libexec/frostglass"] + (places ?? []))
      .map { "\($0)/\(name)" }.first { access($0.systemPath, X_OK) == 0 }
  }

  /// What `doctor` says of it.
  static var words: String {
    if let films = CommandLineTool.films { return "films as files, by \(films.libraries)" }
    guard let path else { return "pipes alone; films as files take the package \(name)" }
    return "films as files, by \(path)"
  }

  /// Becomes it, with the same words, and with what has been read of standard input there once more.
  ///
  /// - Returns: why not.
  static func start(with input: String) -> Failure {
    let bytes = Array(input.utf8)
    guard let file = tmpfile(), fwrite(bytes, 1, bytes.count, file) == bytes.count,
      fflush(file) == 0, lseek(fileno(file), 0, SEEK_SET) == 0,
      dup2(fileno(file), STDIN_FILENO) >= 0
    else { return Failure("standard input cannot be handed on", .software) }
    return start()
  }

  /// Becomes it, with the same words.
  ///
  /// - Returns: why not.
  static func start() -> Failure {
    guard let path else {
      return Failure(
        "films are read and written by the program \(name), which is not here; install the package of "
          + "that name, or give - and - and have ffmpeg read and write them", .unavailable)
    }
    var words = ([strdup(path.systemPath)] + CommandLineTool.words) + [nil]
    execv(path.systemPath, &words)
    return Failure("\(path): cannot be started (\(systemWords(errno)))", .unavailable)
  }
}
