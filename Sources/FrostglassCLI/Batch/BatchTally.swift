/// How far a batch has come.
package struct BatchTally: Sendable, Hashable {
  /// A picture that was not made.
  package struct Failure: Sendable, Hashable {
    package var input: String
    /// Why, without the input's name and without advice.
    package var reason: String

    package init(input: String, reason: String) {
      self.input = input
      self.reason = reason
    }
  }

  /// Pictures to be made.
  package var total: Int
  package var done = 0
  /// Pictures that were there already.
  package var skipped: Int
  package var failures: [Failure] = []
  /// Pixels of what is done.
  package var pixels = 0
  /// How long after the start the last picture ended.
  package var lastEnd = Duration.zero

  package init(total: Int, skipped: Int = 0) {
    self.total = total
    self.skipped = skipped
  }

  /// What is behind, well or not.
  package var behind: Int { done + failures.count }
}
