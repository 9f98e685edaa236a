/// How frames follow each other.
public struct StillAnimation: Sendable, Hashable {
  /// How long each frame is shown, in milliseconds; as many as there are frames.
  public var delays: [Int]
  /// How often all are shown; 0 is for ever.
  public var loop: Int

  /// - Parameter delays: in milliseconds, one per frame and at least one.
  public init(delays: [Int], loop: Int = 0) {
    precondition(!delays.isEmpty, "an animation has at least one frame")
    self.delays = delays
    self.loop = loop
  }

  public var frames: Int { delays.count }
}
