/// One thing that a person or the program does to scrolled content. Times in seconds.
public enum GestureStep: Sendable, Hashable {
  /// What happens to the velocity when a finger lets go.
  public enum Release: Sendable, Hashable {
    /// The content goes on as fast as the finger was.
    case withFingerVelocity
    /// It goes on with this one, in points per second, above 0 toward the end; 0 stops.
    case withVelocity(Double)
  }

  /// A finger moves by a distance in points; above 0 moves the content toward its end.
  ///
  /// A distance of 0 holds the content. `curve` is the finger's way over its time.
  case drag(
    start: Double, duration: Double, distance: Double, curve: Easing = .linear,
    release: Release = .withFingerVelocity)
  /// A tap on the status bar.
  case tapToTop(start: Double)
  /// The program scrolls to an offset, or to the nearest at which content can rest. A duration of 0
  /// jumps.
  case scroll(start: Double, offset: Double, duration: Double)

  /// When it begins.
  public var start: Double {
    switch self {
    case .drag(let start, _, _, _, _), .tapToTop(let start), .scroll(let start, _, _): start
    }
  }

  /// When the next step may begin. Deceleration and the way to the top may be interrupted.
  public var end: Double {
    switch self {
    case .drag(let start, let duration, _, _, _): start + duration
    case .tapToTop(let start): start
    case .scroll(let start, _, let duration): start + duration
    }
  }

  /// What messages call it.
  var kind: String {
    switch self {
    case .drag: "drag"
    case .tapToTop: "tap to top"
    case .scroll: "scroll"
    }
  }
}
