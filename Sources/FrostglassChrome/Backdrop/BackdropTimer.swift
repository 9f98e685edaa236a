/// A repeating timer whose ticks are computed, not waited for.
struct BackdropTimer: Sendable, Hashable {
  let start: Double
  let interval: Double
  /// The number of the last tick; the first is 0 and comes at the start.
  private var last = 0.0

  /// Ticks may come early by as much, so that sums of time steps meet them.
  private static let tolerance = 1e-6

  init(start: Double, interval: Double) {
    self.start = start
    self.interval = interval
  }

  /// Seconds that a timer can have.
  static func limited(_ interval: Double) -> Double {
    interval.isNaN ? 0.2 : min(max(interval, 0.001), 3600)
  }

  /// When the next tick comes.
  var next: Double { start + (last + 1) * interval }

  /// Ticks that came up to a time are one.
  ///
  /// - Parameter isIncluded: whether a tick at that time itself counts.
  /// - Returns: the time of the last of them; `nil` if there was none.
  mutating func fire(upTo time: Double, isIncluded: Bool) -> Double? {
    let passed = (time - start) / interval
    let slack = BackdropTimer.tolerance / interval
    let tick = isIncluded ? (passed + slack).rounded(.down) : (passed - slack).rounded(.up) - 1
    guard tick > last else { return nil }
    last = tick
    return min(time, start + tick * interval)
  }
}
