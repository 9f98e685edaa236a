internal import Glibc

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
