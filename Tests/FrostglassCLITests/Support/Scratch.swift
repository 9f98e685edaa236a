import Foundation
import FrostglassStills
import Testing

/// A folder for one test, removed with everything in it at the end; commands run in it.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/frostglass-test-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  static func / (scratch: Scratch, name: String) -> String { scratch.path + "/" + name }

  /// Everything in the folder and its folders, sorted; folders end with a slash.
  var names: [String] {
    let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return all.map { isFolder($0) ? $0 + "/" : $0 }.sorted()
  }

  private func isFolder(_ name: String) -> Bool {
    var folder: ObjCBool = false
    return FileManager.default.fileExists(atPath: self / name, isDirectory: &folder)
      && folder.boolValue
  }

  func add(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: self / name))
  }

  func addFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self / name, withIntermediateDirectories: true)
  }

  func contents(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self / name)))
  }

  /// Decodes a file of this folder.
  func picture(_ name: String) throws -> Still { try StillDecoder().decode(.file(self / name)) }

  /// Runs `frostglass` here.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandRun {
    try run(arguments, environment: environment)
  }

  /// Runs `frostglass` here.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> CommandRun {
    try CommandRun(CommandRun.executable, arguments, in: path, environment: environment)
  }

  /// Runs `frostglass` here, which is to exit with a code, to explain itself with some words, and to leave
  /// everything as it was.
  func refusal(
    _ arguments: [String], exit: Int32, _ words: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = names
    let run = try run(arguments)
    #expect(run.exitCode == exit && run.explains(words), "\(run)", sourceLocation: sourceLocation)
    #expect(names == before, sourceLocation: sourceLocation)
  }

  /// Runs a shell script here, with the command as `$frostglass`.
  func shell(_ script: String, environment: [String: String] = [:]) throws -> CommandRun {
    try CommandRun(
      "/bin/sh", ["-c", script], in: path,
      environment: environment.merging(["frostglass": CommandRun.executable]) { $1 })
  }
}
