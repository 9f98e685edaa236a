internal import Frostglass
internal import Synchronization

/// A line on the terminal that appears when work takes over a second, and goes when it is done.
final class ProgressLine: Sendable {
  private let text = Mutex("")
  private let shown = Mutex(false)

  /// What is being done now.
  func say(_ words: String) {
    text.withLock { $0 = words }
    if shown.withLock({ $0 }) { draw() }
  }

  /// Runs `body`, drawing the line if it takes long and there is a terminal.
  static func during<Value>(
    _ body: (ProgressLine) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let line = ProgressLine()
    guard Console.errorIsTerminal else { return try await body(line) }
    let timer = Task {
      try await Task.sleep(for: .seconds(1))
      line.shown.withLock { $0 = true }
      line.draw()
    }
    defer {
      timer.cancel()
      line.erase()
    }
    return try await body(line)
  }

  private func draw() {
    Console.errorFragment("\r\u{1B}[K" + text.withLock { $0 } + "…")
  }

  private func erase() {
    if shown.withLock({ $0 }) { Console.errorFragment("\r\u{1B}[K") }
  }
}

extension Stage {
  /// What is going on, in a word.
  var gerund: String {
    switch self {
    case .decode: "reading"
    case .plan: "planning"
    case .execute: "blurring"
    case .encode: "writing"
    }
  }
}
