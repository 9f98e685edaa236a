package import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import Glibc
internal import Synchronization

/// The progress of a batch.
package struct BatchTally: Sendable, Hashable {
  /// An image that was not made.
  package struct Failure: Sendable, Hashable {
    package var input: String
    /// The path it would have been written to; `nil` if that is not known.
    package var output: String?
    /// Why, without the input's name and without advice.
    package var reason: String

    package init(input: String, output: String? = nil, reason: String) {
      self.input = input
      self.output = output
      self.reason = reason
    }
  }

  /// An image without regions, which was not written.
  package struct Uncovered: Sendable, Hashable {
    package var input: String
    /// The path it would have been written to.
    package var output: String?
    /// Regions that a filter did not take.
    package var leftOut = RegionFilter.LeftOut()
  }

  /// Images to be made.
  package var total: Int
  package var done = 0
  /// Images that would be made, in a dry run.
  package var planned = 0
  /// Images that were there already.
  package var skipped: Int
  package var failures: [Failure] = []
  package var uncovered: [Uncovered] = []
  /// Pixels of what is done.
  package var pixels = 0
  /// The time from the start to the end of the last image.
  package var lastEnd = Duration.zero

  package init(total: Int, skipped: Int = 0) {
    self.total = total
    self.skipped = skipped
  }

  /// The number of images that ended, well or not.
  package var behind: Int { done + failures.count + uncovered.count }

  /// The line on a terminal, such as `37 of 200, 24.1 MP/s, 1 min 20 s left, 2 failed`.
  ///
  /// Speed and time left count from the last end, as what is under way has no pixels yet: they would
  /// worsen until the next.
  package func progress(after elapsed: Duration) -> String {
    var parts = ["\(behind) of \(total)"]
    if let speed = speed(over: lastEnd) { parts.append(speed) }
    if behind > 0, behind < total {
      let left = lastEnd / behind * total - elapsed
      parts.append("\(max(left, .zero).inWords) left")
    }
    if !failures.isEmpty { parts.append("\(failures.count) failed") }
    return parts.joined(separator: ", ")
  }

  /// The line at the end, such as `161 done, 37 skipped (there already), 2 failed in 41 s, 24.1 MP/s`.
  package func closing(after elapsed: Duration) -> String {
    var parts = planned > 0 ? ["\(planned) would be written"] : ["\(done) done"]
    if skipped > 0 { parts.append("\(skipped) skipped (there already)") }
    if !failures.isEmpty { parts.append("\(failures.count) failed") }
    if !uncovered.isEmpty { parts.append("\(uncovered.count) without regions left out") }
    let line = parts.joined(separator: ", ") + " in \(Self.precise(elapsed))"
    return speed(over: elapsed).map { "\(line), \($0)" } ?? line
  }

  /// The state of an interrupted batch, such as `37 of 200 done, 2 failed`.
  package var standing: String {
    "\(done) of \(total) done" + (failures.isEmpty ? "" : ", \(failures.count) failed")
  }

  /// The failures, a line each below a count; empty without any.
  package var failureLines: [String] {
    var lines: [String] = []
    if !failures.isEmpty {
      lines.append("\(failures.count) of \(total) failed:")
      lines += failures.map { "  \($0.input): \($0.reason)" }
    }
    if !uncovered.isEmpty {
      lines.append("\(uncovered.count) of \(total) have no regions and were not written:")
      lines += uncovered.map { picture in
        "  \(picture.input)"
          + (picture.leftOut.count > 0 ? ": all left out (\(picture.leftOut))" : "")
      }
    }
    return lines
  }

  private func speed(over elapsed: Duration) -> String? {
    let seconds = elapsed / .seconds(1)
    guard pixels > 0, seconds > 0 else { return nil }
    let tenths = (Double(pixels) / 1e5 / seconds).rounded() / 10
    return "\(tenths) MP/s"
  }

  /// As `inWords`, with a decimal place below 10 seconds.
  private static func precise(_ duration: Duration) -> String {
    let tenths = (duration / .milliseconds(100)).rounded() / 10
    return tenths < 10 ? "\(tenths) s" : duration.inWords
  }
}

/// The display of a batch: one line that changes on a terminal, otherwise a line per image.
final class BatchDisplay: Sendable {
  private struct State {
    var tally: BatchTally
    /// The current text of the terminal's line.
    var shown = ""
    var isOver = false
    var notices: BatchNotices
  }

  private let command: String
  private let state: Mutex<State>
  private let isTerminal: Bool
  private let verbose: Bool
  private let start = ContinuousClock.now
  /// Told of each image, where one is wanted.
  let report: BatchReport?

