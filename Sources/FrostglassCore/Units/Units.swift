internal import Glibc

/// The standard deviation of a Gaussian, in pixels, points or percent.
///
/// A pixel number is the standard deviation in output pixels. Points are multiplied by the chain's
/// scale, percentages refer to the shorter side of the image; both are resolved when the chain is
/// planned. Values are never rounded or clamped.
public struct Sigma: Sendable, Hashable {
  /// The unit of the number.
  public enum Unit: Sendable, Hashable {
    /// Output pixels.
    case pixels
    /// UIKit points, `scale` pixels each.
    case points
    /// Hundredths of the image's shorter side.
    case percent
  }

  /// The value in that unit.
  public var value: Double
  /// The unit of the value.
  public var unit: Unit

  /// The range in pixels; 0 does nothing.
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

  /// A share of the image's shorter side, 0…100.
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

/// Returns a number in its shortest form: `20`, not `20.0`.
package func shortest(_ value: Double) -> String {
  let text = "\(value)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// A distance in the image: pixels, points or a share of the shorter side.
///
/// Points are multiplied by the chain's scale, percentages refer to the shorter side of the image;
/// both are resolved when the chain is planned.
public struct Length: Sendable, Hashable {
  /// The value in that unit.
  public var value: Double
  /// The unit of the value.
  public var unit: Sigma.Unit

  /// A distance; where it is used, a range in pixels is checked.
  public init(_ value: Double, _ unit: Sigma.Unit = .pixels) {
    self.value = value
    self.unit = unit
  }

  /// The distance in pixels.
  ///
  /// - Parameter range: the accepted range, in pixels.
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

extension Sigma {
  /// Reads `20`, `20px`, `20pt`, `2%`, another absolute length of CSS such as `5mm`, or another
  /// tool's number such as `pillow:20` (see `BlurTool`); `nil` for anything else, and for values that
  /// no image could accept: below 0, over 1000 px, over 100 %, not a number.
  public init?(text: String) {
    if text.contains(":") {
      guard let sigma = BlurTool.sigma(text: text) else { return nil }
      self = sigma
      return
    }
    guard let length = Length(text: text) else { return nil }
    let limit = length.unit == .percent ? 100 : Sigma.range.upperBound
    guard (0...limit).contains(length.value) else { return nil }
    self.init(length.value, length.unit)
  }
}

extension Length {
  /// Reads `20`, `20px`, `20pt` (points of UIKit), `2%` or another absolute length of CSS such as
  /// `5mm`; the range is checked when the image is known.
  public init?(text: String) {
    guard let quantity = Quantity(text) else { return nil }
    switch quantity.unit {
    case "", "px": self.init(quantity.number)
    case "%": self.init(quantity.number, .percent)
    case "pt": self.init(quantity.number, .points)
    default:
      // A finite number of millimeters may overflow in pixels.
      guard let scale = CSSLength.unmistakable[quantity.unit],
        (quantity.number * scale).isFinite
      else { return nil }
      self.init(quantity.number * scale)
    }
  }
}

extension Angle {
  /// Reads `90deg`, `1.57rad`, `100grad`, `0.25turn`, or a plain number of degrees.
  init?(text: String) {
    guard let quantity = Quantity(text, units: ["", "deg", "rad", "grad", "turn"]) else {
      return nil
    }
    let degrees =
      switch quantity.unit {
      case "rad": quantity.number * 180 / .pi
      case "grad": quantity.number * 0.9
      case "turn": quantity.number * 360
      default: quantity.number
      }
    guard degrees.isFinite else { return nil }
    self.init(degrees: degrees)
  }
}

/// A finite number with a unit behind it.
struct Quantity {
  let number: Double
  /// In lower case; empty when there is none.
  let unit: String

  /// Reads any number with any unit: `-1.5e3px`; `nil` for what does not begin with a number.
  ///
  /// An `e` belongs to the number only when digits follow, so `1em` is 1 em.
  init?(_ text: String) {
    let letters = Array(text.lowercased().unicodeScalars)
    var end = 0
    func digits() -> Int {
      let start = end
      while end < letters.count, ("0"..."9").contains(letters[end]) { end += 1 }
      return end - start
    }
    if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
    var count = digits()
    if end < letters.count, letters[end] == "." {
      end += 1
      count += digits()
    }
    guard count > 0 else { return nil }
    let mantissa = end
    if end < letters.count, letters[end] == "e" {
      end += 1
      if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
      if digits() == 0 { end = mantissa }
    }
    guard let number = Double(Self.text(letters[..<end])), number.isFinite else { return nil }
    self.number = number
    unit = Self.text(letters[end...])
  }

  /// Reads a number with one of `units`; an empty one stands for none.
  init?(_ text: String, units: [String]) {
    guard let quantity = Quantity(text), units.contains(quantity.unit) else { return nil }
    self = quantity
  }

  private static func text(_ letters: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: letters)
    return text
  }
}

/// The lengths of CSS that have a size of their own: an inch is 96 pixels.
///
/// Source: CSS Values and Units Module Level 4, absolute lengths.
enum CSSLength {
  /// Pixels per unit; `pt` is the typographer's point here, not UIKit's.
  static let pixels: [String: Double] = [
    "px": 1, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "in": 96, "pc": 16, "pt": 96.0 / 72,
  ]

  /// Pixels per unit for those that mean the same in filters of any kind.
  static let unmistakable = pixels.filter { $0.key != "px" && $0.key != "pt" }

  /// Reads `12px` or `-3pt`; 0 needs no unit.
  static func read(_ text: String) -> Double? {
    guard let quantity = Quantity(text) else { return nil }
    if quantity.unit.isEmpty { return quantity.number == 0 ? 0 : nil }
    guard let scale = pixels[quantity.unit] else { return nil }
    let length = quantity.number * scale
    return length.isFinite ? length : nil
  }
}

/// A color as CSS writes it: sRGB-encoded red, green and blue with straight alpha, all 0…1.
public struct Color: Sendable, Hashable, CustomStringConvertible {
  /// 0…1, encoded.
  public var red: Double
  /// 0…1, encoded.
  public var green: Double
  /// 0…1, encoded.
  public var blue: Double
  /// 0, which cannot be seen, to 1, which covers.
  public var alpha: Double

  /// - Parameters: fractions of full scale, 0…1.
  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// A gray: 0 is black, 1 is white.
  public init(white: Double, alpha: Double = 1) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// White.
  public static let white = Color(white: 1)
  /// Black.
  public static let black = Color(white: 0)

  /// Red, green and blue as light.
  package var light: SIMD3<Double> {
    SIMD3(
      Double(TransferCurve.decode(Float(red))), Double(TransferCurve.decode(Float(green))),
      Double(TransferCurve.decode(Float(blue))))
  }

  /// Red, green and blue without alpha.
  public var components: SIMD3<Double> { SIMD3(red, green, blue) }

  /// The color as CSS has it; reading it gives the same color.
  public var description: String {
    let rgb = [red, green, blue].map(Color.text).joined(separator: ", ")
    return alpha == 1 ? "rgb(\(rgb))" : "rgba(\(rgb), \(shortest(alpha)))"
  }

  /// A channel of 0…255, with as many digits as it takes to be read as the same.
  private static func text(_ channel: Double) -> String {
    let scaled = channel * 255
    let candidates = [
      scaled.rounded(), (scaled * 100).rounded() / 100, scaled, scaled.nextUp, scaled.nextDown,
    ]
    return shortest(candidates.first { $0 / 255 == channel } ?? scaled)
  }
}

/// Weights of red, green and blue in the brightness of a color, applied to encoded values.
public enum Luma: String, Sendable, Hashable, CaseIterable {
  /// Rec. 709: .2126, .7152, .0722; what iOS styles use.
  case rec709
  /// The rounding GPUImage's shaders use: .2125, .7154, .0721.
  case gpuimage
  /// The rounding of the CSS `saturate()` and `hue-rotate()` matrices: .213, .715, .072.
  case css

  /// Red, green and blue.
  public var weights: SIMD3<Double> {
    switch self {
    case .rec709: SIMD3(0.2126, 0.7152, 0.0722)
    case .gpuimage: SIMD3(0.2125, 0.7154, 0.0721)
    case .css: SIMD3(0.213, 0.715, 0.072)
    }
  }
}

/// The sRGB transfer curve (IEC 61966-2-1), on fractions of full scale.
package enum TransferCurve {
  /// From encoded values to light. Odd around 0, so values outside 0…1 survive a round trip.
  package static func decode(_ value: Float) -> Float {
    let magnitude = abs(value)
    let light = magnitude <= 0.04045 ? magnitude / 12.92 : powf((magnitude + 0.055) / 1.055, 2.4)
    return value < 0 ? -light : light
  }

  /// From light to encoded values.
  package static func encode(_ light: Float) -> Float {
    let magnitude = abs(light)
    let value =
      magnitude <= 0.0031308 ? magnitude * 12.92 : 1.055 * powf(magnitude, 1 / 2.4) - 0.055
    return light < 0 ? -value : value
  }

  /// The steepest slope of `encode`, at black: what an error in light is at most multiplied by.
  package static let steepestEncoding = 12.92
}
