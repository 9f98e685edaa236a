internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// The audit row of one output, set once it is known.
final class ToldRow: Sendable {
  private let kept = Mutex<String?>(nil)

  /// `nil` until it was told.
  var text: String? {
    get { kept.withLock { $0 } }
    set { kept.withLock { $0 = newValue } }
  }
}

/// The audit of a batch: an array in a file that is whole after each image or video, and has its row before it
/// has its name.
///
/// A batch that is interrupted has told of all that it made and of nothing else, and `--resume` goes on where it
/// ended. What is there after a machine went down may end in the middle of a row, which the next run takes away.
final class AuditFile: Sendable {
  private let path: String
  private let overwrite: Bool
  /// The rows of earlier runs.
  private let kept: [Row]
  private let state: Mutex<State>

  private struct Row {
    var text: String
    var output: FilePlace
  }

  /// The row of an output that this run made, or is about to give its name.
  private struct ToldText {
    var number: Int
    /// With a line's end behind it.
    var text: String
    /// The offset at which the file would end without this row and those after it.
    var place: Int
  }

  private struct State {
    /// Below 0 before it is open, and for what cannot be written over, such as a pipe: it gets everything in
    /// the end.
    var descriptor: Int32 = -1
    /// The descriptor of the file as it was before. No other run takes the file up while it is open.
    var before: Int32 = -1
    /// Bytes of the rows of runs before, without the file's end.
    let kept: Int
    /// In the order of the file.
    var told: [ToldText] = []
    /// The number of the next row.
    var number = 0

    /// The offset of the next row, over the file's end.
    var place: Int {
      told.last.map { $0.place + AuditFile.start(of: $0.place).utf8.count + $0.text.utf8.count - 1 }
        ?? kept
    }
  }

  /// Returns the text before a row; `place` is 0 for the first.
  private static func start(of place: Int) -> String { place == 0 ? "[\n" : ",\n" }

  /// Returns the file's end after the rows; `place` is 0 without rows.
  private static func end(of place: Int) -> String { place == 0 ? "[]\n" : "\n]\n" }

  /// Reads the existing file.
  ///
  /// - Parameters:
  ///   - resuming: whether rows that are there stay; else a file that is there is refused, or replaced.
  /// - Throws: `Failure` for what is no audit of a batch, or one that another run writes.
  init(_ path: String, overwrite: Bool, resuming: Bool) throws {
    self.path = path
    self.overwrite = overwrite || resuming
    // What is no file, such as a pipe, holds no rows.
    let resumes = resuming && FilePlace(path).holdsFile
    let before = resumes ? Glibc.open(path.systemPath, O_RDONLY | O_CLOEXEC) : -1
    do {
      if before >= 0 { try Self.take(before, path) }
      kept = resumes ? try Self.rows(of: path) : []
    } catch {
      if before >= 0 { close(before) }
      throw error
    }
    let bytes = Self.text(kept.map(\.text)).utf8.count
    state = Mutex(
      State(before: before, kept: kept.isEmpty ? 0 : bytes - Self.end(of: bytes).utf8.count))
  }

  /// Makes the file, before any work.
  ///
  /// - Throws: `Failure` where it cannot be written.
  func open() throws {
    guard FilePlace(path).holdsFile else { return }
    let sink = StillSink.file(path, overwrite: overwrite)
    try sink.save(Self.text(kept.map(\.text)))
    let descriptor = Glibc.open(path.systemPath, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw EncodeError.unwritable(path: path, reason: systemWords(errno)).failure
    }
    state.withLock { $0.descriptor = descriptor }
    try Self.take(descriptor, path)
  }

  deinit {
    state.withLock { state in
      for descriptor in [state.descriptor, state.before] where descriptor >= 0 { close(descriptor) }
    }
  }

  /// Keeps other runs from an audit for as long as the descriptor is open.
  private static func take(_ descriptor: Int32, _ path: String) throws {
    // A file system without locks has none to break.
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw Failure.usage(
      "--audit is \(path), which another run is writing; give each run one of its own")
  }

  private static func text(_ rows: [String]) -> String {
    rows.isEmpty ? "[]\n" : "[\n\(rows.joined(separator: ",\n"))\n]\n"
  }

