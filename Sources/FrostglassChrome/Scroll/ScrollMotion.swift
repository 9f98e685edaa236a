internal import Glibc

/// How content moves until something else happens, each in closed form from its own start.
enum ScrollMotion: Hashable {
  case rest(offset: Double)
  case drag(start: Double, duration: Double, grip: Grip, distance: Double, curve: Easing)
  case deceleration(start: Double, offset: Double, velocity: Double)
  /// Back to an end, from a displacement beyond it.
  case spring(start: Double, end: Double, displacement: Double, velocity: Double)
  case animation(start: Double, duration: Double, from: Double, to: Double, isToTop: Bool)

  /// How a finger holds content.
  struct Grip: Hashable {
    /// Where the finger would have the content at the start.
    var finger: Double
    /// What the content is beyond that; only where it was caught too far out for any finger.
    var excess: Double

    init(_ offset: Double, _ band: RubberBand) {
      finger = band.finger(for: offset)
      excess = offset - band.offset(for: finger)
      if abs(excess) < 1e-6 { excess = 0 }
    }
  }

  /// Half a pixel of a screen with three pixels per point: nobody sees the rest of the way.
  static let nothing = 0.5 / 3

  var phase: ScrollState.Phase {
    switch self {
    case .rest: .resting
    case .drag: .dragging
    case .deceleration, .spring: .decelerating
    case .animation: .animating
    }
  }

  func offset(at time: Double, _ physics: ScrollPhysics, _ band: RubberBand) -> Double {
    switch self {
    case .rest(let offset):
      return offset
    case .drag(let start, let duration, let grip, let distance, let curve):
      // Its end is met exactly, whatever rounding does to a difference of times.
      let share = time >= start + duration ? 1 : (time - start) / duration
      return band.offset(for: grip.finger + distance * curve.value(at: share)) + grip.excess
    case .deceleration(let start, let offset, let velocity):
      let rate = physics.decelerationRate
      return offset + rate.distance(from: velocity) * (1 - rate.remaining(after: time - start))
    case .spring(let start, let end, let displacement, let velocity):
      let frequency = physics.springFrequency
      let (seconds, pull) = (time - start, velocity + frequency * displacement)
      return end + exp(-frequency * seconds) * (displacement + pull * seconds)
    case .animation(let start, let duration, let from, let to, _):
      let share = duration > 0 ? (time - start) / duration : 1
      return from.toward(to, by: Easing.easeInOut.value(at: share))
    }
  }

  /// In points per second.
  func velocity(at time: Double, _ physics: ScrollPhysics, _ band: RubberBand) -> Double {
    switch self {
    case .rest:
      return 0
    case .drag(let start, let duration, let grip, let distance, let curve):
      let share = (time - start) / duration
      let place = grip.finger + distance * curve.value(at: share)
      return distance / duration * curve.slope(at: share) * band.slope(at: place)
    case .deceleration(let start, _, let velocity):
      return velocity * physics.decelerationRate.remaining(after: time - start)
    case .spring(let start, _, let displacement, let velocity):
      let frequency = physics.springFrequency
      let (seconds, pull) = (time - start, velocity + frequency * displacement)
      return exp(-frequency * seconds) * (velocity - frequency * pull * seconds)
    case .animation(let start, let duration, let from, let to, _):
      guard duration > 0 else { return 0 }
      return (to - from) / duration * Easing.easeInOut.slope(at: (time - start) / duration)
    }
  }
}
