public import FrostglassCore

/// A value that stays or is on its way to another, as a rule with UIKit's ease-in-out curve.
///
/// Nothing runs: the value is computed for the time that is asked for.
public struct TimedValue<Value: Animatable>: Sendable, Hashable {
  /// The value at the beginning of the motion.
  public private(set) var from: Value
  /// The value at the end of the motion and afterwards.
  public private(set) var to: Value
  /// The beginning of the motion, in seconds.
  public private(set) var start: Double
  /// The duration of the motion, in seconds; 0 for a value that does not move.
  public private(set) var duration: Double
  /// The easing of the motion.
  public private(set) var easing = Easing.easeInOut

  /// No motion takes longer, in seconds.
  private static var longest: Double { 60 }

  /// A value that stays.
  public init(_ value: Value) {
    from = value
    to = value
    start = 0
    duration = 0
  }

  /// The end of the motion, in seconds.
  public var end: Double { start.later(by: duration) }

  /// The value at a time: `from` before the motion, `to` after it.
  public func value(at time: Double) -> Value {
    guard isMoving(at: time) else { return to }
    let fraction = (time - start) / duration
    return from.moved(toward: to, by: easing.value(at: fraction))
  }

  /// Returns true if the motion has not ended.
  public func isMoving(at time: Double) -> Bool {
    duration > 0 && time < end
  }

  /// Moves to another value, from the current one.
  ///
  /// - Parameters:
  ///   - target: the value at the end of the motion.
  ///   - time: the start of the motion, in seconds.
  ///   - duration: in seconds, limited to a minute; without one above 0 the value changes at once.
  ///   - easing: the easing of the motion; a spring takes `duration` instead of its own.
  public mutating func move(
    to target: Value, at time: Double, duration: Double, easing: Easing = .easeInOut
  ) {
    let current = value(at: time)
    let takesTime = duration > 0 && current != target
    from = takesTime ? current : target
    to = target
    start = time
    self.duration = takesTime ? min(duration, TimedValue.longest) : 0
    self.easing = easing
  }

  /// Is another value from now on.
  public mutating func set(_ value: Value) {
    self = TimedValue(value)
  }
}

/// A value that can be interpolated.
public protocol Animatable: Sendable, Hashable {
  /// The value at a fraction of the way to another: itself at 0, the other at 1.
  func moved(toward other: Self, by fraction: Double) -> Self
}

extension Double: Animatable {
  /// A number in between: 0 is this one, 1 the other.
  public func moved(toward other: Double, by fraction: Double) -> Double {
    self + (other - self) * fraction
  }
}

extension Color: Animatable {
  /// A color in between, by what both add to an image: a transparent one has no color of its own.
  public func moved(toward other: Color, by fraction: Double) -> Color {
    let alpha = alpha.moved(toward: other.alpha, by: fraction)
    guard alpha > 0 else { return fraction < 1 ? self : other }
    let mixed =
      (components * (self.alpha * (1 - fraction)) + other.components * (other.alpha * fraction))
      / alpha
    return Color(red: mixed.x, green: mixed.y, blue: mixed.z, alpha: alpha)
  }
}

extension LayoutRect: Animatable {
  /// A rectangle in between, each side by itself: 0 is this one, 1 the other.
  public func moved(toward other: LayoutRect, by fraction: Double) -> LayoutRect {
    LayoutRect(
      x: x.moved(toward: other.x, by: fraction), y: y.moved(toward: other.y, by: fraction),
      width: width.moved(toward: other.width, by: fraction),
      height: height.moved(toward: other.height, by: fraction))
  }
}
