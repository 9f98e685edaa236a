package import FrostglassCore

/// A picture in double precision, interleaved, premultiplied where there is alpha.
package struct TruthPicture: Sendable {
  package let size: Size
  package let layout: PixelFormat.Layout
  /// Fractions of full scale.
  package var samples: [Double]

  package init(size: Size, layout: PixelFormat.Layout, samples: [Double]) {
    self.size = size
    self.layout = layout
    self.samples = samples
  }

  /// The samples of an image as they are; straight alpha is multiplied in.
  package init(_ image: Image) {
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
  package func image(transfer: PixelFormat.Transfer) -> Image {
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

extension TruthPicture {
  /// This picture, premultiplied, over another one.
  func over(_ bottom: TruthPicture) -> TruthPicture {
    let layout = max(layout, bottom.layout)
    guard self.layout.hasAlpha else { return widened(to: layout) }
    var result = self
    let below = bottom.widened(to: layout)
    for pixel in 0..<size.area {
      let rest = 1 - samples[4 * pixel + 3]
      for channel in 0..<4 {
        result.samples[4 * pixel + channel] += rest * below.samples[4 * pixel + channel]
      }
    }
    return result
  }

  /// The picture over its shadow.
  ///
  /// - Parameters: whole pixels to the right and down, σ in pixels, and premultiplied color.
  func overShadow(right: Int, down: Int, sigma: Double, color: SIMD4<Double>) -> TruthPicture {
    guard layout.hasAlpha else { return self }
    // With room for all that comes in again when the shadow is moved.
    let border = Swift.max(abs(right), abs(down))
    let wide = Size(width: size.width + 2 * border, height: size.height + 2 * border)
    var outline = TruthPicture(
      size: wide, layout: .rgba, samples: [Double](repeating: 0, count: 4 * wide.area))
    for pixel in 0..<size.area {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      let place = (y + border) * wide.width + x + border
      for channel in 0..<4 {
        outline.samples[4 * place + channel] = samples[4 * pixel + 3] * color[channel]
      }
    }
    let blurred = outline.gaussian(x: sigma, y: sigma, edge: .transparent)
    var shadow = self
    for pixel in 0..<size.area {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      let place = (y + border - down) * wide.width + x + border - right
      for channel in 0..<4 {
        shadow.samples[4 * pixel + channel] = blurred.samples[4 * place + channel]
      }
    }
    return over(shadow)
  }
}
