/// A color as CSS writes it: sRGB-encoded red, green and blue with straight alpha, all 0…1.
public struct Color: Sendable, Hashable, CustomStringConvertible {
  public var red: Double
  public var green: Double
  public var blue: Double
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

  public static let white = Color(white: 1)
  public static let black = Color(white: 0)

  /// Red, green and blue as light.
  var light: SIMD3<Double> {
    SIMD3(
      Double(TransferCurve.decode(Float(red))), Double(TransferCurve.decode(Float(green))),
      Double(TransferCurve.decode(Float(blue))))
  }

  /// Red, green and blue without alpha.
  public var components: SIMD3<Double> { SIMD3(red, green, blue) }

  public var description: String {
    let channels = [red, green, blue].map { shortest(($0 * 255 * 100).rounded() / 100) }
    let rgb = channels.joined(separator: ", ")
    return alpha == 1 ? "rgb(\(rgb))" : "rgba(\(rgb), \(shortest(alpha)))"
  }
}
