internal import Glibc

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
