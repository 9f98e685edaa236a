import TestSupport

extension SplitMix {
  /// Evenly from a range, edge cases left out; quicker than the standard library's.
  mutating func even(in range: ClosedRange<Double>) -> Double {
    let share = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + (range.upperBound - range.lowerBound) * share
  }

  /// Evenly, below a bound.
  mutating func integer(below bound: UInt64) -> Int { Int(next() % bound) }
}
