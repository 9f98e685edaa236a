/// The form that the taps of a symmetric filter have in a plan.
package enum TapForm: Sendable {
  /// Floats.
  case float
  /// Multiples of 1/65536 (the center's of 1/32768) that sum to exactly 1, so that fixed point
  /// computes with them and not with something near them.
  case fixed

  init(_ precision: Precision) { self = precision == .float32 ? .float : .fixed }

  /// Taps in this form, center first; `taps` sum to 1 with both sides counted.
  func normalized(_ taps: [Double]) -> [Float] {
    switch self {
    case .float: Self.floats(taps)
    case .fixed: Self.multiples(taps)
    }
  }

  /// Floats whose sum is 1 to within a rounding.
  private static func floats(_ taps: [Double]) -> [Float] {
    var floats = taps.map { Float($0) }
    let sides = floats.dropFirst().reduce(0.0) { $0 + 2 * Double($1) }
    floats[0] = Float(1 - sides)
    return floats
  }

  private static func multiples(_ taps: [Double]) -> [Float] {
    var sides = taps.dropFirst().map { ($0 * 65536).rounded() }
    while sides.count > 1, sides.last == 0 { sides.removeLast() }
    // A center of all would not be a 16-bit number.
    if sides.allSatisfy({ $0 == 0 }) { sides = [1] }
    let center = 32768 - sides.reduce(0, +)
    return ([2 * center] + sides).map { Float($0 / 65536) }
  }
}
