/// The constants of scrolling.
public struct ScrollPhysics: Sendable, Hashable {
  public let decelerationRate: DecelerationRate
  /// How much of a finger's movement content follows just beyond its ends, above 0 and at most 1.
  public let rubberBand: Double
  /// The frequency of the critically damped spring that brings content back to its ends, in radians
  /// per second.
  public let springFrequency: Double
  /// How long the way to the top takes, in seconds; 0 jumps.
  public let scrollToTopDuration: Double

  /// What iOS does, as far as is known.
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
