public import FrostglassCore

/// A bar whose height and items follow one number, its progress: 0 is high, 1 is low.
public struct FlexibleBar: Sendable, Hashable {
  /// The height at progress 1, in points. Below 0 counts as 0, above the maximum as the maximum.
  public var minimumHeight: Double {
    didSet { minimumHeight = minimumHeight.kept(in: 0...Double.farthest) }
  }
  /// The height at progress 0, in points. Below 0 counts as 0.
  public var maximumHeight: Double {
    didSet { maximumHeight = maximumHeight.kept(in: 0...Double.farthest) }
  }
  /// True if progress may be below 0, which makes the bar higher than its maximum.
  public var isElasticAtTop: Bool { didSet { setProgress(progress) } }
  /// At most 1; 0 or more unless the bar is elastic.
  public private(set) var progress = 0.0
  /// In seconds, for the items that follow time.
  package var time = 0.0
  /// The items, as given.
  public private(set) var items: [BarItem] = []

  /// A bar without items.
  public init(
    minimumHeight: Double = 20, maximumHeight: Double = 44, isElasticAtTop: Bool = false
  ) {
    self.minimumHeight = minimumHeight.kept(in: 0...Double.farthest)
    self.maximumHeight = maximumHeight.kept(in: 0...Double.farthest)
    self.isElasticAtTop = isElasticAtTop
  }

  /// A bar with items.
  ///
  /// - Throws: `LayoutError` as `setItems` does.
  public init(
    minimumHeight: Double = 20, maximumHeight: Double = 44, isElasticAtTop: Bool = false,
    items: [BarItem]
  ) throws(LayoutError) {
    self.init(
      minimumHeight: minimumHeight, maximumHeight: maximumHeight, isElasticAtTop: isElasticAtTop)
    try setItems(items)
  }

  /// A bar that reaches from the top of the screen to the lower edge of a rectangle.
  public init(frame: LayoutRect) {
    self.init(maximumHeight: frame.maxY)
  }

  /// Replaces the items.
  ///
  /// - Throws: `LayoutError` where their layouts leave something open, contradict themselves or
  ///   refer to each other in a circle, at any progress, and for numbers that are not finite.
  public mutating func setItems(_ items: [BarItem]) throws(LayoutError) {
    try FlexibleBar.check(items)
    self.items = items
  }

  /// Moves the bar. What is above 1 counts as 1, what is below 0 as 0 unless the bar is elastic;
  /// what is no finite number is ignored.
  public mutating func setProgress(_ progress: Double) {
    guard progress.isFinite else { return }
    self.progress = isElasticAtTop ? min(progress, 1) : progress.kept(in: 0...1)
  }

  /// The height that the bar loses from progress 0 to 1, in points; 0 or more.
  public var heightRange: Double { max(0, maximumHeight - minimumHeight) }

  /// The height now, in points; above the maximum while progress is below 0.
  public var height: Double { maximumHeight - heightRange * progress }

  /// Returns the items as they are laid out now, the lowest first, including hidden ones.
  ///
  /// A stretched bar is at progress 0 for its items' keyframes; relative layouts use its real height.
  ///
  /// - Parameter width: the bar's width, in points; below 0 counts as 0.
  public func layout(width: Double) -> [PlacedItem] {
    let size = LayoutSize(width: width.kept(in: 0...Double.farthest), height: height)
    var resolver = LayoutResolver(bar: size, segments: segments(at: max(progress, 0)))
    let placed = items.indices.map { resolver.attributes(of: $0) }
    let order = items.indices.sorted { (placed[$0].zIndex, $0) < (placed[$1].zIndex, $1) }
    return order.map { PlacedItem(id: items[$0].id, attributes: placed[$0]) }
  }

  private func segments(at progress: Double) -> [LayoutResolver.Segment] {
    items.map { $0.segment(at: progress, time: time) }
  }
}

/// An item of a bar with everything that a renderer needs, in the bar's coordinates.
public struct PlacedItem: Sendable, Hashable {
  /// The item's name.
  public let id: String
  /// The item's place and look.
  public let attributes: LayoutAttributes
}

extension FlexibleBar {
  /// Places of items, of all at each pose of one and at each pair of keyframes that count: some seconds' worth.
  private static let mostPlaces = 2_000_000

