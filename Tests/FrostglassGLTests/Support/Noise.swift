import FrostglassCore

extension Image {
  /// A picture of reproducible noise with some samples at both ends of the range.
  ///
  /// Premultiplied pictures are valid ones: no color exceeds its alpha.
  static func noise(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, alpha: AlphaMode = .straight,
    transfer: PixelFormat.Transfer = .encoded, seed: UInt64 = 1
  ) -> Image {
    var image = Image(
      zeros: Size(width: width, height: height), format: format, alpha: alpha, transfer: transfer)
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next() -> Float {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return min(max(Float(state >> 40) / Float(1 << 24) * 1.2 - 0.1, 0), 1)
    }
    let channels = format.layout.channels
    for y in 0..<height {
      for x in 0..<width {
        var values = (0..<channels).map { _ in next() }
        if image.alpha == .premultiplied {
          for channel in 0..<3 { values[channel] *= values[3] }
        }
        for channel in 0..<channels {
          image.setSample(values[channel], x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }

  /// The same picture with rows further apart than they need to be.
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
