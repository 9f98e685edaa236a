internal import Glibc

/// The motion of content until the next event, in closed form from its own start.
enum ScrollMotion: Hashable {
  case rest(offset: Double)
  case drag(start: Double, duration: Double, grip: DragAnchor, distance: Double, curve: Easing)
  case deceleration(start: Double, offset: Double, velocity: Double)
  /// Back to an end, from a displacement beyond it.
  case spring(start: Double, end: Double, displacement: Double, velocity: Double)
  case animation(start: Double, duration: Double, from: Double, to: Double, isToTop: Bool)

  /// A finger's hold on content.
  struct DragAnchor: Hashable {
    /// The unstretched position of the finger at the start.
    var finger: Double
    /// The distance of the content beyond that position; only where it was caught too far out for any finger.
    var excess: Double

    init(_ offset: Double, _ band: RubberBand) {
      finger = band.finger(for: offset)
      excess = offset - band.offset(for: finger)
      if abs(excess) < 1e-6 { excess = 0 }
    }
  }

  /// Half a pixel of a screen with three pixels per point: nobody sees the rest of the way.
  private static let nothing = 0.5 / 3

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
      let share = time >= start.later(by: duration) ? 1 : (time - start) / duration
      return band.offset(for: grip.finger + distance * curve.value(at: share)) + grip.excess
    case .deceleration(let start, let offset, let velocity):
      let rate = physics.decelerationRate
      return offset + rate.sum(from: velocity) * (1 - rate.remaining(after: time - start))
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

extension ScrollMotion {
  /// Returns the motion of content that is released, or that has reached an end.
  static func released(
    at time: Double, offset: Double, velocity: Double, _ physics: ScrollPhysics, _ band: RubberBand
  ) -> ScrollMotion {
    let end = offset.kept(in: band.free)
    if offset != end {
      return .spring(start: time, end: end, displacement: offset - end, velocity: velocity)
    }
    guard abs(velocity) > DecelerationRate.slowest else {
      return .rest(offset: offset)
    }
    // Outward from an end there is nowhere to go but beyond.
    if velocity < 0 ? offset == band.free.lowerBound : offset == band.free.upperBound {
      return .spring(start: time, end: offset, displacement: 0, velocity: velocity)
    }
    return .deceleration(start: time, offset: offset, velocity: velocity)
  }