  /// Finds what is wrong with items before anything is drawn.
  private static func check(_ items: [BarItem]) throws(LayoutError) {
    var seen: Set<String> = []
    for item in items where !seen.insert(item.id).inserted { throw .duplicateItem(item.id) }
    // Which keyframes count changes only where one begins.
    let (progresses, times) = (stops(of: items, time: false), stops(of: items, time: true))
    let poses = items.reduce(progresses.count * times.count) { $0 + 1 + $1.keyframes.count }
    guard poses * items.count <= mostPlaces else {
      throw .badNumber(
        of: "a bar", name: "what its items times their keyframes come to",
        value: Double(poses * items.count), accepted: "\(mostPlaces) at most")
    }
    // Each pose by itself too: a bar may skip one.
    var alone = items.map { LayoutResolver.Segment(id: $0.id, lower: ItemPose()) }
    for (place, item) in items.enumerated() {
      for pose in [item.resting] + item.keyframes.map(\.pose) {
        try checkNumbers(of: pose, item: item.id)
        alone[place] = LayoutResolver.Segment(id: item.id, lower: pose)
        try check(alone, places: place..<place + 1)
      }
      alone[place] = LayoutResolver.Segment(id: item.id, lower: ItemPose())
    }
    for progress in progresses {
      for time in times {
        try check(
          items.map { $0.segment(at: $0.followsTime ? time : progress) }, places: items.indices)
      }
    }
  }

  /// Returns the progress values at which keyframes of some items begin.
  private static func stops(of items: [BarItem], time: Bool) -> [Double] {
    let some = items.filter { $0.followsTime == time }
    return Set(some.flatMap { $0.keyframes.map(\.progress) } + [0]).sorted()
  }

  /// - Parameter places: of the segments that may be wrong.
  private static func check(
    _ segments: [LayoutResolver.Segment], places: Range<Int>
  ) throws(LayoutError) {
    var resolver = LayoutResolver(bar: LayoutSize(width: 1, height: 1), segments: segments)
    for index in places {
      _ = resolver.attributes(of: index)
      if let failure = resolver.failure { throw failure }
    }
  }

  private static func checkNumbers(of pose: ItemPose, item: String) throws(LayoutError) {
    var numbers: [(String, Double)] = []
    for line in LayoutLine.allCases {
      guard let value = pose.layout?[line] else { continue }
      numbers.append(("\(line.rawValue)'s factor", value.factor))
      numbers.append(("\(line.rawValue)'s offset", value.offset))
    }
    let attributes = pose.attributes
    numbers += [
      ("center x", attributes.center.x), ("center y", attributes.center.y),
      ("width", attributes.size.width), ("height", attributes.size.height),
      ("cornerRadius", attributes.cornerRadius), ("anchor x", attributes.anchorPoint.x),
      ("anchor y", attributes.anchorPoint.y),
    ]
    for (row, entries) in attributes.transform.rows.enumerated() {
      for column in 0..<4 {
        numbers.append(("transform's m\(row + 1)\(column + 1)", entries[column]))
      }
    }
    for (name, value) in numbers where !(abs(value) <= Double.farthest) {
      throw .badNumber(
        of: "item '\(item)'", name: name, value: value, accepted: "-1000000000…1000000000")
    }
  }
}

/// A bar, how it behaves and where it snaps: give it scroll events, ask it for the bar.
///
/// Whoever scrolls calls `handle` for each event, then `advance` once per frame, and moves its
/// content when that says so.
public struct BarController: Sendable {
  /// Its heights and items may change at any time. Whether it is elastic is up to the behavior.
  public var bar: FlexibleBar { didSet { bar.isElasticAtTop = behavior.isElasticAtTop } }
  /// The bar's response to scrolling.
  public private(set) var behavior: any BarBehavior
  /// The ranges in which the bar snaps.
  public var snapping: Snapping

  private var animation: SnapAnimation?
  /// The offset to which the content is to move, until it is reported.
  private var contentOffset: Double?
  private var clock = 0.0

  /// Drives a bar; it is as high as its maximum at first.
  public init(_ bar: FlexibleBar, behavior: any BarBehavior, snapping: Snapping = .none) {
    self.bar = bar
    self.behavior = behavior
    self.snapping = snapping
    self.bar.isElasticAtTop = behavior.isElasticAtTop
  }

  /// True if the bar is snapping.
  public var isSnapping: Bool { animation != nil }

