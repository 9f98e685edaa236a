public import FrostglassCore
internal import Glibc

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

/// The course of a change over time: a cubic Bézier curve from (0, 0) to (1, 1), or a spring.
public struct Easing: Sendable, Hashable {
  /// The spring, if it is one; the control points are then those of an even change.
  public let spring: Spring?
  /// The control points; `x1` and `x2` are 0…1.
  public let x1: Double
  /// The first control point's value.
  public let y1: Double
  /// The second control point's time, 0…1.
  public let x2: Double
  /// The second control point's value.
  public let y2: Double

  /// The curve with two control points of one's own.
  ///
  /// - Parameters: `y1` and `y2` may lie outside 0…1: the change then overshoots.
  /// - Throws: `LayoutError.badNumber` for `x1` or `x2` outside 0…1, and for what is not finite.
  public static func cubicBezier(
    x1: Double, y1: Double, x2: Double, y2: Double
  ) throws(LayoutError) -> Easing {
    for (name, x) in [("x1", x1), ("x2", x2)] where !(x >= 0 && x <= 1) {
      throw .badNumber(of: "easing", name: name, value: x, accepted: "0…1")
    }
    for (name, y) in [("y1", y1), ("y2", y2)] where !(abs(y) <= 1000) {
      throw .badNumber(of: "easing", name: name, value: y, accepted: "-1000…1000")
    }
    return Easing(x1, y1, x2, y2)
  }

  /// As a spring moves until it rests.
  public static func spring(_ spring: Spring) -> Easing { Easing(0, 0, 1, 1, spring: spring) }

  /// The seconds that the change takes by itself; `nil` for a curve, which fits any time.
  public var duration: Double? { spring?.settlingTime }

  /// The change goes no farther than this; 1 where it does not overshoot.
  var bound: Double { spring?.peak ?? max(1, y1, y2) }

  /// Even.
  public static let linear = Easing(0, 0, 1, 1)
  /// Slow at first.
  public static let easeIn = Easing(0.42, 0, 1, 1)
  /// Slow at the end.
  public static let easeOut = Easing(0, 0, 0.58, 1)
  /// Slow at both ends; what UIKit does when nothing is said.
  public static let easeInOut = Easing(0.42, 0, 0.58, 1)

  private init(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, spring: Spring? = nil
  ) {
    (self.x1, self.y1, self.x2, self.y2) = (x1, y1, x2, y2)
    self.spring = spring
  }

  /// Returns the completed share of the change after a share of its time: 0 at 0, 1 at 1.
  ///
  /// - Parameter share: 0…1; values outside count as the nearer end.
  public func value(at share: Double) -> Double {
    guard share > 0 else { return 0 }
    guard share < 1 else { return 1 }
    if let spring { return spring.value(at: share * spring.settlingTime) }
    if isStraight { return share }
    return Easing.coordinate(parameter(at: share), y1, y2)
  }

  /// Returns the speed of the change, as a multiple of the linear one.
  ///
  /// Where the curve is vertical, the result is its mean over a hundredth of the time or, at an end, half of that.
  public func slope(at share: Double) -> Double {
    if let spring {
      return spring.velocity(at: share.kept(in: 0...1) * spring.settlingTime) * spring.settlingTime
    }
    if isStraight { return 1 }
    let share = share.kept(in: 0...1)
    let parameter = parameter(at: share)
    let along = Easing.derivative(parameter, x1, x2)
    guard along < 1e-6 else { return Easing.derivative(parameter, y1, y2) / along }
    // At an end where both derivatives are 0 the curve leaves toward its other control point.
    if share > 0.5, y2 == 1, x1 < 1 { return (1 - y1) / (1 - x1) }
    if share < 0.5, y1 == 0, x2 > 0 { return y2 / x2 }
    let (from, to) = (max(share - 0.005, 0), min(share + 0.005, 1))
    return (value(at: to) - value(at: from)) / (to - from)
  }

  private var isStraight: Bool { x1 == y1 && x2 == y2 }

