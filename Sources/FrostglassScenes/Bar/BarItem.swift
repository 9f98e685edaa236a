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
