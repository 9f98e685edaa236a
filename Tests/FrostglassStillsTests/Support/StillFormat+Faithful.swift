import FrostglassCore
import FrostglassStills

extension StillFormat {
  /// The formats that keep colors and metadata. A GIF has 256 colors and neither alpha between 0 and
  /// 1 nor metadata, and files of rows have their rows.
  static let faithful = allCases.filter { ![.gif, .bmp, .ppm, .pfm].contains($0) }
  /// Those that take 8-bit color as it is: all but PFM.
  static let eightBit = allCases.filter { $0.pixelFormat(preserving: .rgb8) == .rgb8 }
  /// Those that keep every sample.
  static let exact: Set<StillFormat> = [.png, .apng, .tiff, .bmp, .ppm]
}
