/// An event, when it happened and what things were like then.
public struct TimedScrollEvent: Sendable, Hashable {
  /// In seconds.
  public let time: Double
  public let event: ScrollEvent
  public let state: ScrollState
}
