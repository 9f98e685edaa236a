import TestSupport

extension SplitMix {
  /// True once in so many calls.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// A number that is often an edge case.
  mutating func number(in range: ClosedRange<Double>) -> Double {
    switch Int.random(in: 0..<40, using: &self) {
    case 0: .nan
    case 1: .infinity
    case 2: -.infinity
    case 3: 0
    case 4: -0.0
    case 5: .greatestFiniteMagnitude
    case 6: -1e12
    case 7: .leastNonzeroMagnitude
    default: .random(in: range, using: &self)
    }
  }
}
