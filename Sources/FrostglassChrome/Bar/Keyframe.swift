/// What an item is like at one progress of its bar.
public struct Keyframe: Sendable, Hashable {
  /// 0…1; what is outside counts as the nearer end.
  public var progress: Double { didSet { progress = progress.kept(in: 0...1) } }
  public var pose: ItemPose
  /// How the change from here to the next keyframe is spread.
  public var easing: Easing

  public init(progress: Double, _ pose: ItemPose, easing: Easing = .linear) {
    self.progress = progress.kept(in: 0...1)
    self.pose = pose
    self.easing = easing
  }
}
