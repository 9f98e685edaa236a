internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// The program's output: results on standard output, everything else on standard error.
enum Console {
  /// To whom.
  enum Manner: Sendable {
    /// To people.
    case words
    /// To people who want errors only.
    case quiet
    /// To programs: one JSON object, or one per line, and errors as another on standard error.
    case json
  }

  private static let manner = Mutex(Manner.words)
  private static let kept = Mutex([String]())
  /// The error number of the first write to standard output that failed.
  private static let lost = Mutex<Int32?>(nil)

  /// Says from now on what a command line asks for.
  static func speak(_ manner: Manner) { self.manner.withLock { $0 = manner } }

  /// True if the output is JSON, for programs.
  static var speaksJSON: Bool { manner.withLock { $0 == .json } }

  /// A result.
  static func print(_ text: String) {
    guard manner.withLock({ $0 != .quiet }) else { return }
    write(text.withoutControls + "\n", to: STDOUT_FILENO)
  }

  /// A text of this program's own that may have marks for terminals in it.
  static func print(styled text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Prints an error.
  static func error(_ text: String) { write(text.withoutControls + "\n", to: STDERR_FILENO) }

  /// Prints a note on the result, such as a warning, unless only errors are wanted. For programs it is kept.
  static func note(_ text: String) {
    switch manner.withLock({ $0 }) {
    case .words: error(text.onOneLine)
    case .quiet: return
    case .json: kept.withLock { $0.append(text) }
    }
  }

  /// Prints a warning, even if only errors are wanted. For programs it is kept.
  static func warn(_ text: String) {
    if speaksJSON { note(text) } else { error(text.onOneLine) }
  }

  /// A result as JSON: a member that says of which command, then its own, then the notes.
  static func print(json members: [(String, String)], of command: String) {
    let notes = kept.withLock { $0 }.map { note in
      // Who says it is in the object.
      let prefix = "frostglass \(command): "
      // There may be a path in it.
      return (note.hasPrefix(prefix) ? String(note.dropFirst(prefix.count)) : note).jsonPath
    }
    print(
      JSONText.object(
        [("command", JSONText.string(command))] + members + [("notes", JSONText.array(notes))]))
  }

  /// Ends a command that did not work.
  static func report(_ failure: Failure, of command: String) {
    guard speaksJSON else {
      error("frostglass \(command): " + failure.lines.map(\.onOneLine).joined(separator: "\n"))
      return
    }
    error(
      JSONText.object([
        ("command", JSONText.string(command)),
        (
          "error",
          JSONText.object([
            ("kind", JSONText.string("\(failure.kind)")), ("exitCode", "\(failure.exitCode)"),
            ("message", failure.message.jsonPath),
          ])
        ),
      ]))
  }

  /// Draws a line of progress on standard error in place of the one before.
  static func draw(_ text: String) { write(Self.clearedLine + text.onOneLine, to: STDERR_FILENO) }

  /// Takes a line of progress away.
  static func eraseLine() { write(Self.clearedLine, to: STDERR_FILENO) }

  private static let clearedLine = "\r\u{1B}[K"

  /// True if progress can be drawn in place.
  static var errorIsTerminal: Bool {
    isatty(STDERR_FILENO) == 1 && !isDumb && manner.withLock { $0 == .words }
  }

  /// True if text on standard output may be styled: on a terminal, unless `NO_COLOR` is set.
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

  /// Why a result was lost, in the system's words; `nil` where none was.
  static var loss: String? { lost.withLock { $0 }.map(systemWords) }

  private static func write(_ text: String, to descriptor: Int32) {
    let failure = text.systemBytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    // Without a reader, nothing is lost.
    guard descriptor == STDOUT_FILENO, let failure, failure != EPIPE else { return }
    lost.withLock { $0 = $0 ?? failure }
  }

  /// Says what failed and was made good.
  static func report(_ recoveries: [Recovery], of command: String) {
    for recovery in recoveries.newTo([]) { note("frostglass \(command): \(recovery)") }
  }
}

/// A line on the terminal that appears when work takes over a second, and goes when it is done.
final class ProgressLine: Sendable {
  private let text = Mutex("")
  private let shown = Mutex(false)
  /// The time at which pixels began to be computed.
  private let start = Mutex<ContinuousClock.Instant?>(nil)

  /// Shows the current activity.
  func say(_ words: String) {
    text.withLock { $0 = words }
    if shown.withLock({ $0 }) { draw() }
  }

  /// Shows the progress of a job, and the time that is left.
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
  static func during<Value, Problem: Error>(
    _ body: (ProgressLine) async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
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
    Console.draw(text.withLock { $0 } + "…")
  }

  private func erase() {
    if shown.withLock({ $0 }) { Console.eraseLine() }
  }
}

extension String {
  /// The text with characters that steer a terminal written out, such as `\x1b`, but for line ends and tabs: it may
  /// have file names and texts of strangers in it.
  var withoutControls: String { escapingControls(but: ["\n", "\t"]) }

  /// The same without line ends too, for what is one line.
  var onOneLine: String { escapingControls(but: []) }

  private func escapingControls(but allowed: Set<Unicode.Scalar>) -> String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      // Those of ASCII and Latin 1, line separators, and what turns the direction of writing.
      case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: !allowed.contains(scalar)
      default: false
      }
    }
    guard unicodeScalars.contains(where: isControl) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      guard isControl(scalar) else {
        text.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      let word =
        switch scalar {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default:
          scalar.value < 256
            ? "\\x" + (digits.count < 2 ? "0" : "") + digits : "\\u{\(digits)}"
        }
      text.append(contentsOf: word.unicodeScalars)
    }
    return String(text)
  }
}

extension Report.Stage {
  /// The activity, in a word.
  var gerund: String {
    switch self {
    case .decode: "reading"
    case .plan: "planning"
    case .execute: "blurring"
    case .encode: "writing"
    }
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
