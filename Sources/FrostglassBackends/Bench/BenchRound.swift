/// One blur and one copy of the same frame, timed one after the other.
package struct BenchRound: Sendable {
  package var blur: Duration
  package var copy: Duration

  package init(blur: Duration, copy: Duration) {
    self.blur = blur
    self.copy = copy
  }
}
