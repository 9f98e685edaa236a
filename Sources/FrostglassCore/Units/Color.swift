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
