public import FrostglassCore
internal import Glibc

extension Color {
  /// The relative luminance of WCAG 2, 0 for black and 1 for white. Alpha is left out of account.
  ///
  /// Channels outside 0…1 count as 0 or 1.
  public var relativeLuminance: Double {
    0.2126 * Color.light(red) + 0.7152 * Color.light(green) + 0.0722 * Color.light(blue)
  }

  /// The contrast ratio of WCAG 2 with another color, 1…21.
  public func contrastRatio(with other: Color) -> Double {
    ContrastRatio.of(relativeLuminance, other.relativeLuminance)
  }

  /// The light of an sRGB value. In double precision, so that black on white is 21 exactly.
  private static func light(_ value: Double) -> Double {
    let value = min(max(value, 0), 1)
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}
