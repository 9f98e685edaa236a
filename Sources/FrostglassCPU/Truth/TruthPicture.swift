public import FrostglassCore

/// A picture in double precision, interleaved, premultiplied where there is alpha.
public struct TruthPicture: Sendable {
  public let size: Size
  public let layout: Layout
  /// Fractions of full scale.
  public var samples: [Double]

  public init(size: Size, layout: Layout, samples: [Double]) {
    self.size = size
    self.layout = layout
    self.samples = samples
  }

  /// The samples of an image as they are; straight alpha is multiplied in.
  public init(_ image: Image) {
    self.init(size: image.size, layout: image.format.layout, samples: [])
    samples.reserveCapacity(size.area * layout.channels)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let alpha = layout.hasAlpha ? Double(image.sample(x: x, y: y, channel: 3)) : 1
        for channel in 0..<layout.channels {
          let value = Double(image.sample(x: x, y: y, channel: channel))
          samples.append(image.alpha == .straight && channel < 3 ? value * alpha : value)
        }
      }
    }
  }

  /// The picture as a premultiplied float image.
  public func image(transfer: Transfer) -> Image {
    var image = Image(
      zeros: size, format: PixelFormat(layout, .float32), alpha: .premultiplied, transfer: transfer)
    for (index, value) in samples.enumerated() {
      let (pixel, channel) = index.quotientAndRemainder(dividingBy: layout.channels)
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      image.setSample(Float(value), x: x, y: y, channel: channel)
    }
    return image
  }
}
