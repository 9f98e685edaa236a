package import Frostglass
internal import FrostglassCore
internal import Synchronization

extension FilmProgress {
  /// Returns the progress of a video, in words: `pass 1 of 2: 120 frames, 60.0 a second, 25 %, 6 s left`.
  ///
  /// - Parameter time: the time that this pass has taken.
  package func words(after time: Duration) -> String {
    var text = passes > 1 ? "pass \(pass) of \(passes): " : ""
    text += FilmPipe.words(frames, time)
    if let total, total > frames {
      let left = time * (Double(total - frames) / Double(max(frames, 1)))
      text += ", \(frames * 100 / total) %, \(left.inWords) left"
    }
    if let bytes { text += ", \(ByteCount(bytes))" }
    return text
  }
}

/// The starts of the passes over a video's frames, which differ in speed.
package final class PassTimes: Sendable {
  private struct State {
    var pass = 1
    var begin: ContinuousClock.Instant
    /// The time of the last report.
    var last: ContinuousClock.Instant
  }

  private let state: Mutex<State>

  /// - Parameter begin: when the first one begins.
  package init(_ begin: ContinuousClock.Instant) {
    state = Mutex(State(begin: begin, last: begin))
  }

  /// Records a report of a pass, and returns the time that the pass has taken.
  package func time(of pass: Int, at now: ContinuousClock.Instant) -> Duration {
    state.withLock { state in
      // One begins where the one before ends.
      if pass > state.pass { (state.pass, state.begin) = (pass, state.last) }
      state.last = now
      return state.begin.duration(to: now)
    }
  }
}
