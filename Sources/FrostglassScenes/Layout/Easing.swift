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
