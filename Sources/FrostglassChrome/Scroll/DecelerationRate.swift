internal import Glibc

/// How quickly content comes to rest after a fling.
public enum DecelerationRate: String, Sendable, Hashable, CaseIterable {
  case normal
  case fast

  /// What velocity is multiplied by in each millisecond.
  public var perMillisecond: Double {
    switch self {
    case .normal: 0.998
    case .fast: 0.99
    }
  }

  /// How far content goes, in points, from a velocity in points per second.
  ///
  /// The sum over all milliseconds, `v d / (1 - d)`: 0.499 s times the velocity, or 0.099 s.
  public func distance(from velocity: Double) -> Double {
    velocity / 1000 * perMillisecond / (1 - perMillisecond)
  }

  /// What is left of the velocity after some seconds, as a share.
  func remaining(after seconds: Double) -> Double {
    exp(seconds * 1000 * log(perMillisecond))
  }

  /// When this share is left, in seconds.
  func time(until share: Double) -> Double {
    log(share) / (1000 * log(perMillisecond))
  }
}
