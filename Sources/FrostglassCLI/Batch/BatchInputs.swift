internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// The pictures that the operands of a batch stand for.
struct BatchInputs {
  private(set) var pictures: [BatchInput] = []
  /// The paths that cannot be read.
  private(set) var obstacles: [PictureWalk.Obstacle] = []
  /// Directories without pictures.
  private(set) var empty: [String] = []
  /// Films in directories that are looked through for pictures.
  private(set) var films: [String] = []
  /// Other files in directories, which are not taken; none unless they are kept.
  private(set) var others: [String] = []

  /// Those of a list.
  init(_ pictures: [BatchInput]) { self.pictures = pictures }

  /// - Parameters:
  ///   - output: the output's directory, which is not taken for an input.
  ///   - keepingOthers: whether files that are not taken are kept apart.
  ///   - takes: whether a file in a directory is taken, by its name.
  /// - Throws: `Failure` for standard input, and for directories without `--recursive`.
  init(
    _ operands: [String], recursive: Bool, output: String, keepingOthers: Bool = false,
    _ takes: @escaping (String) -> Bool = PictureWalk.isPicture
  ) throws(Failure) {
    for operand in operands {
      guard operand != "-" else { throw .usage("standard input has no name to keep in --out-dir") }
      if PictureWalk.isDirectory(operand) {
        try add(
          directory: operand, recursive: recursive, output: output, keepingOthers: keepingOthers,
          takes)
      } else {
        // By bytes: to a string, a slash with an accent over it is no slash.
        let name =
          operand.utf8.split(separator: UInt8(ascii: "/")).last
          .map { String(decoding: $0, as: UTF8.self) } ?? operand
        pictures.append(BatchInput(path: operand, name: name))
      }
    }
  }

  private mutating func add(
    directory: String, recursive: Bool, output: String, keepingOthers: Bool,
    _ takes: @escaping (String) -> Bool
  ) throws(Failure) {
    // `*` names the output's directory too, once it is there.
    if FileIdentity(directory) == FileIdentity(output) { return }
    guard recursive else {
      throw .usage("\(directory) is a directory; --recursive takes what is in it")
    }
    let walk = PictureWalk(directory, except: output, keepingOthers: keepingOthers) {
      takes($0) || FilmName.isFilm($0)
    }
    let found = walk.found.filter { takes($0.path) }
    pictures += found
    films += walk.found.filter { !takes($0.path) }.map(\.path)
    obstacles += walk.obstacles
    others += walk.others
    if found.isEmpty, walk.obstacles.isEmpty { empty.append(directory) }
  }
}

/// One picture of a batch.
package struct BatchInput: Sendable, Hashable {
  /// The path of the file.
  package var path: String
  /// The path below the output folder: the file's name, after the folders between it and the directory that was given.
  package var name: String
  /// True if the output has that name whatever its format is.
  package var keepsName = false
}

extension BatchInput {
  /// The format that a file has, by what it begins with; `nil` for pipes, and where it cannot be read.
  var format: StillFormat? {
    guard FileIdentity(file: path) != nil else { return nil }
    let descriptor = open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var start = [UInt8](repeating: 0, count: StillFormat.signatureLength)
    let count = read(descriptor, &start, start.count)
    return StillFormat(signature: Array(start.prefix(max(count, 0))))
  }
}

/// Finds the pictures in a directory and in the directories below it.
///
/// Taken are files whose names end like those of a format that is read. Hidden files and
/// directories are passed over, links to directories, which could lead in circles, and pipes and
/// devices, which could wait forever.
package struct PictureWalk {
  /// Something that cannot be looked at.
  package struct Obstacle: Sendable, Hashable {
    package var path: String
    /// In the system's words.
    package var reason: String

    fileprivate init(_ path: String, reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  /// In the order of their paths, so that two walks give the same.
  package private(set) var found: [BatchInput] = []
  package private(set) var obstacles: [Obstacle] = []
  /// Files that are not taken and may be pictures all the same; none unless they are kept.
  package private(set) var others: [String] = []

  private let excluded: FileIdentity?
  private let keepsOthers: Bool
  private let takes: (String) -> Bool

  /// - Parameters:
  ///   - excluded: a directory that is not entered: the output's.
  ///   - keepsOthers: whether files that are not taken are kept apart.
  ///   - takes: whether a file is taken, by its name.
  package init(
    _ directory: String, except excluded: String? = nil, keepingOthers keepsOthers: Bool = false,
    _ takes: @escaping (String) -> Bool = PictureWalk.isPicture
  ) {
    self.excluded = excluded.flatMap { FileIdentity($0) }
    self.keepsOthers = keepsOthers
    self.takes = takes
    visit(directory, name: "")
  }

  private mutating func visit(_ path: String, name: String) {
    let names: [String]
    do { names = try namesOfFiles(in: path) } catch {
      obstacles.append(Obstacle(path, reason: error.words))
      return
    }
    for entry in names where !entry.hasPrefix(".") {
      let place = path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
      let below = name.isEmpty ? entry : "\(name)/\(entry)"
      var status = stat()
      guard lstat(place.systemPath, &status) == 0 else {
        obstacles.append(Obstacle(place, reason: systemWords(errno)))
        continue
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        if FileIdentity(place) != excluded { visit(place, name: below) }
      } else if takes(entry), Self.isFile(place) {
        found.append(BatchInput(path: place, name: below))
      } else if keepsOthers, !takes(entry), !Self.isText(entry), Self.isFile(place) {
        others.append(place)
      }
    }
  }

  /// Returns true if a path leads to a file or to nothing. The job reports a missing file.
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path.systemPath, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns true if a name ends like those of a readable image format.
  package static func isPicture(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return StillFormat(fileExtension: String(name[name.index(after: dot)...])) != nil
  }

  /// Returns true if a name is that of a text file about images, such as regions and labels.
  private static func isText(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return ["csv", "json", "jsonl", "md", "txt", "xml", "yaml", "yml"].contains(
      name[name.index(after: dot)...].lowercased())
  }

  /// Returns true if a path leads to a directory, also through a link.
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path.systemPath, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The output directory of a batch. Each image or video goes there under its input's name.
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

  /// Refuses inputs and outputs that coincide with an additional file.
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

  /// Refuses outputs that coincide with additional input files.
  ///
  /// - Parameter read: such files, by their options.
  static func check(
    _ places: [Place], against read: [(option: String, place: FilePlace)]
  ) throws(Failure) {
    for (option, file) in read {
      for place in places where file.isNamed(like: place.output) {
        guard FilePlace(place.output) != file else {
          throw .usage(
            "\(place.output), an output of this command, is what --\(option) reads; give another "
              + "--out-dir")
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

  /// Returns the places whose output does not exist yet. Outputs are published atomically, so existing ones are
  /// complete.
  ///
  /// - Throws: `Failure` for an output that is its own input.
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
