/// The standard deviation of a Gaussian: the one place where units of blur meet.
///
/// A pixel number is the standard deviation in output pixels. Points are multiplied by the chain's
/// scale, percentages refer to the shorter side of the picture; both are resolved when the chain is
/// planned. Values are never rounded, capped or bent.
public struct Sigma: Sendable, Hashable {
  /// What the number counts.
  public enum Unit: Sendable, Hashable {
    /// Output pixels.
    case pixels
    /// UIKit points, `scale` pixels each.
    case points
    /// Hundredths of the picture's shorter side.
    case percent
  }

  /// How many of the unit.
  public var value: Double
  /// What the number counts.
  public var unit: Unit

  /// The range in pixels: 0 does nothing, 1000 is the most.
  public static let range: ClosedRange<Double> = 0...1000

  /// - Parameter value: 0…1000 after conversion to pixels; planning throws for anything else.
  public init(_ value: Double, _ unit: Unit = .pixels) {
    self.value = value
    self.unit = unit
  }

  /// The argument of CSS `blur()`, in pixels: CSS defines it as the standard deviation.
  public init(cssBlur radius: Double) { self.init(radius) }

  /// The blur radius of a CSS shadow, in pixels: CSS defines it as twice the standard deviation.
  public init(cssShadow radius: Double) { self.init(radius / 2) }

  /// UIKit points on a screen with `scale` pixels per point.
  public init(points: Double, scale: Double) { self.init(points * scale) }

  /// A share of the picture's shorter side, 0…100.
  public init(percent: Double) { self.init(percent, .percent) }

  /// The standard deviation in pixels.
  ///
  /// - Throws: `PlanError.badValue` naming `filter` and `parameter` when it is not in 0…1000.
  public func pixels(
    for size: Size, scale: Double, filter: String, parameter: String = "sigma"
  ) throws(PlanError) -> Double {
    let pixels = unit.pixels(value, for: size, scale: scale)
    guard Sigma.range.contains(pixels) else {
      let given = unit == .pixels ? "\(self)" : "\(self) = \(Sigma(pixels))"
      throw .badValue(
        filter: filter, parameter: parameter, value: given, accepted: "from 0 to 1000 px")
    }
    return pixels
  }
}

extension Sigma: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Pixels.
  public init(floatLiteral value: Double) { self.init(value) }
  /// Pixels.
  public init(integerLiteral value: Int) { self.init(Double(value)) }
}

extension Sigma: CustomStringConvertible {
  /// `20px`, `20pt` or `2%`.
  public var description: String { unit.text(value) }
}

/// A number as a person would write it: `20`, not `20.0`.
package func shortest(_ value: Double) -> String {
  let text = "\(value)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// A distance in the picture: pixels, points or a share of the shorter side.
///
/// Points are multiplied by the chain's scale, percentages refer to the shorter side of the picture;
/// both are resolved when the chain is planned.
public struct Length: Sendable, Hashable {
  /// How many of the unit.
  public var value: Double
  /// What the number counts.
  public var unit: Sigma.Unit

  /// A distance; where it is used, a range in pixels is checked.
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
  /// `20px`, `20pt` or `2%`.
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

/// An angle; positive turns hues as CSS does.
public struct Angle: Sendable, Hashable, CustomStringConvertible {
  /// In degrees; any number.
  public var degrees: Double

  /// An angle in degrees.
  public init(degrees: Double) { self.degrees = degrees }

  /// In radians.
  public var radians: Double { degrees * .pi / 180 }

  /// `45deg`.
  public var description: String { "\(shortest(degrees))deg" }
}
