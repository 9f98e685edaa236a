import FrostglassStills

extension StillFormat {
  /// The formats that keep colors and metadata. A GIF has 256 colors and neither alpha between 0 and
  /// 1 nor metadata.
  static let faithful = encodable.filter { $0 != .gif }
}
