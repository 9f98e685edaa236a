/// A bar, how it behaves and where it snaps: give it scroll events, ask it for the bar.
///
/// Whoever scrolls calls `handle` for each event, then `advance` once per frame, and moves its
/// content when that says so.
public struct BarController: Sendable {
  /// Its heights and items may change at any time. Whether it is elastic is up to the behavior.
  public var bar: FlexibleBar { didSet { bar.isElasticAtTop = behavior.isElasticAtTop } }
  /// What the bar does when content scrolls.
  public private(set) var behavior: any BarBehavior
  /// Where it may come to rest.
  public var snapping: Snapping

  private var animation: SnapAnimation?
  /// Where the content has to go, until somebody is told.
  private var contentOffset: Double?
  private var clock = 0.0

  /// Drives a bar; it is as high as its maximum at first.
  public init(_ bar: FlexibleBar, behavior: any BarBehavior, snapping: Snapping = .none) {
    self.bar = bar
    self.behavior = behavior
    self.snapping = snapping
    self.bar.isElasticAtTop = behavior.isElasticAtTop
  }

  /// Whether the bar is on its way to where it snaps.
  public var isSnapping: Bool { animation != nil }

  /// How far below the viewport's upper edge the scroll indicator begins, in points: below the bar.
  public var scrollIndicatorTopInset: Double { bar.height }

  /// Takes an event in.
  ///
  /// - Parameters:
  ///   - scroll: what things were like then. If a number in it is not finite nothing happens.
  ///   - time: in seconds; an earlier one than before counts as that.
  public mutating func handle(_ event: ScrollEvent, _ scroll: ScrollState, at time: Double) {
    guard scroll.offset.isFinite, scroll.velocity.isFinite else { return }
    clock = max(clock, time.isFinite ? time : clock)
    switch event {
    case .willBeginDragging, .willScrollToTop, .willScrollProgrammatically:
      interrupt(scroll)
    default:
      moveBar()
    }
    perform(behavior.react(to: event, in: context(scroll)), scroll)
    switch event {
    case .didEndDecelerating, .didEndDragging(willDecelerate: false): snapFromRange(scroll)
    default: break
    }
  }

  /// Takes in that the bar was tapped.
  public mutating func handleTap(_ scroll: ScrollState, at time: Double) {
    guard scroll.offset.isFinite else { return }
    clock = max(clock, time.isFinite ? time : clock)
    moveBar()
    perform(behavior.reactToTap(in: context(scroll)), scroll)
  }

  /// Lets time pass.
  ///
  /// - Returns: the offset at which the content has to be put now, because the bar snaps; otherwise
  ///   `nil`.
  public mutating func advance(to time: Double) -> Double? {
    clock = max(clock, time.isFinite ? time : clock)
    moveBar()
    defer { contentOffset = nil }
    return contentOffset
  }

  private func context(_ scroll: ScrollState) -> BarContext {
    BarContext(
      scroll: scroll, time: clock, progress: bar.progress, heightRange: bar.heightRange,
      isSnapping: isSnapping)
  }

  private mutating func perform(_ reaction: BarReaction, _ scroll: ScrollState) {
    switch reaction {
    case .follow(let progress):
      if !isSnapping { bar.setProgress(progress) }
    case .snap(let progress, let movesContent) where progress.isFinite:
      snap(to: progress, movesContent: movesContent, scroll)
    case .stay, .snap: break
    }
  }

  /// Snaps as the ranges say. A bar that is stretched comes back by itself.
  private mutating func snapFromRange(_ scroll: ScrollState) {
    guard !isSnapping, snapping.isEnabled, bar.progress >= 0,
      let target = snapping.target(for: bar.progress)
    else { return }
    snap(to: target, movesContent: true, scroll)
  }

  private mutating func snap(to target: Double, movesContent: Bool, _ scroll: ScrollState) {
    var target = target.kept(in: 0...1)
    var offsets: (from: Double, to: Double)?
    if movesContent, bar.heightRange > 0 {
      let from = scroll.offset
      // Content that rests is never sent beyond its ends.
      let resting = scroll.geometry.restingOffsets
      let allowed = min(from, resting.lowerBound)...max(from, resting.upperBound)
      let wanted = from + bar.heightRange * (target - bar.progress)
      let to = wanted.kept(in: allowed)
      if behavior.isBoundToOffset, to != wanted {
        target = (bar.progress + (to - from) / bar.heightRange).kept(in: 0...1)
      }
      offsets = (from, to)
    }
    // There already; a tap may stop a bar that was just about to leave.
    guard target != bar.progress else {
      animation = nil
      return
    }
    animation = SnapAnimation(
      start: clock, duration: snapping.duration, easing: snapping.easing,
      progress: (bar.progress, target), offset: offsets)
    moveBar()
  }

  /// Brings bar and content to where they are now on their way.
  private mutating func moveBar() {
    guard let animation else { return }
    bar.setProgress(animation.progress(at: clock))
    contentOffset = animation.offset(at: clock)
    if animation.isOver(at: clock) { self.animation = nil }
  }

  /// Stops a bar on its way, with the progress that goes with where the content was caught.
  private mutating func interrupt(_ scroll: ScrollState) {
    guard let animation else { return }
    bar.setProgress(animation.progress(with: scroll.offset) ?? animation.progress(at: clock))
    contentOffset = nil
    self.animation = nil
  }
}

/// A bar on its way to where it snaps, and the content that goes with it.
private struct SnapAnimation: Sendable {
  let start: Double
  let duration: Double
  let easing: Easing
  let progress: (from: Double, to: Double)
  /// `nil` where the content stays out of it.
  let offset: (from: Double, to: Double)?

  func isOver(at time: Double) -> Bool { time >= start.later(by: duration) }

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
