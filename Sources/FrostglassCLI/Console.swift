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
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

  /// Whether words on standard output may stand out: on a terminal, unless `NO_COLOR` is set.
  static var isStyled: Bool {
    isatty(STDOUT_FILENO) == 1 && !isDumb && variable("NO_COLOR").isEmpty
  }

  /// Columns of standard output: the terminal's, or those that `COLUMNS` says, or 80; 40 to 100 of them.
  static var width: Int {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return min(max(isKnown ? Int(size.ws_col) : Int(variable("COLUMNS")) ?? 80, 40), 100)
  }

  private static var isDumb: Bool { variable("TERM") == "dumb" }

  private static func variable(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

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
  /// When pixels began to be computed.
  private let start = Mutex<ContinuousClock.Instant?>(nil)

  /// What is being done now.
  func say(_ words: String) {
    text.withLock { $0 = words }
    if shown.withLock({ $0 }) { draw() }
  }

  /// How far a job is, and how long it will still take.
  func say(_ progress: Job.Progress) {
    var words = progress.stage.gerund
    if progress.stage == .execute {
      let begin = start.withLock { start in
        start = start ?? .now
        return start ?? .now
      }
      if progress.frames > 1 {
        words += ", frame \(progress.framesDone) of \(progress.frames) done"
      } else if progress.fraction > 0 {
        words += ", \(Int((progress.fraction * 100).rounded())) %"
      }
      if progress.fraction >= 0.02 {
        let left = begin.duration(to: .now) * ((1 - progress.fraction) / progress.fraction)
        words += ", \(left.inWords) left"
      }
    }
    say(words)
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
  /// Whole seconds, with the two largest units: `2 min 10 s`.
  var inWords: String {
    let seconds = Int((self / .seconds(1)).rounded())
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    default: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
  }

  /// Milliseconds with one decimal place.
  var millisecondsText: String {
    let tenths = (self / .microseconds(100)).rounded() / 10
    return "\(tenths)"
  }
}