  /// The row of an image or a video, which is in the file before that has its name, and goes again where that
  /// gets none.
  ///
  /// - Parameter text: what was done, as one object, with a line's end behind it.
  func sidecar(_ text: String) -> Sidecar {
    let number = state.withLock { state in
      defer { state.number += 1 }
      return state.number
    }
    return Sidecar(
      publish: { [self] () throws(EncodeError) in
        let failure = state.withLock { state -> Int32? in
          state.told.append(ToldText(number: number, text: text, place: state.place))
          guard let failure = Self.write(state, from: state.told.count - 1) else { return nil }
          Self.remove(number, from: &state)
          return failure
        }
        if let failure { throw .unwritable(path: path, reason: systemWords(failure)) }
      }, withdraw: { [self] in state.withLock { Self.remove(number, from: &$0) } })
  }

  /// Takes a row away; those behind it move up, into room that they had before.
  private static func remove(_ number: Int, from state: inout State) {
    guard let index = state.told.lastIndex(where: { $0.number == number }) else { return }
    var rest = state.told[index...]
    rest.removeFirst()
    state.told.removeSubrange(index...)
    for var row in rest {
      row.place = state.place
      state.told.append(row)
    }
    _ = write(state, from: index)
  }

  /// Writes the rows from one on, and the file's end.
  ///
  /// - Returns: `nil`, or the error number.
  private static func write(_ state: State, from index: Int) -> Int32? {
    // What cannot be written over gets everything in the end.
    guard state.descriptor >= 0 else { return nil }
    let rows = state.told[index...]
    let place = rows.first?.place ?? state.place
    var text = rows.map { start(of: $0.place) + $0.text.dropLast() }.joined()
    text += end(of: state.place)
    guard lseek(state.descriptor, place, SEEK_SET) == place else { return errno }
    let failure = Array(text.utf8).withUnsafeBytes { writeAll($0, to: state.descriptor) }
    guard failure == nil else { return failure }
    return ftruncate(state.descriptor, place + text.utf8.count) == 0 ? nil : errno
  }

  /// Puts all rows in order, those of runs before this one first.
  ///
  /// - Parameter made: an audit for each output that this run made.
  func finish(_ made: [(output: String, text: String)]) throws {
    let new = Set(made.map { FilePlace($0.output) })
    let rows =
      kept.filter { !new.contains($0.output) }.map(\.text)
      + made.map { String($0.text.dropLast()) }
    try StillSink.file(path, overwrite: true).save(Self.text(rows))
  }

  /// Returns a message about outputs that exist already and that no earlier run recorded; `nil` if there are none.
  ///
  /// - Parameter things: the outputs' name in the plural.
  func doubt(of outputs: [String], _ things: String = "images") -> String? {
    let known = Set(kept.map(\.output))
    let untold = outputs.filter { !known.contains(FilePlace($0)) }
    guard let first = untold.first else { return nil }
    return untold.count == 1
      ? "\(first) is there already and not in \(path); move it away to have it made anew"
      : "\(untold.count) \(things) are there already and not in \(path), such as \(first); move them away "
        + "to have them made anew"
  }

  /// The rows of an audit that is there; none where there is no file, or an empty one, as a machine that
  /// went down may leave.
  ///
  /// As they were written: an object begins and ends with a line of its own. Other JSON, such as an audit
  /// that was indented, is refused, as rows could be lost.
  private static func rows(of path: String) throws -> [Row] {
    let bytes: [UInt8]
    do { bytes = try bytesOfFile(path) } catch {
      if case .system(ENOENT) = error { return [] }
      throw Failure("\(path): cannot be read (\(error.words))", .noInput)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first else { return [] }
    guard first == "[" || first == "[]" else { throw foreign(path) }
    var rows: [Row] = []
    var row: [Substring] = []
    for line in lines.dropFirst() where line != "]" {
      guard !row.isEmpty || line == "{" else { throw foreign(path) }
      row.append(line == "}," ? "}" : line)
      guard row.last == "}" else { continue }
      let text = row.joined(separator: "\n")
      guard let output = output(of: text) else { throw foreign(path) }
      rows.append(Row(text: text, output: FilePlace(output)))
      row = []
    }
    return rows
  }

  /// The name of the output that a row tells of; `nil` for what is no row.
  private static func output(of row: String) -> String? {
    guard case .object(let members)? = try? JSONValue(text: row, hasPaths: true).content,
      case .object(let output)? = members.first(where: { $0.name == "output" })?.value.content,
      case .string(let name)? = output.first(where: { $0.name == "name" })?.value.content
    else { return nil }
    return name
  }

  private static func foreign(_ path: String) -> Failure {
    .usage(
      "--audit is \(path), which is there and no audit of several images or videos as this command writes it; "
        + "give another")
  }
}
