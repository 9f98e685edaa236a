/// A bar on its way to where it snaps, and the content that goes with it.
struct SnapAnimation: Sendable {
  let start: Double
  let duration: Double
  let easing: Easing
  let progress: (from: Double, to: Double)
  /// `nil` where the content stays out of it.
  let offset: (from: Double, to: Double)?

  func isOver(at time: Double) -> Bool { time >= start + duration }

  func progress(at time: Double) -> Double {
    isOver(at: time) ? progress.to : progress.from.toward(progress.to, by: share(at: time))
  }

  func offset(at time: Double) -> Double? {
    guard let offset else { return nil }
    return isOver(at: time) ? offset.to : offset.from.toward(offset.to, by: share(at: time))
  }

  /// The progress that goes with an offset, for content that was caught on its way.
  func progress(with caught: Double) -> Double? {
    guard let offset, offset.from != offset.to else { return nil }
    let share = ((caught - offset.from) / (offset.to - offset.from)).kept(in: 0...1)
    return progress.from.toward(progress.to, by: share)
  }

  private func share(at time: Double) -> Double {
    easing.value(at: (time - start) / duration)
  }
}
