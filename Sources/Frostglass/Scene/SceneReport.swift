/// What became of a scene.
public struct SceneReport: Sendable {
  public var frames: Int
  /// Pixels of a frame.
  public var size: Size
  /// The backend that rendered, and why that one.
  public var backend: String
  public var reason: String
  /// Pixels that were computed, of all frames.
  public var computedPixels: Int
  /// Seconds of rendering, without loading and writing.
  public var rendering: Double
  /// Seconds that a copy of one frame takes in memory, the median of several; 0 where frames are
  /// written.
  public var copying: Double
  public var recoveries: [Recovery]
}
