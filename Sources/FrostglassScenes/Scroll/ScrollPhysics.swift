internal import Glibc

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
