import FrostglassScenes
import TestSupport
import Testing

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

extension SplitMix {
  /// Evenly from a range, edge cases left out; quicker than the standard library's.
  mutating func even(in range: ClosedRange<Double>) -> Double {
    let share = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + (range.upperBound - range.lowerBound) * share
  }

  /// Evenly, below a bound.
  mutating func integer(below bound: UInt64) -> Int { Int(next() % bound) }
}

extension BackdropEffect {
  var capture: BackdropCapture? {
    if case .capture(let capture) = self { capture } else { nil }
  }
}

extension [BackdropEffect] {
  /// The times of the captures that are asked for.
  var captureTimes: [Double] { compactMap(\.capture?.time) }

  /// The first capture that is asked for; fails without one.
  var firstCapture: BackdropCapture {
    get throws { try #require(compactMap(\.capture).first) }
  }

  /// The change in the number of running timers.
  var timers: Int {
    reduce(0) { count, effect in
      switch effect {
      case .startTimer: count + 1
      case .stopTimer: count - 1
      default: count
      }
    }
  }
}
