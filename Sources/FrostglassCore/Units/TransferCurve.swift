internal import Glibc

/// The sRGB transfer curve (IEC 61966-2-1), on fractions of full scale.
public enum TransferCurve {
  /// From encoded values to light. Odd around 0, so values outside 0…1 survive a round trip.
  public static func decode(_ value: Float) -> Float {
    let magnitude = abs(value)
    let light = magnitude <= 0.04045 ? magnitude / 12.92 : powf((magnitude + 0.055) / 1.055, 2.4)
    return value < 0 ? -light : light
  }

  /// From light to encoded values.
  public static func encode(_ light: Float) -> Float {
    let magnitude = abs(light)
    let value =
      magnitude <= 0.0031308 ? magnitude * 12.92 : 1.055 * powf(magnitude, 1 / 2.4) - 0.055
    return light < 0 ? -value : value
  }

  /// The steepest slope of `encode`, at black: what an error in light is at most multiplied by.
  public static let steepestEncoding = 12.92
}
