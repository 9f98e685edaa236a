internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// What batches of pictures and of films are asked alike: which inputs, where to, and what becomes of files
/// that are there.
struct BatchRequest {
  /// What the command is called by.
  let command: String
  let operands: [String]
  /// The one that outputs go to.
  let directory: String
  let recursive: Bool
  let resume: Bool
  let overwrite: Bool

  /// - Parameter options: those that make no sense without `--out-dir`.
  /// - Returns: `nil` where no batch is asked for.
  init?(
    _ arguments: ParsedArguments, of command: any Command.Type, takes options: [String]
  ) throws(Failure) {
    guard let directory = arguments.values["out-dir"] else {
      for option in options where arguments.has(option) {
        throw .usage("--\(option) is for batches; it needs --out-dir DIR")
      }
      return nil
    }
    guard !directory.isEmpty else { throw .usage("--out-dir is empty; it must be a directory") }
    guard !arguments.has("resume") || !arguments.has("overwrite") else {
      throw .usage(
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

/// Where the pictures or films of a batch go: one directory, each under its input's name.
struct BatchOutput {
  /// A picture with the file it becomes.
  struct Place {
    var input: String
    var output: String
  }

  var directory: String
  /// The format of all; `nil` keeps each input's.
  var format: StillFormat?

  /// - Throws: `Failure` when two inputs would have the same output.
  func places(for inputs: [BatchInput]) throws(Failure) -> [Place] {
    // By their bytes: equal strings may be different names, such as é and e with an accent.
    var taken: [[UInt8]: String] = [:]
    var places: [Place] = []
    for input in inputs {
      let name = outputName(for: input)
      if let other = taken.updateValue(input.path, forKey: name.systemBytes) {
        throw .usage("\(other) and \(input.path) would both become \(name)")
      }
      let separator = directory.hasSuffix("/") ? "" : "/"
      places.append(Place(input: input.path, output: directory + separator + name))
    }
    return places
  }

  /// Refuses inputs and outputs that would be a file beside them.
  ///
  /// - Parameters:
  ///   - sides: such files, by their options.
  ///   - input: what inputs are.
  static func check(
    _ sides: [(option: String, place: FilePlace)], beside places: [Place], _ input: String
  ) throws(Failure) {
    for (option, side) in sides {
      for place in places {
        for (path, what) in [(place.output, "an output"), (place.input, input)]
        where side.isNamed(like: path) && FilePlace(path) == side {
          throw .usage(
            "--\(option) is \(path), which is \(what) of this command; take another file")
        }
      }
    }
  }

  private func outputName(for input: BatchInput) -> String {
    if input.keepsName { return input.name }
    let own = named(input.name)
    if let own, format == nil || format == own { return input.name }
    // What has no name of a format keeps the one that it has.
    let written = format ?? input.format ?? .png
    return "\(input.name.dropLast(fileExtension(input.name).map { $0.count + 1 } ?? 0))"
      + ".\(written.fileExtension)"
  }

  /// The format that a name tells.
  private func named(_ name: String) -> StillFormat? {
    fileExtension(name).flatMap { StillFormat(fileExtension: $0) }
  }

  private func fileExtension(_ name: String) -> String? {
    let slash = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    let file = name[slash...]
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return nil }
    return String(file[file.index(after: dot)...])
  }

  /// What is not there yet. Outputs appear whole, so what is there needs no look inside.
  ///
  /// - Throws: `Failure` for what is there and the input itself.
  static func missing(_ places: [Place]) throws(Failure) -> [Place] {
    var missing: [Place] = []
    for place in places {
      guard let output = FileIdentity(file: place.output) else {
        missing.append(place)
        continue
      }
      guard output != FileIdentity(place.input) else {
        throw .usage("\(place.input) would be its own output; give another --out-dir")
      }
    }
    return missing
  }
}

/// Makes the directories that pictures are written to.
enum OutputFolder {
  /// Finds what would keep a directory from being made, as far as it can be seen.
  ///
  /// - Throws: `Failure` with exit code 73.
  static func check(_ path: String) throws(Failure) {
    var above = path
    while !above.isEmpty, !Folder.isThere(above) {
      guard access(above.systemPath, F_OK) != 0 else {
        throw Failure(
          "\(above): this directory cannot be made (it is there and not a directory); give another "
            + "--out-dir", .cannotCreate)
      }
      above = Folder.parent(of: above)
    }
    let isAbsolute = path.hasPrefix("/")
    let folder = above.isEmpty ? (isAbsolute ? "/" : ".") : above
    guard access(folder.systemPath, W_OK) != 0 else { return }
    throw Failure(
      "\(path): nothing can be written there (\(systemWords(errno))); give another "
        + "--out-dir", .cannotCreate)
  }

  /// Makes a directory and those above it, where they are not there yet.
  ///
  /// - Throws: `Failure` with exit code 73.
  static func make(_ path: String) throws(Failure) {
    guard let failure = Folder.make(path) else { return }
    throw Failure(
      "\(failure.path): this directory cannot be made (\(failure.reason)); give another "
        + "--out-dir",
      .cannotCreate)
  }
}
