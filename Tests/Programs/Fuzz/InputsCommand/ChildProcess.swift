import Foundation
import FuzzProcesses

/// This program, started again for some inputs.
final class ChildProcess {
  private let state: Int32
  private let process: OwnProcess

  /// The last report of a child, and its end.
  struct Report {
    var number = 0
    var accepted = 0
    var words = ""
    /// `nil` where everything went well.
    var failure: String?
  }

  /// - Parameter folder: for the child's files.
  /// - Throws: `OwnProcess.NotStarted` when the system refuses to start it.
  init(_ arguments: [String], folder: String) throws(OwnProcess.NotStarted) {
    let path = "\(folder)/state"
    // It finds the file there.
    state = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    do {
      process = try OwnProcess(arguments + [path, folder], errors: "\(folder)/errors")
    } catch {
      close(state)
      throw error
    }
  }

  deinit { close(state) }

  /// Waits for its end, and ends it where one input takes longer than `most` seconds.
  func end(most: Double) -> Report {
    var last = (number: -1, since: Date())
    var isHung = false
    var end = process.end()
    while end == nil {
      usleep(20_000)
      let now = read().number
      if now != last.number { last = (now, Date()) }
      if !isHung, -last.since.timeIntervalSinceNow > most {
        process.kill()
        isHung = true
      }
      end = process.end()
    }
    var report = read()
    if isHung {
      report.failure = "takes longer than \(Int(most)) s"
    } else if end == .code(Worker.finding) {
      report.failure = report.words
    } else if let end, end != .code(0) {
      report.failure = "ends with \(end)"
    }
    return report
  }

  private func read() -> Report {
    var numbers: [Int64] = [0, 0]
    _ = numbers.withUnsafeMutableBytes { pread(state, $0.baseAddress, $0.count, 0) }
    var text = [UInt8](repeating: 0, count: 2000)
    let count = pread(state, &text, text.count, 16)
    return Report(
      number: Int(numbers[0]), accepted: Int(numbers[1]),
      words: String(decoding: text.prefix(max(count, 0)), as: UTF8.self))
  }
}
