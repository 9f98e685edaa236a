internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// Text for people: results on standard output, everything else on standard error.
enum Console {
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Text without a line end on standard error, for progress.
  static func errorFragment(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Whether progress can be drawn in place.
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) {
    // Where nobody listens any more, there is no one to tell.
    _ = text.systemBytes.withUnsafeBytes { writeAll($0, to: descriptor) }
  }

  /// Says what failed and was made good.
  static func report(_ recoveries: [Recovery], of command: String) {
    for recovery in recoveries.newTo([]) { error("frostglass \(command): \(recovery)") }
  }
}

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

extension Report.Stage {
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

extension Double {
  /// The number with so many decimals at most.
  func rounded(places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    return (self * scale).rounded() / scale
  }
}

extension Duration {
  /// Milliseconds with one decimal place.
  var millisecondsText: String {
    let tenths = (self / .microseconds(100)).rounded() / 10
    return "\(tenths)"
  }
}
