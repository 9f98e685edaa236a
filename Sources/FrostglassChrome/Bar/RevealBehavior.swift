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
