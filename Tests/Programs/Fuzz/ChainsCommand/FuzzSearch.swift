import ChainFuzzing
import FuzzProcesses
import Glibc

/// Runs cases in processes of their own, so that one that crashes is a finding and not the end.
struct FuzzSearch {
  private let arguments: FuzzArguments
  /// Cases per process.
  private static let batch: UInt64 = 250

  init(_ arguments: FuzzArguments) { self.arguments = arguments }

  private struct Tally {
    var agreed = 0
    var scenes = 0
    var refused = 0
    var dear = 0
    var findings: [String] = []

    var cases: Int { agreed + scenes + refused + dear + findings.count }
  }

  /// - Returns: 0 if every rule held, otherwise 1.
  func run() async throws -> Int32 {
    let report = "/tmp/frostglass-fuzz-\(getpid())"
    defer { unlink(report) }
    var tally = Tally()
    var next = arguments.first
    let start = ContinuousClock.now
    func goesOn() -> Bool {
      guard let minutes = arguments.minutes else {
        return next < arguments.first + arguments.cases
      }
      return start.duration(to: .now) < .seconds(60 * minutes)
    }
    while goesOn() {
      let left = arguments.minutes == nil ? arguments.first + arguments.cases - next : Self.batch
      let count = min(Self.batch, left)
      unlink(report)
      let end = try spawn(["--work", "\(next)", "\(count)", report])
      next = try await take(report, next..<next + count, end, &tally)
      Line.write(
        "\(tally.cases) cases: \(tally.agreed) agreed, \(tally.scenes) scenes, \(tally.refused) refused, "
          + "\(tally.dear) too dear, \(tally.findings.count) found", to: STDOUT_FILENO)
    }
    return tally.findings.isEmpty ? 0 : 1
  }

  /// Counts what a process reported.
  ///
  /// - Returns: the number of the next case.
  private func take(
    _ report: String, _ numbers: Range<UInt64>, _ end: OwnProcess.End, _ tally: inout Tally
  ) async throws -> UInt64 {
    var open: UInt64?
    for line in lines(of: report) {
      let fields = line.split(separator: "\t", maxSplits: 3).map { String($0) }
      open = nil
      switch fields[0] {
      case "begin": open = UInt64(fields[1])
      case "agreed": tally.agreed += 1
      case "scene": tally.scenes += 1
      case "refused": tally.refused += 1
      case "dear": tally.dear += 1
      default: keep(fields[3], "case \(fields[1]): \(fields[2])", &tally)
      }
    }
    guard let open else {
      guard end == .code(0) else {
        throw FuzzArguments.Mistake(description: "a worker did not start: \(end)")
      }
      return numbers.upperBound
    }
    let smallest = try await ChainCase(number: open).minimized { candidate in
      if case .signal = try spawn(["--probe", "\(candidate)"], quiet: true) { return true }
      return false
    }
    keep("\(smallest)", "case \(open): \(end)", &tally)
    return open + 1
  }

  private func keep(_ line: String, _ what: String, _ tally: inout Tally) {
    tally.findings.append(what)
    Line.write("FOUND \(what)\n  \(line)", to: STDOUT_FILENO)
    guard let kept = arguments.kept, let file = fopen(kept, "a") else { return }
    fputs("# \(what)\n\(line)\n", file)
    fclose(file)
  }

  private func lines(of path: String) -> [Substring] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    // A line that has no end is that of a process which was ended while it wrote.
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Runs this program with other arguments, and waits.
  private func spawn(_ words: [String], quiet: Bool = false) throws -> OwnProcess.End {
    let file = quiet ? "/dev/null" : nil
    return try OwnProcess(
      ["--gpu", arguments.gpu.rawValue] + words, output: file, errors: file
    ).wait()
  }
}
