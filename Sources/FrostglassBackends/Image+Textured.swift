internal import FrostglassCore

extension Image {
  /// Makes a frame that has something of everything: gradients, hard edges and noise.
  ///
  /// The same for the same arguments, on every machine. Alpha is full in most places, falls to 0 in
  /// some; premultiplied colors are at most their alpha.
  package static func textured(
    _ size: Size, _ format: PixelFormat, alpha: AlphaMode = .premultiplied
  ) -> Image {
    var image = Image(zeros: size, format: format, alpha: alpha)
    let channels = format.layout.channels
    let premultiplies = format.layout.hasAlpha && alpha == .premultiplied
    for y in 0..<size.height {
      for x in 0..<size.width {
        let coverage = premultiplies ? Texture.alpha(x, y) : 1
        for channel in 0..<channels {
          let value =
            channel == 3 ? Texture.alpha(x, y) : Texture.color(x, y, channel) * coverage
          image.setSample(value, x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }
}

/// The colors and alpha of a textured frame at each position.
private enum Texture {
  /// A slow wave for each channel, tiles with edges of every height, and noise over both.
  static func color(_ x: Int, _ y: Int, _ channel: Int) -> Float {
    let wave = triangle(x + y / 2 + 211 * channel, 1021)
    let tile = random(x / 61, y / 47, 3 + channel)
    let noise = random(x, y, channel)
    return 0.4 * wave + 0.35 * tile + 0.25 * noise
  }

  /// Full outside a grid of soft-sided holes that are empty in the middle.
  static func alpha(_ x: Int, _ y: Int) -> Float {
    let height = min(triangle(x, 480), triangle(y, 480))
    return min(max(4 * (0.9 - height), 0), 1)
  }

  /// Rises from 0 to 1 and falls again within `period`.
  private static func triangle(_ position: Int, _ period: Int) -> Float {
    let phase = Float(position % period) / Float(period)
    return 1 - abs(2 * phase - 1)
  }

  /// 0 ..< 1 by a hash of the place: the finalizer of SplitMix64.
  private static func random(_ x: Int, _ y: Int, _ seed: Int) -> Float {
    var hash = UInt64(truncatingIfNeeded: (y &* 65_537 &+ x) &* 8 &+ seed) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return Float(hash >> 40) / Float(1 << 24)
  }
}
