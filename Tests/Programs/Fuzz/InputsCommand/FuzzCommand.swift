import Foundation
import InputFuzzing

/// The command's words, and what they ask for.
struct FuzzCommand {
  private var words: [String]

  /// - Parameter arguments: with the program's name.
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) async throws -> Int32 {
    var command = FuzzCommand(words: Array(arguments.dropFirst()))
    return try await command.run()
  }

  private mutating func run() async throws -> Int32 {
    switch words.first {
    case "--batch" where words.count == 7: try await batch()
    case "--one" where words.count == 3 || words.count == 5: try await one()
    default: try all()
    }
  }

  /// Runs a batch for the supervisor.
  private func batch() async throws -> Int32 {
    guard let kind = FuzzKind(rawValue: words[1]), let seed = UInt64(words[2]),
      let first = Int(words[3]), let end = Int(words[4])
    else { return 64 }
    let state = open(words[5], O_RDWR)
    let worker = Worker(
      kind: kind, seed: seed, numbers: first..<end, state: state,
      fuzzer: try InputFuzzer(folder: words[6]))
    return await worker.run()
  }

  /// One file, for a person, or for a supervisor with two words more.
  private func one() async throws -> Int32 {
    guard let kind = FuzzKind(rawValue: words[1]) else { return 64 }
    let isChild = words.count == 5
    let fuzzer = try InputFuzzer(folder: isChild ? words[4] : "/tmp")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: words[2])))
    let verdict: Result<FuzzVerdict, FuzzFinding>
    do throws(FuzzFinding) {
      verdict = .success(try await fuzzer.run(kind, bytes))
    } catch { verdict = .failure(error) }
    switch verdict {
    case .success(let verdict):
      if !isChild { print(verdict) }
      return 0
    case .failure(let finding):
      if isChild { Worker.tell(finding, open(words[3], O_RDWR)) } else { print(finding) }
      return Worker.finding
    }
  }

  private mutating func all() throws -> Int32 {
    let folder = "/dev/shm/frostglass-fuzz-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let minutes = value("--minutes").flatMap { Double($0) } ?? 1
    let seed = value("--seed").flatMap { UInt64($0) } ?? 1
    let findings = value("--findings") ?? ".build/fuzz-inputs"
    let fuzzer = try InputFuzzer(folder: folder)
    let wanted = words.compactMap { FuzzKind(rawValue: $0) }
    guard wanted.count == words.count else {
      print("kinds are \(fuzzer.kinds.map(\.rawValue).joined(separator: ", "))")
      return 64
    }
    var supervisor = Supervisor(
      fuzzer, seed: seed, minutes: minutes, findings: findings, folder: folder)
    let count = try supervisor.run(wanted.isEmpty ? fuzzer.kinds : wanted)
    print(count == 0 ? "no findings" : "\(count) findings in \(findings)")
    return count == 0 ? 0 : 1
  }

  /// Takes an option with its value out of the words.
  private mutating func value(_ name: String) -> String? {
    guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
    defer { words.removeSubrange(place...place + 1) }
    return words[place + 1]
  }
}