  /// Returns the motion after this one and its start; `nil` for content at rest, forever.
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
      (start.later(by: duration), .rest(offset: to))
    }
  }

  private static func afterDeceleration(
    _ start: Double, _ offset: Double, _ velocity: Double, _ physics: ScrollPhysics,
    _ band: RubberBand
  ) -> (time: Double, motion: ScrollMotion) {
    let rate = physics.decelerationRate
    let target = offset + rate.distance(from: velocity)
    let end = target.kept(in: band.free)
    guard end != target else {
      let share = DecelerationRate.slowest / abs(velocity)
      return (start + rate.time(until: share), .rest(offset: target))
    }
    let share = 1 - (end - offset) / rate.sum(from: velocity)
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

/// The resistance of content that a finger pulls beyond its ends: it follows ever less, and never by a whole viewport.
struct RubberBand: Hashable {
  /// The share of the finger's way at the beginning.
  private let strength: Double
  /// The viewport's height, which is the limit.
  private let dimension: Double
  /// The offsets at which content follows the finger fully.
  let free: ClosedRange<Double>

  init(_ physics: ScrollPhysics, _ geometry: ScrollGeometry) {
    strength = physics.rubberBand
    dimension = geometry.viewportHeight
    free = geometry.restingOffsets
  }

  /// The offset for where the finger would have the content.
  func offset(for finger: Double) -> Double {
    let inside = finger.kept(in: free)
    let beyond = finger - inside
    let stretch = (1 - 1 / (abs(beyond) * strength / dimension + 1)) * dimension
    return inside + (beyond < 0 ? -stretch : stretch)
  }

  /// Returns the finger's unstretched position for an offset.
  ///
  /// A fling can take content farther out than any finger; offsets beyond nine tenths of the limit count as nine
  /// tenths.
  func finger(for offset: Double) -> Double {
    let inside = offset.kept(in: free)
    let beyond = offset - inside
    let stretch = min(abs(beyond) / dimension, 0.9)
    let way = (1 / (1 - stretch) - 1) * dimension / strength
    return inside + (beyond < 0 ? -way : way)
  }

  /// Returns the content's movement per small movement of the finger.
  func slope(at finger: Double) -> Double {
    let beyond = abs(finger - finger.kept(in: free))
    guard beyond > 0 else { return 1 }
    let divisor = beyond * strength / dimension + 1
    return strength / (divisor * divisor)
  }
}

/// An event of scrolled content, in UIKit's order and meaning.
public enum ScrollEvent: Sendable, Hashable {
  /// A finger takes hold of the content.
  case willBeginDragging
  /// The offset is another one.
  case didScroll
  /// The finger lets go; the velocity in points per second, above 0 toward the end.
  case willEndDragging(velocity: Double)
  /// The finger has let go.
  case didEndDragging(willDecelerate: Bool)
  /// The content has come to rest after that.
  case didEndDecelerating
  /// The status bar was tapped, and the content goes to its top.
  case willScrollToTop
  case didScrollToTop
  /// The program sends the content somewhere.
  case willScrollProgrammatically
  case didEndProgrammaticScroll
}

/// An event, when it happened and what things were like then.
public struct TimedScrollEvent: Sendable, Hashable {
  /// In seconds.
  public let time: Double
  /// The event.
  public let event: ScrollEvent
  /// The state right after the event.
  public let state: ScrollState
}

/// The place and motion of scrolled content.
public struct ScrollState: Sendable, Hashable {
  /// Why content moves.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// It does not.
    case resting
    /// A finger moves it.
    case dragging
    /// It comes to rest by itself, also back from beyond its ends.
    case decelerating
    /// It goes where it was sent.
    case animating
  }

  /// The sizes of the viewport and its content.
  public var geometry: ScrollGeometry
  /// The content's place at the upper edge of the viewport, in points; larger is farther down.
  public var offset: Double
  /// The velocity of the offset, in points per second; above 0 goes toward the end.
  public var velocity: Double
  /// The cause of the content's motion.
  public var phase: Phase
  /// The deceleration of a fling.
  public var decelerationRate: DecelerationRate

  /// A state of scrolling.
  public init(
    geometry: ScrollGeometry, offset: Double, velocity: Double = 0, phase: Phase = .resting,
    decelerationRate: DecelerationRate = .normal
  ) {
    self.geometry = geometry
    self.offset = offset
    self.velocity = velocity
    self.phase = phase
    self.decelerationRate = decelerationRate
  }

  /// The distance of the content from its top, in points; negative while it is pulled down beyond the top.
  public var distanceFromTop: Double { offset + geometry.topInset }
}

/// The constants of scrolling.
public struct ScrollPhysics: Sendable, Hashable {
  /// The deceleration of a fling.
  public let decelerationRate: DecelerationRate
  /// The share of a finger's movement that content follows just beyond its ends, above 0 and at most 1.
  public let rubberBand: Double
  /// The frequency of the critically damped spring that brings content back to its ends, in radians
  /// per second.
  public let springFrequency: Double
  /// The time that scrolling to the top takes, in seconds; 0 jumps.
  public let scrollToTopDuration: Double

  /// The constants of iOS, as far as they are known.
  public static let standard = ScrollPhysics(
    checkedRate: .normal, rubberBand: 0.55, springFrequency: 10, scrollToTopDuration: 0.3)

  /// - Throws: `ScrollError.badValue` for constants outside their ranges.
  public init(
    decelerationRate: DecelerationRate = .normal, rubberBand: Double = 0.55,
    springFrequency: Double = 10, scrollToTopDuration: Double = 0.3
  ) throws(ScrollError) {
    guard rubberBand > 0, rubberBand <= 1 else {
      throw .badValue(name: "rubber band", value: rubberBand, accepted: "above 0, at most 1")
    }
    guard springFrequency >= 1, springFrequency <= 1000 else {
      throw .badValue(name: "spring frequency", value: springFrequency, accepted: "1…1000")
    }
    guard scrollToTopDuration >= 0, scrollToTopDuration <= 60 else {
      throw .badValue(
        name: "scroll to top duration", value: scrollToTopDuration, accepted: "0…60 s")
    }
    self.init(
      checkedRate: decelerationRate, rubberBand: rubberBand, springFrequency: springFrequency,
      scrollToTopDuration: scrollToTopDuration)
  }

  private init(
    checkedRate: DecelerationRate, rubberBand: Double, springFrequency: Double,
    scrollToTopDuration: Double
  ) {
    self.decelerationRate = checkedRate
    self.rubberBand = rubberBand
    self.springFrequency = springFrequency
    self.scrollToTopDuration = scrollToTopDuration
  }
}

