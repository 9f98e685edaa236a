/// A bar's response to scrolling: a value with state that sees every event.
///
/// The library has `ScrollAwayBehavior`, `RevealBehavior` and `VelocityBehavior`; others conform to this protocol.
public protocol BarBehavior: Sendable {
  /// True if the bar grows beyond its maximum while content is pulled down. By default false.
  var isElasticAtTop: Bool { get }

  /// True if progress depends only on the offset; snapping then goes no farther than the content can. By default false.
  var isBoundToOffset: Bool { get }

  /// Takes note of an event and says what the bar does.
  ///
  /// Told while the bar snaps as well, so that nothing is missed.
  mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction

  /// Says what the bar does when it is tapped. By default nothing.
  mutating func reactToTap(in context: BarContext) -> BarReaction
}

extension BarBehavior {
  /// It is never higher than its maximum.
  public var isElasticAtTop: Bool { false }
  /// It may be anywhere, wherever content is.
  public var isBoundToOffset: Bool { false }
  /// A tap changes nothing.
  public mutating func reactToTap(in context: BarContext) -> BarReaction { .stay }
}

/// The state that a behavior sees at an event.
public struct BarContext: Sendable, Hashable {
  /// The state of scrolling.
  public var scroll: ScrollState
  /// In seconds.
  public var time: Double
  /// The bar's progress.
  public var progress: Double
  /// The height that the bar loses from progress 0 to 1, in points; 0 or more.
  public var heightRange: Double
  /// True if the bar is snapping.
  public var isSnapping: Bool

  /// Creates a context from its parts.
  public init(
    scroll: ScrollState, time: Double, progress: Double, heightRange: Double,
    isSnapping: Bool = false
  ) {
    self.scroll = scroll
    self.time = time
    self.progress = progress
    self.heightRange = heightRange
    self.isSnapping = isSnapping
  }
}

/// A behavior's request to its bar.
public enum BarReaction: Sendable, Hashable {
  /// Nothing.
  case stay
  /// Go there at once. While the bar snaps, or if the number is not finite, nothing happens.
  case follow(progress: Double)
  /// Go there in the snapping's time, to the nearer end for what is outside 0…1; not if the number
  /// is not finite. Content may go the same way.
  case snap(progress: Double, movesContent: Bool)
}

/// A bar that keeps its height, whatever is scrolled.
public struct FixedBehavior: BarBehavior, Hashable {
  /// It needs no numbers.
  public init() {}

  /// Nothing changes.
  public mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction { .stay }
}

/// The bar shrinks as the content goes up and grows again only at the top, as Square Cash does.
public struct ScrollAwayBehavior: BarBehavior, Hashable {
  /// True if the bar grows beyond its maximum while content is pulled down.
  public var isElasticAtTop: Bool

  /// It may be higher than its maximum where content is pulled beyond its top.
  public init(isElasticAtTop: Bool = false) {
    self.isElasticAtTop = isElasticAtTop
  }

  /// It is where content is.
  public var isBoundToOffset: Bool { true }

  /// It follows content.
  public mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction {
    guard event == .didScroll else { return .stay }
    return .follow(progress: context.scroll.distanceFromTop / context.heightRange)
  }
}

/// The bar goes as content goes up, and comes back wherever content goes down, as Facebook's does.
///
/// Each drag begins anew from the progress that the bar then has. Thresholds are distances, in
/// points, that content first goes without the bar.
public struct RevealBehavior: BarBehavior, Hashable {
  /// Before the bar goes, in a drag that begins at the top. 0 or more.
  public var thresholdFromTop: Double { didSet { thresholdFromTop = max(0, thresholdFromTop) } }
  /// Before a bar that is away comes back. 0 or more.
  public var thresholdNegative: Double { didSet { thresholdNegative = max(0, thresholdNegative) } }
  /// Before a bar that is there goes. 0 or more.
  public var thresholdPositive: Double { didSet { thresholdPositive = max(0, thresholdPositive) } }

  /// The offset at which progress is `startProgress`.
  private var startOffset = 0.0
  private var startProgress = 0.0

  /// Thresholds in points, each 0 or more.
  public init(
    thresholdFromTop: Double = 0, thresholdNegative: Double = 0, thresholdPositive: Double = 0
  ) {
    self.thresholdFromTop = max(0, thresholdFromTop)
    self.thresholdNegative = max(0, thresholdNegative)
    self.thresholdPositive = max(0, thresholdPositive)
  }

  /// Goes with content downward, and comes back with it upward.
  public mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction {
    switch event {
    case .willBeginDragging:
      start(context)
      return .stay
    case .didScroll:
      let moved = context.scroll.offset - startOffset
      return .follow(progress: startProgress + moved / context.heightRange)
    default:
      return .stay
    }
  }

