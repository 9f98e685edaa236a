/// When a backdrop view looks at what lies behind it.
public enum BackdropMode: Sendable, Hashable {
  /// Not yet: it was never told to blur.
  case undefined
  /// When it is told to, and once it has arrived.
  case `static`
  /// Again and again, after a number of seconds each, while it is shown.
  case live(interval: Double)

  /// The seconds between two looks; `nil` unless it is live.
  public var interval: Double? {
    if case .live(let interval) = self { interval } else { nil }
  }
}
