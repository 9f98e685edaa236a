/// What a behavior knows when something happens.
public struct BarContext: Sendable, Hashable {
  public var scroll: ScrollState
  /// In seconds.
  public var time: Double
  /// The bar's progress.
  public var progress: Double
  /// How much lower the bar is at progress 1 than at 0, in points; 0 or more.
  public var heightRange: Double
  /// Whether the bar is on its way to where it snaps.
  public var isSnapping: Bool

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
