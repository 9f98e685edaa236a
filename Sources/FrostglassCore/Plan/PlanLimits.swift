/// What a backend can hold.
public struct PlanLimits: Sendable, Hashable {
  /// Longest side of an intermediate picture, in samples.
  public var longestSide: Int
  /// Bytes of intermediate pictures at once, at the plan's least precision.
  public var bytes: Int
  /// Taps of one convolution or resampling phase.
  public var taps: Int

  public init(longestSide: Int = .max, bytes: Int = .max, taps: Int = .max) {
    self.longestSide = longestSide
    self.bytes = bytes
    self.taps = taps
  }

  /// No limits.
  public static let none = PlanLimits()
}
