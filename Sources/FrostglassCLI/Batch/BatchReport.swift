internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// A file with a line of JSON for each image of a batch, written as images end.
///
/// What is there after a machine went down is whole lines and perhaps the beginning of one, which the next
/// run with `--resume` takes away. The paths of outputs are those below the output's directory, so that a
/// report is a list.
final class BatchReport: Sendable {
  private let path: String
  private let directory: String
  private let state: Mutex<State>

  private struct State {
    let descriptor: Int32
    /// The reason that a row could not be written.
    var failure: String?
  }

  /// - Parameters:
  ///   - directory: where outputs go.
  ///   - resuming: whether rows of images that are there stay, of a report that is there; else that is
  ///     refused, or replaced.
  ///   - skipped: existing outputs.
  /// - Throws: `Failure` where the file cannot be written, or is none of ours.
  init(
    _ path: String, below directory: String, resuming: Bool, overwrite: Bool, skipped: [ImageRow]
  ) throws {
    self.path = path
    self.directory = directory.hasSuffix("/") ? directory : directory + "/"
    let known = resuming ? try Self.rows(of: path) : [:]
    var text = ""
    for row in skipped {
      let own = Self.relative(row, to: self.directory)
      text += (known[own.output?.systemBytes ?? []] ?? own.json) + "\n"
    }
    try StillSink.file(path, overwrite: overwrite || resuming).save(text)
    let descriptor = open(path.systemPath, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unwritable(path, systemWords(errno)) }
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { _ = state.withLock { close($0.descriptor) } }

  /// Writes what became of an image.
  func add(_ row: ImageRow) {
    let line = Array((Self.relative(row, to: directory).json + "\n").utf8)
    state.withLock { state in
      if let code = line.withUnsafeBytes({ writeAll($0, to: state.descriptor) }) {
        state.failure = systemWords(code)
      }
    }
  }

  /// - Throws: `Failure` where a row could not be written.
  func check() throws {
    if let failure = state.withLock({ $0.failure }) { throw Self.unwritable(path, failure) }
  }

  private static func relative(_ row: ImageRow, to directory: String) -> ImageRow {
    var row = row
    if let output = row.output, output.utf8.starts(with: directory.utf8) {
      row.output = String(
        decoding: output.utf8.dropFirst(directory.utf8.count), as: UTF8.self)
    }
    return row
  }

  /// The whole lines of a report that is there, by their outputs; later ones count.
  private static func rows(of path: String) throws -> [[UInt8]: String] {
    let bytes: [UInt8]
    do { bytes = try bytesOfFile(path) } catch {
      guard case .system(let code) = error else { throw unwritable(path, "it is too large") }
      guard code == ENOENT else { throw unwritable(path, systemWords(code)) }
      return [:]
    }
    // By their bytes: equal strings may be different names.
    var rows: [[UInt8]: String] = [:]
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    for (index, line) in bytes[..<end].split(separator: UInt8(ascii: "\n")).enumerated() {
      let text = String(systemPath: Array(line))
      guard case .object(let members)? = try? JSONValue(text: text, hasPaths: true).content,
        let status = members.first(where: { $0.name == "status" })
      else {
        throw Failure.usage(
          "--report is \(path), whose line \(index + 1) is no row of a report; give another")
      }
      // A failed output that exists now was written since by an interrupted run.
      if case .string("failed") = status.value.content { continue }
      for member in members where member.name == "output" {
        if case .string(let output) = member.value.content { rows[output.systemBytes] = text }
      }
    }
    return rows
  }

  private static func unwritable(_ path: String, _ reason: String) -> Failure {
    Failure("\(path): the report cannot be written (\(reason))", .cannotCreate)
  }
}
