import FrostglassCore

/// Images with known contents.
enum TestImage {
  /// Smooth ramps that differ along each axis and in each channel; alpha falls from the left.
  static func ramp(_ format: PixelFormat, width: Int = 33, height: Int = 21) -> Image {
    var image = Image(zeros: Size(width: width, height: height), format: format)
    for y in 0..<height {
      for x in 0..<width {
        let u = Float(x) / Float(width)
        let v = Float(y) / Float(height)
        let values = [0.1 + 0.8 * u, 0.9 - 0.7 * v, 0.2 + 0.3 * (u + v), 1 - 0.5 * u]
        for channel in 0..<format.layout.channels {
          image.setSample(values[channel], x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }

  /// Full red throughout.
  static var red: Image {
    var image = Image(zeros: Size(width: 8, height: 8), format: .rgb8)
    for place in stride(from: 0, to: image.bytes.count, by: 3) { image.bytes[place] = 255 }
    return image
  }

  static func constant(_ value: Float, _ format: PixelFormat, width: Int = 8, height: Int = 8)
    -> Image
  {
    var image = Image(zeros: Size(width: width, height: height), format: format)
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<format.layout.channels {
          image.setSample(value, x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }
}

extension Image {
  /// The largest difference of any sample, as a fraction of full scale; 1 for unlike shapes.
  func largestDifference(from other: Image) -> Float {
    guard size == other.size, format.layout == other.format.layout else { return 1 }
    var largest: Float = 0
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<format.layout.channels {
          let difference =
            sample(x: x, y: y, channel: channel) - other.sample(x: x, y: y, channel: channel)
          largest = max(largest, abs(difference))
        }
      }
    }
    return largest
  }

  /// One pixel's samples as fractions of full scale.
  func pixel(_ x: Int, _ y: Int) -> [Float] {
    (0..<format.layout.channels).map { sample(x: x, y: y, channel: $0) }
  }
}
