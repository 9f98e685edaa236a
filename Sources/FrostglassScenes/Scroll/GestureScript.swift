/// A sequence of gestures on scrolled content.
public struct GestureScript: Sendable, Hashable {
  /// In the order in which they begin.
  public let steps: [GestureStep]

  /// Nothing is done.
  public static let empty = GestureScript(checked: [])

  private init(checked steps: [GestureStep]) { self.steps = steps }

  /// - Throws: `ScrollError` for steps that overlap or are not in order of time, times below 0,
  ///   drags that take no time, and numbers that are not finite. It names the step.
  public init(_ steps: [GestureStep]) throws(ScrollError) {
    var previousEnd = 0.0
    for (index, step) in steps.enumerated() {
      try GestureScript.check(step, number: index + 1)
      guard step.start >= previousEnd else {
        throw .overlap(step: index + 1, start: step.start, previousEnd: previousEnd)
      }
      previousEnd = step.end
    }
    self.init(checked: steps)
  }

  private static func check(_ step: GestureStep, number: Int) throws(ScrollError) {
    func bad(_ name: String, _ value: Double, _ accepted: String) -> ScrollError {
      .badStep(number, kind: step.kind, name: name, value: value, accepted: accepted)
    }
    let longest = Double.farthest
    guard step.start >= 0, step.start <= longest else {
      throw bad("start", step.start, "0 s or more")
    }
    switch step {
    case .drag(_, let duration, let distance, _, let release):
      guard duration > 0, duration <= longest else {
        throw bad("duration", duration, "above 0 s")
      }
      guard abs(distance) <= longest else {
        throw bad("distance", distance, "a finite number of points")
      }
      if case .withVelocity(let velocity) = release, !(abs(velocity) <= 1e6) {
        throw bad("release velocity", velocity, "-1000000…1000000 points per second")
      }
    case .tapToTop: break
    case .scroll(_, let offset, let duration):
      guard abs(offset) <= longest else {
        throw bad("offset", offset, "a finite number of points")
      }
      guard duration >= 0, duration <= longest else {
        throw bad("duration", duration, "0 s or more")
      }
    }
  }
}

/// One thing that a person or the program does to scrolled content. Times in seconds.
public enum GestureStep: Sendable, Hashable {
  /// The velocity of the content after a finger lets go.
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

  /// The start of the step, in seconds.
  public var start: Double {
    switch self {
    case .drag(let start, _, _, _, _), .tapToTop(let start), .scroll(let start, _, _): start
    }
  }

  /// The earliest start of the next step. It may interrupt deceleration and the way to the top.
  public var end: Double {
    switch self {
    case .drag(let start, let duration, _, _, _): start.later(by: duration)
    case .tapToTop(let start): start
    case .scroll(let start, _, let duration): start.later(by: duration)
    }
  }

  /// The step's name in messages.
  var kind: String {
    switch self {
    case .drag: "drag"
    case .tapToTop: "tap to top"
    case .scroll: "scroll"
    }
  }
}
