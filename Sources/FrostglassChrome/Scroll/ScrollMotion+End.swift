internal import Glibc

extension ScrollMotion {
  /// How content moves that is let go, or that has reached an end.
  static func released(
    at time: Double, offset: Double, velocity: Double, _ physics: ScrollPhysics, _ band: RubberBand
  ) -> ScrollMotion {
    let end = offset.kept(in: band.free)
    if offset != end {
      return .spring(start: time, end: end, displacement: offset - end, velocity: velocity)
    }
    guard abs(physics.decelerationRate.distance(from: velocity)) >= nothing else {
      return .rest(offset: offset)
    }
    // Outward from an end there is nowhere to go but beyond.
    if velocity < 0 ? offset == band.free.lowerBound : offset == band.free.upperBound {
      return .spring(start: time, end: offset, displacement: 0, velocity: velocity)
    }
    return .deceleration(start: time, offset: offset, velocity: velocity)
  }

  /// When this motion becomes another one, and which; `nil` for content at rest, forever.
  func next(
    _ physics: ScrollPhysics, _ band: RubberBand
  ) -> (time: Double, motion: ScrollMotion)? {
    switch self {
    case .rest, .drag: nil
    case .deceleration(let start, let offset, let velocity):
      ScrollMotion.afterDeceleration(start, offset, velocity, physics, band)
    case .spring(let start, let end, let displacement, let velocity):
      ScrollMotion.afterSpring(start, end, displacement, velocity, physics, band)
    case .animation(let start, let duration, _, let to, _):
      (start + duration, .rest(offset: to))
    }
  }

  private static func afterDeceleration(
    _ start: Double, _ offset: Double, _ velocity: Double, _ physics: ScrollPhysics,
    _ band: RubberBand
  ) -> (time: Double, motion: ScrollMotion) {
    let rate = physics.decelerationRate
    let way = rate.distance(from: velocity)
    let target = offset + way
    let end = target.kept(in: band.free)
    guard end != target else {
      return (start + rate.time(until: min(1, nothing / abs(way))), .rest(offset: target))
    }
    let share = 1 - (end - offset) / way
    let motion = ScrollMotion.spring(
      start: start + rate.time(until: share), end: end, displacement: 0, velocity: velocity * share)
    return (start + rate.time(until: share), motion)
  }

  private static func afterSpring(
    _ start: Double, _ end: Double, _ displacement: Double, _ velocity: Double,
    _ physics: ScrollPhysics, _ band: RubberBand
  ) -> (time: Double, motion: ScrollMotion) {
    let frequency = physics.springFrequency
    let pull = velocity + frequency * displacement
    // A fling back into the content is not held at its end: it passes once, and runs out inside.
    if displacement * pull < 0 {
      let crossing = -displacement / pull
      let inside = released(
        at: start + crossing, offset: end, velocity: exp(-frequency * crossing) * pull, physics,
        band)
      if inside != .rest(offset: end) { return (start + crossing, inside) }
    }
    return (start + settling(displacement, pull, frequency), .rest(offset: end))
  }

  /// After how many seconds `e^(-ft) |a + bt|` stays below what can be seen.
  ///
  /// With `a` and `b` of one sign it falls from its one maximum at `1/f - a/b` on. Otherwise it
  /// falls from the beginning, and what comes after its zero cannot be seen.
  private static func settling(_ a: Double, _ b: Double, _ frequency: Double) -> Double {
    func distance(_ t: Double) -> Double { exp(-frequency * t) * abs(a + b * t) }
    var low = b == 0 || a * b < 0 ? 0 : max(0, 1 / frequency - a / b)
    guard distance(low) > nothing else { return low }
    var high = low + 1 / frequency
    while distance(high) > nothing { high += 1 / frequency }
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if distance(middle) > nothing { low = middle } else { high = middle }
    }
    return high
  }
}