  /// Returns the curve's parameter at `x`, by Newton's method with bisection where it would leave the bracket.
  private func parameter(at x: Double) -> Double {
    var (low, high, parameter) = (0.0, 1.0, x)
    for _ in 0..<100 {
      let excess = Easing.coordinate(parameter, x1, x2) - x
      if excess == 0 { break }
      if excess > 0 { high = parameter } else { low = parameter }
      let newton = parameter - excess / Easing.derivative(parameter, x1, x2)
      let next = newton > low && newton < high ? newton : (low + high) / 2
      if abs(next - parameter) <= parameter.ulp { break }
      parameter = next
    }
    return parameter
  }

  private static func coordinate(_ t: Double, _ first: Double, _ second: Double) -> Double {
    let u = 1 - t
    return 3 * u * u * t * first + 3 * u * t * t * second + t * t * t
  }

  private static func derivative(_ t: Double, _ first: Double, _ second: Double) -> Double {
    let u = 1 - t
    return 3 * u * u * first + 6 * u * t * (second - first) + 3 * t * t * (1 - second)
  }
}

/// A mass on a damped spring, let go of at rest: how a change is spread that has weight.
///
/// The way x that is left of it, 1 at first, solves m x″ + c x′ + k x = 0. With ω = √(k/m) and the
/// damping ratio ζ = c / (2 √(k m)) the solution is in closed form (the damped harmonic oscillator of
/// any textbook, such as D. Morin, "Waves", chapter 1):
///
/// | | x(t) |
/// |---|---|
/// | ζ < 1, overshoots | e^(−ζωt) (cos ωₐt + ζω/ωₐ sin ωₐt), ωₐ = ω √(1 − ζ²) |
/// | ζ = 1 | e^(−ωt) (1 + ωt) |
/// | ζ > 1, slow | (r₂ e^(−r₁t) − r₁ e^(−r₂t)) / (r₂ − r₁), r₁, r₂ = ω (ζ ∓ √(ζ² − 1)) |
public struct Spring: Sendable, Hashable {
  /// The moving mass.
  public let mass: Double
  /// The spring's pull, per point of the way.
  public let stiffness: Double
  /// The resistance to motion, per point per second.
  public let damping: Double
  /// Seconds after which no more than 1/10000 of the way is left, for good; at most 60.
  public let settlingTime: Double

  /// A spring by its physics.
  ///
  /// - Parameters:
  ///   - mass: 0.001…1000.
  ///   - stiffness: 0.001…1000000.
  ///   - damping: 0.001…1000000.
  /// - Throws: `LayoutError.badNumber` for what is out of range, and for a spring that is not at rest
  ///   after a minute.
  public init(mass: Double = 1, stiffness: Double, damping: Double) throws(LayoutError) {
    try Spring.check(mass, "mass", 0.001...1000)
    try Spring.check(stiffness, "stiffness", 0.001...1_000_000)
    try Spring.check(damping, "damping", 0.001...1_000_000)
    (self.mass, self.stiffness, self.damping) = (mass, stiffness, damping)
    let motion = Motion(mass, stiffness, damping)
    settlingTime = motion.settlingTime
    guard settlingTime <= 60 else {
      throw .badNumber(
        of: "spring", name: "the time until it rests", value: settlingTime,
        accepted: "60 s or less: more damping makes it shorter")
    }
  }

  /// A spring as SwiftUI describes it, of mass 1.
  ///
  /// - Parameters:
  ///   - duration: the perceived duration, in seconds, 0.01…60: the period 2π/ω that it would have without damping.
  ///   - bounce: −0.99…0.99. From 0 on the damping ratio is 1 − bounce: 0 does not overshoot. Below 0
  ///     it is 1 / (1 + bounce). (Apple, WWDC 2023, "Animate with springs".)
  /// - Throws: as the other.
  public init(duration: Double, bounce: Double = 0) throws(LayoutError) {
    try Spring.check(duration, "duration", 0.01...60)
    try Spring.check(bounce, "bounce", -0.99...0.99)
    let frequency = 2 * Double.pi / duration
    let ratio = bounce >= 0 ? 1 - bounce : 1 / (1 + bounce)
    try self.init(stiffness: frequency * frequency, damping: 2 * ratio * frequency)
  }

