internal import Frostglass
internal import FrostglassOptions
internal import Glibc
internal import Synchronization

/// What is seen of a batch: one line that changes on a terminal, else a line per picture.
final class BatchDisplay: Sendable {
  private struct State {
    var tally: BatchTally
    /// What stands on the terminal's line now.
    var shown = ""
    var isOver = false
    var notices: BatchNotices
  }

  private let state: Mutex<State>
  private let isTerminal: Bool
  private let verbose: Bool
  private let start = ContinuousClock.now

  /// - Parameter notices: what was said already.
  init(_ tally: BatchTally, verbose: Bool, notices: BatchNotices) {
    state = Mutex(State(tally: tally, notices: notices))
    isTerminal = Console.errorIsTerminal
    self.verbose = verbose
    if isTerminal { startDrawing() }
  }

  func finished(_ job: Job, _ report: Report) {
    let (choice, warning, recoveries) = state.withLock { state in
      (
        verbose ? state.notices.choice(report.backend, report.reason) : nil,
        state.notices.warning(report.warning),
        state.notices.recoveries(report.recoveries).map { "\($0)" }
      )
    }
    let notes = report.notes(about: job) + [warning].compactMap { $0 } + recoveries
    let lines =
      [choice, isTerminal && !verbose ? nil : line(job, report)].compactMap { $0 }
      + notes.map { "frostglass blur: \($0)" }
    say(lines.isEmpty ? nil : lines.joined(separator: "\n")) { tally in
      tally.done += 1
      tally.pixels += report.plan.result.rect.area
    }
  }

  /// A picture has been made by somebody else since the batch began.
  func skipped() {
    say(nil) { tally in
      tally.skipped += 1
      tally.total -= 1
    }
  }

  func failed(_ input: String, _ failure: Failure) {
    say("frostglass blur: \(failure.message)") { tally in
      tally.failures.append(
        BatchTally.Failure(input: input, reason: failure.reason(about: input)))
    }
  }

  /// Ends the line on the terminal.
  ///
  /// - Returns: how it all went, and how long it took.
  func close() -> (tally: BatchTally, elapsed: Duration) {
    state.withLock { state in
      state.isOver = true
      erase(&state)
      return (state.tally, start.duration(to: .now))
    }
  }

  /// Changes the tally and writes a line above that on the terminal.
  private func say(_ text: String?, _ change: (inout BatchTally) -> Void) {
    state.withLock { state in
      guard !state.isOver else { return }
      change(&state.tally)
      state.tally.lastEnd = start.duration(to: .now)
      guard let text else { return }
      erase(&state)
      Console.error(text)
    }
  }

  private func line(_ job: Job, _ report: Report) -> String {
    let line = "\(job.source.name) → \(job.outputs[0].sink.name)"
    guard verbose else { return line }
    let timings = report.timings.map { "\($0.stage.rawValue) \($0.duration.millisecondsText) ms" }
    return "\(line): \(timings.joined(separator: ", ")), together "
      + "\(report.duration.millisecondsText) ms (\(report.backend))"
  }

  /// Ten times a second, from one second on.
  private func startDrawing() {
    BackgroundThread.start { [self] in
      usleep(900_000)
      var isOver = false
      while !isOver {
        usleep(100_000)
        isOver = state.withLock { state in
          if !state.isOver { draw(&state) }
          return state.isOver
        }
      }
    }
  }

  private func draw(_ state: inout State) {
    let text = state.tally.progress(after: start.duration(to: .now))
    guard text != state.shown else { return }
    Console.errorFragment("\r\u{1B}[K" + text)
    state.shown = text
  }

  private func erase(_ state: inout State) {
    guard !state.shown.isEmpty else { return }
    Console.errorFragment("\r\u{1B}[K")
    state.shown = ""
  }
}

extension Failure {
  /// What went wrong, in a list where the input stands in front and advice would be repeated.
  fileprivate func reason(about input: String) -> String {
    let prefix = "\(input): "
    let words = message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : message[...]
    // Messages are "what is wrong; what would help".
    return String(words.prefix { $0 != ";" })
  }
}

/// What has been said in a batch: pictures to which the same happens say so once.
package struct BatchNotices: Sendable {
  private var warnings: Set<String> = []
  private var choices: Set<[String]> = []
  private var recoveries: [Recovery] = []

  package init() {}

  /// What to say of the choice of a backend; `nil` where it was said.
  ///
  /// Expected times differ from picture to picture: other numbers make no other reason.
  package mutating func choice(_ backend: String, _ reason: String) -> String? {
    let kind = reason.filter { !$0.isNumber && $0 != "." }
    let isNew = choices.insert([backend, kind]).inserted
    return isNew ? "backend   \(backend) (\(reason))" : nil
  }

  /// A warning that was not given yet.
  package mutating func warning(_ warning: String?) -> String? {
    guard let warning, warnings.insert(warning).inserted else { return nil }
    return warning
  }

  /// Failures that were made good, of kinds that were not told yet.
  mutating func recoveries(_ told: [Recovery]) -> [Recovery] {
    let new = told.newTo(recoveries)
    recoveries += new
    return new
  }
}
