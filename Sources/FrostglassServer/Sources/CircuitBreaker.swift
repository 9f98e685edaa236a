/// A guard before a server that fails: after several failures in a row it is left alone for a while, then one
/// request tries whether it works again.
package struct CircuitBreaker: Sendable {
  private enum State {
    case closed
    case open(until: ContinuousClock.Instant)
    case trying
  }

  private var state = State.closed
  /// In a row.
  private var failures = 0
  /// Times in a row that it was left alone.
  private var openings = 0

  /// Failures in a row after which a server is left alone.
  package static let mostFailures = 5

  package init() {}

  /// True if the server is not asked by everybody.
  package var isOpen: Bool { if case .closed = state { false } else { true } }

  /// The state's name, for people and metrics.
  package var word: String {
    switch state {
    case .closed: "closed"
    case .open: "open"
    case .trying: "half-open"
    }
  }

  /// Returns true if a request may ask the server; it says afterwards how that ended.
  package mutating func admits(at now: ContinuousClock.Instant) -> Bool {
    switch state {
    case .closed: return true
    case .trying: return false
    case .open(let end):
      guard now >= end else { return false }
      state = .trying
      return true
    }
  }

  /// Notes how a request ended that was admitted.
  ///
  /// - Parameter isGood: `nil` where it was given up before that was known.
  package mutating func note(isGood: Bool?, at now: ContinuousClock.Instant) {
    switch (state, isGood) {
    // Requests from before say nothing about now.
    case (.open, _): break
    case (.trying, nil): state = .open(until: now)
    case (.closed, nil): break
    case (_, true?): self = CircuitBreaker()
    case (.trying, false?): open(at: now)
    case (.closed, false?):
      failures += 1
      if failures >= Self.mostFailures { open(at: now) }
    }
  }

  /// Seconds until the next try, rounded up; 1 or more.
  package func secondsLeft(at now: ContinuousClock.Instant) -> Int {
    guard case .open(let end) = state else { return 1 }
    return max(Int((now.duration(to: end) / .seconds(1)).rounded(.up)), 1)
  }

  /// 10 seconds, then 20, … up to 160.
  private mutating func open(at now: ContinuousClock.Instant) {
    state = .open(until: now + .seconds(10 << min(openings, 4)))
    openings += 1
  }
}