  private static func check(
    _ value: Double, _ name: String, _ range: ClosedRange<Double>
  ) throws(LayoutError) {
    guard range.contains(value) else {
      throw .badNumber(
        of: "spring", name: name, value: value,
        accepted: "\(range.lowerBound)…\(range.upperBound)")
    }
  }

  /// Returns the completed share of the change after a time in seconds: 0 at 0, finally 1, and beyond 1 while the
  /// spring overshoots.
  public func value(at time: Double) -> Double { 1 - motion.rest(at: max(time, 0)) }

  /// Returns the speed of the change at a time in seconds, in ways per second.
  public func velocity(at time: Double) -> Double { motion.velocity(at: max(time, 0)) }

  /// The farthest that the change goes; 1 where it does not overshoot.
  public var peak: Double {
    let ratio = motion.ratio
    return ratio < 1 ? 1 + exp(-Double.pi * ratio / (1 - ratio * ratio).squareRoot()) : 1
  }

  private var motion: Motion { Motion(mass, stiffness, damping) }

  /// The solution.
  private struct Motion {
    /// ω, in radians per second.
    let frequency: Double
    /// ζ.
    let ratio: Double

    init(_ mass: Double, _ stiffness: Double, _ damping: Double) {
      frequency = (stiffness / mass).squareRoot()
      ratio = damping / (2 * (stiffness * mass).squareRoot())
    }

    /// So near to 1 a damping ratio counts as that: both other forms come to 0/0 there.
    private var isCritical: Bool { abs(ratio - 1) < 1e-6 }

    private var dampedFrequency: Double { frequency * (1 - ratio * ratio).squareRoot() }

    private var rates: (slow: Double, fast: Double) {
      let root = (ratio * ratio - 1).squareRoot()
      // Their product is ω²: the difference would lose the digits of the slow one.
      let fast = frequency * (ratio + root)
      return (frequency * frequency / fast, fast)
    }

    func rest(at time: Double) -> Double {
      if isCritical { return exp(-frequency * time) * (1 + frequency * time) }
      if ratio < 1 {
        let (damped, decay) = (dampedFrequency, ratio * frequency)
        return exp(-decay * time)
          * (cos(damped * time) + decay / damped * sin(damped * time))
      }
      let (slow, fast) = rates
      return (fast * exp(-slow * time) - slow * exp(-fast * time)) / (fast - slow)
    }

    func velocity(at time: Double) -> Double {
      let square = frequency * frequency
      if isCritical { return square * time * exp(-frequency * time) }
      if ratio < 1 {
        let damped = dampedFrequency
        return square / damped * exp(-ratio * frequency * time) * sin(damped * time)
      }
      let (slow, fast) = rates
      return square * (exp(-slow * time) - exp(-fast * time)) / (fast - slow)
    }

    /// Returns a bound that `rest` does not exceed from this time on; it never rises.
    private func bound(at time: Double) -> Double {
      guard ratio < 1, !isCritical else { return rest(at: time) }
      // |cos + ζω/ωₐ sin| is at most 1/√(1 − ζ²), and as |sin ωₐt| ≤ ωₐt, at most 1 + ζωt.
      let decay = ratio * frequency * time
      return exp(-decay) * min(1 / (1 - ratio * ratio).squareRoot(), 1 + decay)
    }

    var settlingTime: Double {
      var high = 1 / frequency
      while bound(at: high) > 1e-4, high < 1e9 { high *= 2 }
      var low = 0.0
      for _ in 0..<60 {
        let middle = (low + high) / 2
        if bound(at: middle) > 1e-4 { low = middle } else { high = middle }
      }
      return high
    }
  }
}
