extension Double {
  /// The nearest number of a range; the range's lower bound for what is no number.
  func kept(in range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }

  /// The way from this number to another, by a share of it.
  func toward(_ other: Double, by share: Double) -> Double {
    self - (self - other) * share
  }

  /// How far from 0 a coordinate may be: far enough for any screen, near enough to keep its digits.
  static let farthest = 1e9
}