  private mutating func start(_ context: BarContext) {
    let geometry = context.scroll.geometry
    let (offset, top, end) = (
      context.scroll.offset, context.scroll.distanceFromTop, geometry.endOffset
    )
    let (isAway, isThere) = (context.progress == 1, context.progress == 0)
    if top < 0 {
      // Pulled down beyond the top: as if from the top itself.
      (startOffset, startProgress) = (-geometry.topInset, 0)
      if thresholdFromTop != 0 {
        startOffset += thresholdFromTop
      } else {
        applyThresholds(isAway: isAway, isThere: isThere)
      }
    } else if offset <= end {
      (startOffset, startProgress) = (offset, context.progress)
      if top == 0 {
        startOffset += thresholdFromTop
      } else {
        // Near the top the bar comes back at once, and near the end it goes at once.
        applyThresholds(
          isAway: isAway && top > thresholdNegative + context.heightRange,
          isThere: isThere && offset < end - thresholdPositive)
      }
    } else if geometry.contentHeight > geometry.viewportHeight {
      // Pulled up beyond the end: as if from the end itself.
      (startOffset, startProgress) = (end, 1)
      applyThresholds(isAway: isAway, isThere: isThere)
    }
  }

  private mutating func applyThresholds(isAway: Bool, isThere: Bool) {
    if isAway { startOffset -= thresholdNegative }
    if isThere { startOffset += thresholdPositive }
  }
}

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
  /// The least speed that counts as quick, in points per second. 0 or more.
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
  /// The direction of the finger's movement: 1 toward the end, -1 toward the top, 0 before any.
  private var direction = 0.0
  /// The farthest offset in that direction.
  private var farthest = 0.0
  /// True if the content was quick since it started toward the top.
  private var isComing = false
  private var track = OffsetTrack()

  /// A bar that has seen nothing yet.
  ///
  /// - Parameters:
  ///   - velocityThreshold: the least speed of a pull that brings the bar back, in points per second.
  ///   - reversalThreshold: the least distance that content must turn back, in points.
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

  /// Returns the distance that the bar follows a finger, in points; negative when the bar comes back.
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

/// The rest positions of a bar after content stops, and the way there.
public struct Snapping: Sendable, Hashable {
  /// True if the bar snaps.
  public var isEnabled = true
  /// In order, without overlaps. Progress that belongs to none stays.
  public let ranges: [SnapRange]
  /// The time that snapping takes, in seconds; 0 jumps.
  public let duration: Double
  /// The easing of snapping.
  public let easing: Easing

  /// No ranges: only behaviors make the bar snap, in 0.15 s.
  public static let none = Snapping(sorted: [], duration: 0.15, easing: .easeInOut)

  /// - Parameter ranges: in any order.
  /// - Throws: `SnapError` for ranges that overlap, and a duration outside 0…60 s.
  public init(
    _ ranges: [SnapRange], duration: Double = 0.15, easing: Easing = .easeInOut
  ) throws(SnapError) {
    guard duration >= 0, duration <= 60 else { throw .badDuration(duration) }
    let sorted = ranges.sorted { $0.start < $1.start }
    for (first, second) in zip(sorted, sorted.dropFirst()) where second.start < first.end {
      throw .overlap(first, second)
    }
    self.init(sorted: sorted, duration: duration, easing: easing)
  }

  private init(sorted: [SnapRange], duration: Double, easing: Easing) {
    ranges = sorted
    self.duration = duration
    self.easing = easing
  }

  /// Returns the progress to which the bar snaps.
  ///
  /// - Returns: `nil` if it stays.
  public func target(for progress: Double) -> Double? {
    if let range = ranges.first(where: { $0.start <= progress && progress < $0.end }) {
      return range.target
    }
    return ranges.last.flatMap { $0.end == progress ? $0.target : nil }
  }
}

/// Progress between two numbers, and where the bar goes from there when content has come to rest.
public struct SnapRange: Sendable, Hashable {
  /// The first progress that belongs to the range.
  public let start: Double
  /// The first that does not; of the last range, the last that does.
  public let end: Double
  /// The progress to which the bar snaps.
  public let target: Double

  /// - Throws: `SnapError` for numbers outside 0…1 and a range without extent.
  public init(from start: Double, to end: Double, target: Double) throws(SnapError) {
    for (name, value) in [("start", start), ("end", end), ("target", target)]
    where !(value >= 0 && value <= 1) {
      throw .outside(name: name, value: value)
    }
    guard start < end else { throw .empty(start: start, end: end) }
    self.start = start
    self.end = end
    self.target = target
  }
}

/// Why a bar does not know where to snap.
public enum SnapError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A start, end or target of a range is no progress.
  case outside(name: String, value: Double)
  case empty(start: Double, end: Double)
  /// Some progress belongs to two ranges.
  case overlap(SnapRange, SnapRange)
  /// A time, in seconds, that cannot be used.
  case badDuration(Double)

  /// The error message.
  public var description: String {
    switch self {
    case .outside(let name, let value):
      "a snap range's \(name) is \(value); it must be 0…1"
    case .empty(let start, let end):
      "the snap range from \(start) to \(end) is empty; its end must be above its start"
    case .overlap(let first, let second):
      "the snap ranges \(first.start)…\(first.end) and \(second.start)…\(second.end) overlap; "
        + "the second must start at \(first.end) or later"
    case .badDuration(let duration):
      "a snap's duration is \(duration); it must be 0…60 s"
    }
  }
}
