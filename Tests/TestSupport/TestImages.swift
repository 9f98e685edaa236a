package import FrostglassCore

/// Images made by arithmetic, the same on every machine.
package enum TestImages {
  /// A repeatable source of numbers.
  package struct Random: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

    /// The next number in 0 ..< 1.
    package mutating func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(state >> 40) / Float(1 << 24)
    }
  }

  /// Fills an image from a function of x, y and channel; alpha is channel 3.
  package static func make(
    _ width: Int, _ height: Int, _ format: PixelFormat, alpha: AlphaMode = .straight,
    _ value: (Int, Int, Int) -> Float
  ) -> Image {
    var image = Image(zeros: Size(width: width, height: height), format: format, alpha: alpha)
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<format.layout.channels {
          image.setSample(value(x, y, channel), x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }

  /// Every sample 0 or 1 or between, without pattern.
  package static func noise(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgb8, alpha: AlphaMode = .straight,
    seed: UInt64 = 1
  ) -> Image {
    var random = Random(seed: seed)
    var image = make(width, height, format, alpha: alpha) { _, _, _ in random.next() }
    if alpha == .premultiplied && format.layout.hasAlpha { image.limitColorsToAlpha() }
    return image
  }

  /// Noise with some samples at both ends of the range; premultiplied colors are multiplied by alpha.
  package static func clippedNoise(
    _ width: Int, _ height: Int, _ format: PixelFormat, alpha: AlphaMode,
    transfer: PixelFormat.Transfer, seed: UInt64
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
    var values = SIMD4<Float>()
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<channels { values[channel] = next() }
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

  /// One white pixel in the middle of black; alpha, if there is one, is full everywhere.
  package static func impulse(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) -> Image {
    make(width, height, format) { x, y, channel in
      channel == 3 || (x == width / 2 && y == height / 2) ? 1 : 0
    }
  }

  /// Black on the left, white on the right.
  package static func step(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) -> Image {
    make(width, height, format) { x, _, channel in channel == 3 || x >= width / 2 ? 1 : 0 }
  }

  /// Squares of `cell` pixels.
  package static func checkerboard(
    _ width: Int, _ height: Int, cell: Int = 1, _ format: PixelFormat = .rgb8
  ) -> Image {
    make(width, height, format) { x, y, channel in
      channel == 3 || (x / cell + y / cell) % 2 == 0 ? 1 : 0
    }
  }

  /// The same color everywhere, with the channels of `format`.
  package static func flat(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ color: [Float]
  ) -> Image {
    make(width, height, format) { _, _, channel in color[channel] }
  }

  /// A disc of one straight color on transparent black.
  package static func disc(
    _ side: Int, radius: Float, color: [Float], depth: PixelFormat.Depth = .uint8
  ) -> Image {
    let middle = Float(side - 1) / 2
    return make(side, side, PixelFormat(.rgba, depth)) { x, y, channel in
      let dx = Float(x) - middle
      let dy = Float(y) - middle
      return dx * dx + dy * dy <= radius * radius ? (channel == 3 ? 1 : color[channel]) : 0
    }
  }
}

extension Image {
  /// Makes any RGBA samples valid premultiplied ones.
  fileprivate mutating func limitColorsToAlpha() {
    for y in 0..<size.height {
      for x in 0..<size.width {
        let alpha = sample(x: x, y: y, channel: 3)
        for channel in 0..<3 {
          let value = min(sample(x: x, y: y, channel: channel), alpha)
          setSample(value, x: x, y: y, channel: channel)
        }
      }
    }
  }
}
