internal import Glibc

/// Where live work gets the time from.
package protocol LiveClock: Sendable {
  /// Since whenever this clock counts; never less than before.
  var now: Duration { get }

  /// Keeps this thread until then.
  func wait(until time: Duration)
}

/// The time since the machine was started, which nobody sets.
package struct MonotonicClock: LiveClock {
  package init() {}

  package var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  package func wait(until time: Duration) {
    let (seconds, attoseconds) = time.components
    var moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }
}

/// When the next frame is due, at a steady rate.
///
/// What is late by less than a frame is made up for, so that the rate holds over hours; after longer
/// pauses the count begins anew, since frames in a hurry are of no use to anyone.
struct LivePace {
  private let step: Duration
  private var due: Duration?

  init(_ rate: FrameRate) { step = .seconds(rate.seconds) / rate.frames }

  /// When the next frame may come.
  ///
  /// - Parameter now: when it is asked for.
  mutating func next(at now: Duration) -> Duration {
    defer { due = (due ?? now) + step }
    guard let due, now - due < step else {
      self.due = now
      return now
    }
    return max(due, now)
  }
}
