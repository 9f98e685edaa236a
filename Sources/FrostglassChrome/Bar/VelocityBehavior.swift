/// The bar goes as content goes up, and comes back for a quick pull or near the top, as Safari's.
///
/// While a finger drags:
/// - toward the end the bar goes, point by point;
/// - toward the top it comes back point by point once the content was faster than a threshold, and
///   always near the top, where it is all there when the content is;
/// - changes of direction by less than a few points are ignored.
///
/// When the finger lets go the bar goes to one of its ends and stays there until the next touch: it
/// comes for a fling toward the top, and for one that ends at the top or the end of the content; it
/// goes for a fling toward the end; otherwise it takes the nearer way. A tap on the bar and the way
/// to the top bring it back.
public struct VelocityBehavior: BarBehavior, Hashable {
  /// What counts as quick, in points per second. 0 or more.
  public var velocityThreshold: Double {
    didSet { velocityThreshold = max(0, velocityThreshold) }
  }
  /// Changes of direction that are shorter, in points, are ignored. 0 or more.
  public var reversalThreshold: Double {
    didSet { reversalThreshold = max(0, reversalThreshold) }
  }

  private var isDragging = false
  /// The offset told last, within the content's ends.
  private var lastOffset: Double?
  private var releaseVelocity = 0.0
  /// Where the finger goes: 1 toward the end, -1 toward the top, 0 nowhere yet.
  private var direction = 0.0
  /// The farthest offset in that direction.
  private var farthest = 0.0
  /// Whether the content was quick since it goes toward the top.
  private var isComing = false
  private var track = OffsetTrack()

  /// A bar that has seen nothing yet.
  ///
  /// - Parameters:
  ///   - velocityThreshold: how quick a pull brings the bar back, in points per second.
  ///   - reversalThreshold: how far content must turn back to count, in points.
  public init(velocityThreshold: Double = 400, reversalThreshold: Double = 8) {
    self.velocityThreshold = max(0, velocityThreshold)
    self.reversalThreshold = max(0, reversalThreshold)
  }

  /// Goes with content, and comes back after a quick pull or near the top.
  public mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction {
    switch event {
    case .willBeginDragging:
      begin(context)
      return .stay
    case .didScroll:
      return scroll(context)
    case .willEndDragging(let velocity):
      releaseVelocity = velocity
      return .stay
    case .didEndDragging(let willDecelerate):
      isDragging = false
      return end(context, willDecelerate: willDecelerate)
    case .willScrollToTop:
      return .snap(progress: 0, movesContent: false)
    default:
      return .stay
    }
  }

  /// Comes.
  public mutating func reactToTap(in context: BarContext) -> BarReaction {
    .snap(progress: 0, movesContent: false)
  }

  private mutating func begin(_ context: BarContext) {
    let offset = context.scroll.offset.kept(in: context.scroll.geometry.restingOffsets)
    isDragging = true
    lastOffset = offset
    releaseVelocity = 0
    (direction, farthest, isComing) = (0, offset, false)
    track = OffsetTrack()
    track.add(offset, at: context.time)
  }

  private mutating func scroll(_ context: BarContext) -> BarReaction {
    guard context.heightRange > 0 else { return .stay }
    let geometry = context.scroll.geometry
    // What the rubber band does beyond the ends moves no bar.
    let offset = context.scroll.offset.kept(in: geometry.restingOffsets)
    let moved = offset - (lastOffset ?? offset)
    lastOffset = offset
    var progress = context.progress
    if isDragging {
      track.add(offset, at: context.time)
      progress += way(to: offset, moved: moved) / context.heightRange
    }
    if moved < 0 {
      progress = min(progress, max(0, offset + geometry.topInset) / context.heightRange)
    }
    return progress == context.progress ? .stay : .follow(progress: progress.kept(in: 0...1))
  }

  /// How far the bar follows a finger, in points; below 0 when it comes back.
  private mutating func way(to offset: Double, moved: Double) -> Double {
    if direction == 0 { direction = moved > 0 ? 1 : moved < 0 ? -1 : 0 }
    var ahead = (offset - farthest) * direction
    if ahead < 0 {
      guard -ahead >= reversalThreshold else { return 0 }
      // What was ignored stays ignored: the bar does not jump.
      ahead = -ahead - reversalThreshold
      direction = -direction
      isComing = false
    }
    farthest = offset
    if direction > 0 { return ahead }
    if track.velocity < -velocityThreshold { isComing = true }
    return isComing ? -ahead : 0
  }

  private func end(_ context: BarContext, willDecelerate: Bool) -> BarReaction {
    let scroll = context.scroll
    let resting = scroll.geometry.restingOffsets
    let projected = scroll.offset + scroll.decelerationRate.distance(from: releaseVelocity)
    guard projected > resting.lowerBound, projected < resting.upperBound else {
      return .snap(progress: 0, movesContent: false)
    }
    let target: Double =
      if releaseVelocity < -velocityThreshold { 0 } else if releaseVelocity > velocityThreshold {
        1
      } else if context.progress < 0.5 { 0 } else { 1 }
    return .snap(progress: target, movesContent: !willDecelerate)
  }
}

/// The offsets of the last moments, for a mean velocity.
private struct OffsetTrack: Hashable {
  private struct Sample: Hashable {
    var time: Double
    var offset: Double
  }

  /// The time that the mean is taken over, in seconds.
  static let window = 0.08
  /// Samples that come closer together replace each other, so their number is limited.
  private static let spacing = window / 32

  private var samples: [Sample] = []

  mutating func add(_ offset: Double, at time: Double) {
    let sample = Sample(time: time, offset: offset)
    if samples.count > 1, time - samples[samples.count - 2].time < OffsetTrack.spacing {
      samples[samples.count - 1] = sample
    } else {
      samples.append(sample)
    }
    while samples.count > 1, samples[1].time <= time - OffsetTrack.window { samples.removeFirst() }
  }

  /// The mean velocity, in points per second. Before the first sample nothing moved.
  var velocity: Double {
    guard let last = samples.last else { return 0 }
    return (last.offset - offset(at: last.time - OffsetTrack.window)) / OffsetTrack.window
  }

  private func offset(at time: Double) -> Double {
    guard let first = samples.first, let next = samples.dropFirst().first, first.time < time,
      next.time > first.time
    else { return samples.first?.offset ?? 0 }
    let share = (time - first.time) / (next.time - first.time)
    return first.offset.toward(next.offset, by: share)
  }
}
