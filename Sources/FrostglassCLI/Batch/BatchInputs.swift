internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// The images that the operands of a batch stand for.
struct BatchInputs {
  private(set) var pictures: [BatchInput] = []
  /// The paths that cannot be read.
  private(set) var obstacles: [ImageWalk.UnreadablePath] = []
  /// Directories without images.
  private(set) var empty: [String] = []
  /// Videos in directories that are looked through for images.
  private(set) var videos: [String] = []
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
    _ takes: @escaping (String) -> Bool = ImageWalk.isImage
  ) throws(Failure) {
    for operand in operands {
      guard operand != "-" else { throw .usage("standard input has no name to keep in --out-dir") }
      if ImageWalk.isDirectory(operand) {
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
    let walk = ImageWalk(directory, except: output, keepingOthers: keepingOthers) {
      takes($0) || VideoName.isVideo($0)
    }
    let found = walk.found.filter { takes($0.path) }
    pictures += found
    videos += walk.found.filter { !takes($0.path) }.map(\.path)
    obstacles += walk.obstacles
    others += walk.others
    if found.isEmpty, walk.obstacles.isEmpty { empty.append(directory) }
  }
}

/// One image of a batch.
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

/// Finds the images in a directory and in the directories below it.
///
/// Taken are files whose names end like those of a format that is read. Hidden files and
/// directories are passed over, links to directories, which could lead in circles, and pipes and
/// devices, which could wait forever.
package struct ImageWalk {
  /// Something that cannot be looked at.
  package struct UnreadablePath: Sendable, Hashable {
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
  package private(set) var obstacles: [UnreadablePath] = []
  /// Files that are not taken and may be images all the same; none unless they are kept.
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
    _ takes: @escaping (String) -> Bool = ImageWalk.isImage
  ) {
    self.excluded = excluded.flatMap { FileIdentity($0) }
    self.keepsOthers = keepsOthers
    self.takes = takes
    visit(directory, name: "")
  }

  private mutating func visit(_ path: String, name: String) {
    let names: [String]
    do { names = try namesOfFiles(in: path) } catch {
      obstacles.append(UnreadablePath(path, reason: error.words))
      return
    }
    for entry in names where !entry.hasPrefix(".") {
      let place = path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
      let below = name.isEmpty ? entry : "\(name)/\(entry)"
      var status = stat()
      guard lstat(place.systemPath, &status) == 0 else {
        obstacles.append(UnreadablePath(place, reason: systemWords(errno)))
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
  package static func isImage(_ name: String) -> Bool {
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
  /// An image with the file it becomes.
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

/// Makes the directories that images are written to.
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

/// A list of images in a file, which several machines may share.
///
/// Each line is a JSON object with `input`, and `output` where the image's own path will not do; or the
/// input alone, as a JSON text or as it is. What else an object has is passed over, so that the rows of a
/// report make a list.
struct BatchList {
  private let path: String
  private let shard: Shard

  /// - Returns: `nil` where no list is given.
  init?(_ arguments: ParsedArguments) throws(Failure) {
    guard let path = arguments.values["from"] else {
      guard !arguments.has("shard") else {
        throw .usage("--shard is a part of a list; it needs --from FILE")
      }
      return nil
    }
    guard !path.isEmpty else {
      throw .usage("--from is empty; it must be a file with a list, or -")
    }
    guard arguments.operands.isEmpty else {
      throw .usage(
        "--from and \(arguments.operands[0]) exclude each other; put every INPUT into the list")
    }
    guard !arguments.has("recursive") else {
      throw .usage("--recursive is for directories; --from has a line for each image")
    }
    self.path = path
    shard = try arguments.values["shard"].map { text throws(Failure) in try Shard(text) } ?? Shard()
  }

  /// The list's name in messages.
  private var name: String { path == "-" ? "standard input" : path }

  /// The images of this part of the list, in order; a line that is there twice counts once.
  ///
  /// - Throws: `Failure` for a line that cannot be meant, also one of another part: then no part is done.
  func pictures() throws(Failure) -> [BatchInput] {
    var pictures: [BatchInput] = []
    // By their bytes: equal strings may be different names.
    var lines: [[UInt8]: (number: Int, input: String)] = [:]
    var number = 0
    try forEachLine { line throws(Failure) in
      number += 1
      guard line.contains(where: { !isSpace($0) }) else { return }
      let picture = try mapped(
        { (line: BadLine) in
          Failure("\(name), line \(number): \(line.reason)", .badData)
        }, self.picture(line))
      let output = picture.name.systemBytes
      guard shard.takes(output) else { return }
      guard let other = lines.updateValue((number, picture.path), forKey: output) else {
        pictures.append(picture)
        return
      }
      guard other.input == picture.path else {
        throw Failure(
          "\(name), lines \(other.number) and \(number): \(other.input) and \(picture.path) would "
            + "both become \(picture.name); give one of them another output", .badData)
      }
    }
    return pictures
  }

  private struct BadLine: Error {
    var reason: String
  }

  private func picture(_ line: ArraySlice<UInt8>) throws(BadLine) -> BatchInput {
    let text = String(systemPath: Array(line))
    guard let first = line.first(where: { !isSpace($0) }),
      [UInt8(ascii: "{"), UInt8(ascii: "\"")].contains(first)
    else { return BatchInput(path: text, name: try Self.place(of: text, from: "path")) }
    let value: JSONValue
    do { value = try JSONValue(text: text, hasPaths: true) } catch {
      throw BadLine(reason: "column \(error.place.column): \(error.reason)")
    }
    if case .string(let input) = value.content {
      return BatchInput(path: input, name: try Self.place(of: input, from: "path"))
    }
    guard case .object(let members) = value.content else {
      throw BadLine(reason: "\(value.kind) is no image")
    }
    var texts: [String: String] = [:]
    for member in members where ["input", "output"].contains(member.name) {
      if case .null = member.value.content, member.name == "output" { continue }
      guard case .string(let text) = member.value.content, !text.isEmpty else {
        throw BadLine(reason: "\(member.name) is \(member.value.kind); it must be a path")
      }
      texts[member.name] = text
    }
    guard let input = texts["input"] else { throw BadLine(reason: "there is no input") }
    guard let output = texts["output"] else {
      return BatchInput(path: input, name: try Self.place(of: input, from: "input"))
    }
    return BatchInput(
      path: input, name: try Self.place(of: output, from: "output"), keepsName: true)
  }

  /// Returns the path of an image below the output's directory, without parts that change nothing.
  ///
  /// Paths are compared as bytes, as the system sees them: in a string, a slash with an accent over it is no slash.
  ///
  /// - Parameter member: the path's name in messages.
  /// - Throws: `BadLine` if the path would lead elsewhere, or names no file.
  private static func place(of path: String, from member: String) throws(BadLine) -> String {
    let slash = UInt8(ascii: "/")
    let all = path.utf8.split(separator: slash)
    let parts = all.filter { !$0.elementsEqual(".".utf8) }
    let isInput = member != "output"
    guard !parts.contains(where: { $0.elementsEqual("..".utf8) }),
      isInput || path.utf8.first != slash
    else {
      throw BadLine(
        reason: "\(member) \(path) would leave --out-dir; "
          + (isInput ? "give it an output" : "it must be a path below that"))
    }
    // A path that ends with a slash or a dot is a folder.
    guard let last = parts.last, path.utf8.last != slash, last.endIndex == all.last?.endIndex else {
      throw BadLine(reason: "\(member) \(path) is no file")
    }
    guard !path.utf8.contains(0) else {
      throw BadLine(reason: "\(member) \(path) has a character that no path has, 0")
    }
    return String(decoding: Array(parts.joined(separator: [slash])), as: UTF8.self)
  }

  /// Calls `body` with each line, without what ends it.
  private func forEachLine(
    _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var kept: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else { throw unreadable(errno) }
      var rest = buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        if kept.isEmpty {
          try body(rest[..<end])
        } else {
          try body((kept + rest[..<end])[...])
          kept.removeAll()
        }
        rest = rest[(end + 1)...]
      }
      kept += rest
      guard kept.count <= Self.longestLine else {
        throw Failure(
          "\(name) has a line of more than \(Self.longestLine >> 10) KiB; it is no list of images",
          .badData)
      }
    }
    if !kept.isEmpty { try body(kept[...]) }
  }

  /// Paths have at most 4096 bytes.
  private static let longestLine = 1 << 20

  private func unreadable(_ code: Int32) -> Failure {
    Failure("\(name): cannot be read (\(systemWords(code)))", .noInput)
  }

  /// Space at the ends of a line, such as the first half of a Windows line end.
  private func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D].contains(byte) }
}

/// One of so many parts of a list.
///
/// An image's part depends on what it becomes, but for the ending, and on nothing else in the list: lines
/// may come and go, and what would become the same file is in the same part.
private struct Shard {
  private var index = 0
  private var count = 1

  init() {}

  init(_ text: String) throws(Failure) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      count > 0, count <= 1_000_000, (1...count).contains(index)
    else {
      throw .usage("--shard is \(text); it must be I/N with I from 1 to N, such as 3/64")
    }
    (self.index, self.count) = (index - 1, count)
  }

  /// - Parameter output: a name, in its bytes.
  func takes(_ output: [UInt8]) -> Bool {
    guard count > 1 else { return true }
    let name = output.split(separator: UInt8(ascii: "/")).last?.startIndex ?? 0
    // A dot in front of a name is no ending's.
    let dot = output.lastIndex(of: UInt8(ascii: ".")) ?? 0
    let stem = dot > name ? output[..<dot] : output[...]
    // FNV-1a, 64 bits; its lowest bits alone would tell little apart.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in stem { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (hash ^ hash >> 32) % UInt64(count) == UInt64(index)
  }
}
