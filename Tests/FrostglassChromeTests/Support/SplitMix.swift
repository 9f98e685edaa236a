/// A small generator of random numbers, the same on every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

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
