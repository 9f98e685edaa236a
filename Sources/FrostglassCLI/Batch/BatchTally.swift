internal import FrostglassOptions
package import Frostglass

/// How far a batch has come.
package struct BatchTally: Sendable, Hashable {
  /// A picture that was not made.
  package struct Failure: Sendable, Hashable {
    package var input: String
    /// Where it would have gone; `nil` where that is not known.
    package var output: String?
    /// Why, without the input's name and without advice.
    package var reason: String

    package init(input: String, output: String? = nil, reason: String) {
      self.input = input
      self.output = output
      self.reason = reason
    }
  }

  /// A picture without regions, of which nothing was made.
  package struct Uncovered: Sendable, Hashable {
    package var input: String
    /// Where it would have gone.
    package var output: String?
    /// Regions that a filter did not take.
    package var leftOut = RegionFilter.LeftOut()
  }

  /// Pictures to be made.
  package var total: Int
  package var done = 0
  /// Pictures that would be made, in a dry run.
  package var planned = 0
  /// Pictures that were there already.
  package var skipped: Int
  package var failures: [Failure] = []
  package var uncovered: [Uncovered] = []
  /// Pixels of what is done.
  package var pixels = 0
  /// How long after the start the last picture ended.
  package var lastEnd = Duration.zero

  package init(total: Int, skipped: Int = 0) {
    self.total = total
    self.skipped = skipped
  }

  /// What is behind, well or not.
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

  /// Where an interrupted batch stands, such as `37 of 200 done, 2 failed`.
  package var standing: String {
    "\(done) of \(total) done" + (failures.isEmpty ? "" : ", \(failures.count) failed")
  }

  /// What went wrong, one line each below a count; empty where nothing did.
  package var failureList: String {
    var lists: [String] = []
    if !failures.isEmpty {
      lists.append(
        "\(failures.count) of \(total) failed:"
          + failures.map { "\n  \($0.input): \($0.reason)" }.joined())
    }
    if !uncovered.isEmpty {
      lists.append(
        "\(uncovered.count) of \(total) have no regions and were not written:"
          + uncovered.map { picture in
            "\n  \(picture.input)"
              + (picture.leftOut.count > 0 ? ": all left out (\(picture.leftOut))" : "")
          }.joined())
    }
    return lists.joined(separator: "\n")
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
