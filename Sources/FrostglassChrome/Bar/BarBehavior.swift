/// What a bar does when content scrolls: a value with a memory, told of each event.
///
/// The three that come with the library are `ScrollAwayBehavior`, `RevealBehavior` and
/// `VelocityBehavior`; others conform to this protocol.
public protocol BarBehavior: Sendable {
  /// Whether the bar grows beyond its maximum while content is pulled down. By default not.
  var isElasticAtTop: Bool { get }

  /// Whether progress is a function of the offset alone; snapping then goes no farther than content
  /// can. By default not.
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

/// What a behavior knows when something happens.
public struct BarContext: Sendable, Hashable {
  /// How scrolling stands.
  public var scroll: ScrollState
  /// In seconds.
  public var time: Double
  /// The bar's progress.
  public var progress: Double
  /// How much lower the bar is at progress 1 than at 0, in points; 0 or more.
  public var heightRange: Double
  /// Whether the bar is on its way to where it snaps.
  public var isSnapping: Bool

  /// What a behavior knows when it is asked.
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

/// What a behavior wants done with its bar.
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
  /// Whether the bar grows beyond its maximum while content is pulled down.
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