  /// The top inset of the scroll indicator, in points: the bar's height.
  public var scrollIndicatorTopInset: Double { bar.height }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - scroll: the state of scrolling at the event. If it has a number that is not finite, the event is ignored.
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

/// Something in a bar, with keyframes that say what it is like at which progress.
public struct BarItem: Sendable, Hashable {
  /// The name used by layouts and renderers; unique in the bar.
  public var id: String
  /// The item's pose before the first keyframe, or without any.
  public var resting: ItemPose
  /// True if keyframes follow time instead of the bar's progress, see `Keyframe.init(time:)`.
  package var followsTime = false
  /// Sorted by progress, each of which occurs once.
  public private(set) var keyframes: [Keyframe] = []

  /// - Parameter keyframes: in any order; of several with the same progress the last counts.
  public init(id: String, resting: ItemPose = ItemPose(), keyframes: [Keyframe] = []) {
    self.id = id
    self.resting = resting
    for keyframe in keyframes { setKeyframe(keyframe) }
  }

  /// Adds a keyframe, or replaces the one with the same progress.
  public mutating func setKeyframe(_ keyframe: Keyframe) {
    let place = keyframes.firstIndex { $0.progress >= keyframe.progress } ?? keyframes.endIndex
    if place < keyframes.endIndex, keyframes[place].progress == keyframe.progress {
      keyframes[place] = keyframe
    } else {
      keyframes.insert(keyframe, at: place)
    }
  }

  /// Removes the keyframe that has exactly this progress.
  ///
  /// - Returns: true if there was one.
  @discardableResult
  public mutating func removeKeyframe(at progress: Double) -> Bool {
    guard let place = keyframes.firstIndex(where: { $0.progress == progress }) else { return false }
    keyframes.remove(at: place)
    return true
  }

  /// Returns the segment at a progress, or, for an item that follows time, at a time in seconds.
  func segment(at progress: Double, time: Double) -> LayoutResolver.Segment {
    segment(at: followsTime ? Keyframe.progress(atTime: time) : progress)
  }

  /// Returns the segment at a progress: the resting pose before the first keyframe, an interpolation between two
  /// keyframes, or the last keyframe's pose from there on.
  func segment(at progress: Double) -> LayoutResolver.Segment {
    guard let lower = keyframes.last(where: { $0.progress <= progress }) else {
      return LayoutResolver.Segment(id: id, lower: resting)
    }
    guard let upper = keyframes.first(where: { $0.progress > progress }) else {
      return LayoutResolver.Segment(id: id, lower: lower.pose)
    }
    var share = (progress - lower.progress) / (upper.progress - lower.progress)
    // A spring takes its own time, and rests until the next keyframe.
    if followsTime, let duration = lower.easing.duration {
      share = Keyframe.time(atProgress: progress - lower.progress) / duration
    }
    return LayoutResolver.Segment(
      id: id, lower: lower.pose, upper: upper.pose, share: lower.easing.value(at: share))
  }
}

/// An item's pose at one progress of its bar.
public struct Keyframe: Sendable, Hashable {
  /// 0…1; what is outside counts as the nearer end.
  public var progress: Double { didSet { progress = progress.kept(in: 0...1) } }
  /// The item's pose at this progress.
  public var pose: ItemPose
  /// The easing from this keyframe to the next.
  public var easing: Easing

  /// A pose at a progress; `easing` spreads the change from here to the next keyframe.
  public init(progress: Double, _ pose: ItemPose, easing: Easing = .linear) {
    self.progress = progress.kept(in: 0...1)
    self.pose = pose
    self.easing = easing
  }

  /// A pose at a time in seconds, 0…3600, of an item that follows time.
  package init(time: Double, _ pose: ItemPose, easing: Easing = .linear) {
    self.init(progress: Keyframe.progress(atTime: time), pose, easing: easing)
  }

  /// The progress that stands for a time: the share of an hour.
  static func progress(atTime time: Double) -> Double { (time / 3600).kept(in: 0...1) }

  /// The seconds that a share of an hour stands for.
  static func time(atProgress progress: Double) -> Double { progress * 3600 }
}

/// An item's place and look at one moment, in points or relative to the bar.
public struct ItemPose: Sendable, Hashable {
  /// The item's place; it replaces the attributes' center and size. `nil` leaves those.
  public var layout: ItemLayout?
  /// The item's look, and its place if there is no layout.
  public var attributes: LayoutAttributes

  /// A pose given by numbers.
  public init(_ attributes: LayoutAttributes = LayoutAttributes()) {
    self.attributes = attributes
  }

  /// A pose whose place follows from the bar and other items.
  ///
  /// - Parameter attributes: the item's look; its center and size are not used.
  public init(_ layout: ItemLayout, _ attributes: LayoutAttributes = LayoutAttributes()) {
    self.layout = layout
    self.attributes = attributes
  }
}