/// The deceleration of content after a fling.
public enum DecelerationRate: String, Sendable, Hashable, CaseIterable {
  case normal
  case fast

  /// The factor of the velocity per millisecond.
  public var perMillisecond: Double {
    switch self {
    case .normal: 0.998
    case .fast: 0.99
    }
  }

  /// The velocity at which content stops, in points per second: a sixth of a point from one frame to
  /// the next, of 60 per second.
  ///
  /// `UIScrollView` stops there. Of four flings of 1399 to 4620 points per second that somebody measured,
  /// 9.7 to 9.9 points per second were left at the end, which is less than 10 for the first time at 60
  /// frames per second; and they went just as far as the sum up to there.
  /// Source: https://stackoverflow.com/questions/16155375
  public static let slowest = 10.0

  /// Returns the distance that content goes, in points, from a velocity in points per second until it stops.
  ///
  /// The sum over the milliseconds, `v d / (1 - d)`: 0.499 s times the lost velocity, or 0.099 s.
  public func distance(from velocity: Double) -> Double {
    guard abs(velocity) > Self.slowest else { return 0 }
    return sum(from: velocity) * (1 - Self.slowest / abs(velocity))
  }

  /// Returns the distance that content would go in infinite time, in points.
  func sum(from velocity: Double) -> Double {
    velocity / 1000 * perMillisecond / (1 - perMillisecond)
  }

  /// Returns the remaining share of the velocity after a time in seconds.
  func remaining(after seconds: Double) -> Double {
    exp(seconds * 1000 * log(perMillisecond))
  }

  /// Returns the time until this share of the velocity remains, in seconds.
  func time(until share: Double) -> Double {
    log(share) / (1000 * log(perMillisecond))
  }
}

/// The sizes of something that scrolls, in points.
public struct ScrollGeometry: Sendable, Hashable {
  /// The height of the visible part.
  public let viewportHeight: Double
  /// The height of the content.
  public let contentHeight: Double
  /// Room above the content; it rests at the offset `-topInset`.
  public let topInset: Double
  /// Room below the content.
  public let bottomInset: Double

  /// - Throws: `ScrollError.badValue` for a viewport not above 0, content below 0, and for what is
  ///   not finite.
  public init(
    viewportHeight: Double, contentHeight: Double, topInset: Double = 0, bottomInset: Double = 0
  ) throws(ScrollError) {
    let limit = Double.farthest
    guard viewportHeight > 0, viewportHeight <= limit else {
      throw .badValue(name: "viewport height", value: viewportHeight, accepted: "above 0")
    }
    guard contentHeight >= 0, contentHeight <= limit else {
      throw .badValue(name: "content height", value: contentHeight, accepted: "0 or more")
    }
    for (name, inset) in [("top inset", topInset), ("bottom inset", bottomInset)]
    where !(abs(inset) <= limit) {
      throw .badValue(name: name, value: inset, accepted: "a finite number of points")
    }
    self.viewportHeight = viewportHeight
    self.contentHeight = contentHeight
    self.topInset = topInset
    self.bottomInset = bottomInset
  }

  /// The offset at which the last of the content and the bottom inset are at the lower edge; less
  /// than that of the top where the content is short.
  public var endOffset: Double { contentHeight + bottomInset - viewportHeight }

  /// The offsets at which content can rest; a single one where all of it can be seen.
  public var restingOffsets: ClosedRange<Double> { -topInset...max(endOffset, -topInset) }
}

/// Why something cannot be scrolled as asked.
public enum ScrollError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A size or constant that cannot be used.
  case badValue(name: String, value: Double, accepted: String)
  /// A number in a step of a script; steps count from 1.
  case badStep(Int, kind: String, name: String, value: Double, accepted: String)
  /// A step begins before the one before it is over, or before that begins. Times in seconds.
  case overlap(step: Int, start: Double, previousEnd: Double)

  /// The error message.
  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "\(name) is \(value); it must be \(accepted)"
    case .badStep(let step, let kind, let name, let value, let accepted):
      "step \(step) (\(kind)): \(name) is \(value); it must be \(accepted)"
    case .overlap(let step, let start, let previousEnd):
      "step \(step) starts at \(start) s, before step \(step - 1) is over; it must start at "
        + "\(previousEnd) s or later"
    }
  }
}
