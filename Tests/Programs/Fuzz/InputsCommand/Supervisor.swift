import Foundation
import FuzzProcesses
import InputFuzzing

/// Has inputs tried by children, goes on behind those that fail, and keeps those.
struct Supervisor {
  struct Tally {
    var cases = 0
    var accepted = 0
    var findings = 0
    var seconds = 0.0
  }

  let fuzzer: InputFuzzer
  let seed: UInt64
  let minutes: Double
  /// The folder of findings.
  let findings: String
  let folder: String
  /// Seconds that one input may take.
  private let most = 20.0
  private var tallies: [FuzzKind: Tally] = [:]

  init(_ fuzzer: InputFuzzer, seed: UInt64, minutes: Double, findings: String, folder: String) {
    self.fuzzer = fuzzer
    self.seed = seed
    self.minutes = minutes
    self.findings = findings
    self.folder = folder
  }

  /// - Returns: the number of findings.
  /// - Throws: `OwnProcess.NotStarted` when the system refuses to start a child.
  mutating func run(_ kinds: [FuzzKind]) throws(OwnProcess.NotStarted) -> Int {
    let end = Date() + minutes * 60
    var next: [FuzzKind: Int] = [:]
    while Date() < end {
      for kind in kinds where Date() < end {
        let first = next[kind] ?? 0
        let count = kind.batch
        let start = Date()
        var number = first
        while number < first + count {
          number = try batch(kind, number..<first + count)
          if tallies[kind, default: Tally()].findings > 200 { break }
        }
        tallies[kind, default: Tally()].seconds -= start.timeIntervalSinceNow
        next[kind] = first + count
      }
      print(table(kinds))
      fflush(nil)
    }
    return tallies.values.reduce(0) { $0 + $1.findings }
  }

  /// - Returns: the number after the last input that was tried.
  private mutating func batch(
    _ kind: FuzzKind, _ numbers: Range<Int>
  ) throws(OwnProcess.NotStarted) -> Int {
    let child = try ChildProcess(
      ["--batch", kind.rawValue, "\(seed)", "\(numbers.lowerBound)", "\(numbers.upperBound)"],
      folder: folder)
    let report = child.end(most: most)
    let last = min(max(report.number, numbers.lowerBound), numbers.upperBound)
    tallies[kind, default: Tally()].accepted += report.accepted
    guard let failure = report.failure else {
      tallies[kind, default: Tally()].cases += numbers.count
      return numbers.upperBound
    }
    tallies[kind, default: Tally()].cases += last - numbers.lowerBound + 1
    tallies[kind, default: Tally()].findings += 1
    try keep(kind, last, failure)
    return last + 1
  }

  private func keep(
    _ kind: FuzzKind, _ number: Int, _ failure: String
  ) throws(OwnProcess.NotStarted) {
    let input = fuzzer.input(kind, seed: seed, number: number)
    let name = "\(findings)/\(kind)-\(seed)-\(number)"
    let log = (try? String(contentsOfFile: "\(folder)/errors", encoding: .utf8)) ?? ""
    let words = "\(kind) \(number) of seed \(seed), from \(input.original.name): \(failure)"
    print(words)
    fflush(nil)
    try? FileManager.default.createDirectory(
      atPath: findings, withIntermediateDirectories: true)
    try? Data(input.bytes).write(to: URL(fileURLWithPath: name))
    try? Data((words + "\n" + log).utf8).write(to: URL(fileURLWithPath: name + ".txt"))
    var minimizer = Minimizer(kind, folder: folder, most: most)
    let small = try minimizer.minimized(input.bytes, input.original.bytes)
    try? Data(small).write(to: URL(fileURLWithPath: name + ".small"))
  }

  private func table(_ kinds: [FuzzKind]) -> String {
    func row(_ name: String, _ tally: Tally) -> String {
      let numbers = [
        tally.cases, tally.accepted, tally.cases - tally.accepted - tally.findings, tally.findings,
        Int(Double(tally.cases) / max(tally.seconds, 0.001)),
      ]
      return name.padding(toLength: 8, withPad: " ", startingAt: 0)
        + numbers.map { String(repeating: " ", count: max(10 - "\($0)".count, 1)) + "\($0)" }
        .joined()
    }
    let all = tallies.values.reduce(into: Tally()) { sum, tally in
      sum.cases += tally.cases
      sum.accepted += tally.accepted
      sum.findings += tally.findings
      sum.seconds += tally.seconds
    }
    return
      (["kind          cases  accepted   refused  findings  a second"]
      + kinds.map { row($0.rawValue, tallies[$0] ?? Tally()) } + [row("all", all)])
      .joined(separator: "\n")
  }
}
