import FrostglassCore
import TestSupport

extension Image {
  /// An image of reproducible noise with some samples at both ends of the range.
  static func noise(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, alpha: AlphaMode = .straight,
    transfer: PixelFormat.Transfer = .encoded, seed: UInt64 = 1
  ) -> Image {
    TestImages.clippedNoise(width, height, format, alpha: alpha, transfer: transfer, seed: seed)
  }

  /// The same image with rows further apart than they need to be.
  func padded(by extra: Int) throws -> Image {
    let stride = size.width * format.bytesPerPixel + extra
    var padded = [UInt8](repeating: 0xAB, count: stride * size.height)
    let row = size.width * format.bytesPerPixel
    for y in 0..<size.height {
      for x in 0..<row { padded[y * stride + x] = bytes[y * bytesPerRow + x] }
    }
    return try Image(
      size: size, format: format, alpha: alpha, transfer: transfer, bytesPerRow: stride,
      bytes: padded)
  }
}
