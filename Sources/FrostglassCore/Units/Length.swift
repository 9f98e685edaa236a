/// A distance in the picture: pixels, points or a share of the shorter side.
///
/// Points are multiplied by the chain's scale, percentages refer to the shorter side of the picture;
/// both are resolved when the chain is planned.
public struct Length: Sendable, Hashable {
  public var value: Double
  public var unit: Sigma.Unit

  public init(_ value: Double, _ unit: Sigma.Unit = .pixels) {
    self.value = value
    self.unit = unit
  }

  /// The distance in pixels.
  ///
  /// - Parameter range: what is accepted, in pixels.
  /// - Throws: `PlanError.badValue` naming `filter` and `parameter` when it is outside.
  public func pixels(
    for size: Size, scale: Double, in range: ClosedRange<Double>, filter: String, parameter: String
  ) throws(PlanError) -> Double {
    let pixels = unit.pixels(value, for: size, scale: scale)
    guard range.contains(pixels) else {
      let given = unit == .pixels ? "\(self)" : "\(self) = \(Length(pixels))"
      throw .badValue(
        filter: filter, parameter: parameter, value: given,
        accepted: "from \(shortest(range.lowerBound)) to \(shortest(range.upperBound)) px")
    }
    return pixels
  }
}

extension Length: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Pixels.
  public init(floatLiteral value: Double) { self.init(value) }
  /// Pixels.
  public init(integerLiteral value: Int) { self.init(Double(value)) }
}

extension Length: CustomStringConvertible {
  public var description: String { unit.text(value) }
}

extension Sigma.Unit {
  /// A number of this unit in pixels.
  func pixels(_ value: Double, for size: Size, scale: Double) -> Double {
    switch self {
    case .pixels: value
    case .points: value * scale
    case .percent: value / 100 * Double(size.shorterSide)
    }
  }

  /// `20px`, `20pt` or `2%`.
  func text(_ value: Double) -> String {
    switch self {
    case .pixels: "\(shortest(value))px"
    case .points: "\(shortest(value))pt"
    case .percent: "\(shortest(value))%"
    }
  }
}
