internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import Glibc

/// A list of images in a file, which several machines may share.
///
/// Each line is a JSON object with `input`, and `output` where the picture's own path will not do; or the
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

  /// The pictures of this part of the list, in order; a line that is there twice counts once.
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
        { Failure("\(name), line \(number): \($0.reason)", .badData) }, self.picture(line))
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
    // What ends with a slash or a dot is a folder.
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
/// A picture's part depends on what it becomes, but for the ending, and on nothing else in the list: lines
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
