import Foundation

/// This program, started again for some inputs.
final class ChildProcess {
  private let state: Int32
  private var child = pid_t()
  private let path: String

  /// What a child last said, and how it ended.
  struct Report {
    var number = 0
    var accepted = 0
    var words = ""
    /// `nil` where everything went well.
    var failure: String?
  }

  /// - Parameters:
  ///   - folder: for the child's files.
  ///   - most: seconds that one input may take.
  init(_ arguments: [String], folder: String) {
    path = "\(folder)/state"
    state = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    var words =
      ([CommandLine.arguments[0]] + arguments + [path, folder]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, "\(folder)/errors", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn(&child, "/proc/self/exe", &actions, nil, &words, environ)
  }

  deinit { close(state) }

  /// Waits for its end, and ends it where one input takes longer than `most` seconds.
  func end(most: Double) -> Report {
    var status: Int32 = 0
    var last = (number: -1, since: Date())
    var isHung = false
    while waitpid(child, &status, WNOHANG) == 0 {
      usleep(20_000)
      let now = read().number
      if now != last.number { last = (now, Date()) }
      if !isHung, -last.since.timeIntervalSinceNow > most {
        kill(child, SIGKILL)
        isHung = true
      }
    }
    var report = read()
    if isHung {
      report.failure = "takes longer than \(Int(most)) s"
    } else if status & 0x7F != 0 {
      report.failure = "ends with signal \(status & 0x7F)"
    } else if status >> 8 == Worker.finding {
      report.failure = report.words
    } else if status >> 8 != 0 {
      report.failure = "ends with code \(status >> 8)"
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