  /// - Parameters:
  ///   - command: what it is called by.
  ///   - notices: what was said already.
  init(
    _ tally: BatchTally, of command: String, verbose: Bool, notices: BatchNotices,
    to report: BatchReport?
  ) {
    self.command = command
    self.report = report
    state = Mutex(State(tally: tally, notices: notices))
    isTerminal = Console.errorIsTerminal
    self.verbose = verbose
    if isTerminal { startDrawing() }
  }

  func finished(_ task: BatchTask, _ outcome: BatchOutcome) {
    report?.add(outcome.row)
    let (choice, warning, recoveries) = state.withLock { state in
      (
        verbose ? outcome.choice.flatMap { state.notices.choice($0.backend, $0.reason) } : nil,
        state.notices.warning(outcome.warning),
        state.notices.recoveries(outcome.recoveries).map { "\($0)" }
      )
    }
    let notes = outcome.notes + [warning].compactMap { $0 } + recoveries
    let lines =
      [choice, (isTerminal || Console.speaksJSON) && !verbose ? nil : line(task, outcome)]
      .compactMap { $0 }
      + notes.map { "frostglass \(command): \($0)" }
    say(lines, Console.note) { tally in
      tally.done += 1
      tally.pixels += outcome.pixels
    }
  }

  /// Reports what is known before any work: unreadable, refused and uncovered inputs.
  func show(
    _ obstacles: [ImageWalk.UnreadablePath],
    _ refused: [(place: BatchOutput.Place, failure: Failure)],
    _ uncovered: [BatchTally.Uncovered]
  ) {
    for obstacle in obstacles { failed(obstacle.path, nil, obstacle.failure) }
    for (place, failure) in refused { failed(place.input, place.output, failure) }
    for picture in uncovered { self.uncovered(picture) }
  }

  /// An image would be made.
  func planned(_ row: ImageRow) {
    if !Console.speaksJSON { Console.print(row.plannedWords) }
    say([], Console.note) { $0.planned += 1 }
  }

  /// An image has no regions, and nothing is made of it.
  func uncovered(_ picture: BatchTally.Uncovered) {
    report?.add(
      ImageRow(
        input: picture.input, output: picture.output, status: .uncovered, leftOut: picture.leftOut))
    say([], Console.note) { $0.uncovered.append(picture) }
  }

  /// Another process has written an image since the batch began.
  func skipped(_ task: BatchTask) {
    report?.add(
      ImageRow(input: task.source.name, output: task.sink.name, status: .skipped))
    say([], Console.note) { tally in
      tally.skipped += 1
      tally.total -= 1
    }
  }

  /// - Parameter output: where it would have gone, if that is known.
  func failed(_ input: String, _ output: String?, _ failure: Failure) {
    let reason = failure.reason(about: input)
    report?.add(
      ImageRow(input: input, output: output, status: .failed, reason: reason))
    // Programs find it in the image's row.
    let lines = Console.speaksJSON ? [] : ["frostglass \(command): \(failure.message)"]
    say(lines, Console.error) { tally in
      tally.failures.append(
        BatchTally.Failure(input: input, output: output, reason: reason))
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

  /// Changes the tally and writes lines above that on the terminal.
  private func say(
    _ lines: [String], _ print: (String) -> Void, _ change: (inout BatchTally) -> Void
  ) {
    state.withLock { state in
      guard !state.isOver else { return }
      change(&state.tally)
      state.tally.lastEnd = start.duration(to: .now)
      guard !lines.isEmpty else { return }
      erase(&state)
      for line in lines { print(line) }
    }
  }

  private func line(_ task: BatchTask, _ outcome: BatchOutcome) -> String {
    let line = "\(task.source.name) → \(task.sink.name)"
    return verbose && !outcome.times.isEmpty ? "\(line): \(outcome.times)" : line
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
    Console.draw(text)
    state.shown = text
  }

  private func erase(_ state: inout State) {
    guard !state.shown.isEmpty else { return }
    Console.eraseLine()
    state.shown = ""
  }
}

extension ImageWalk.UnreadablePath {
  fileprivate var failure: Failure {
    Failure(
      "\(path): cannot be read (\(reason)); allow reading it, or move it away",
      .noInput)
  }
}

extension Failure {
  /// Returns the message without the input's name and without advice, for a list.
  fileprivate func reason(about input: String) -> String {
    let prefix = "\(input): "
    let words = message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : message[...]
    // Messages are "what is wrong; what would help".
    return String(words.prefix { $0 != ";" })
  }
}

/// The notices already given in a batch. Each is given once, not for every image.
package struct BatchNotices: Sendable {
  private var warnings: Set<String> = []
  private var choices: Set<[String]> = []
  private var recoveries: [Recovery] = []

  package init() {}

  /// Returns the notice about the choice of a backend; `nil` if it was given before.
  ///
  /// Expected times differ from image to image: reasons that differ only in numbers are the same.
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
