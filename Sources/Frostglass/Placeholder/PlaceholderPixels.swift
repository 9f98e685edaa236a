/// A small picture as the placeholder algorithms read it: encoded colors with straight alpha.
struct PlaceholderPixels {
  let size: Size
  /// Red, green, blue and alpha, 0…1, row by row.
  let pixels: [SIMD4<Double>]

  init(_ image: Image) {
    size = image.size
    pixels = (0..<image.size.height).flatMap { y in
      (0..<image.size.width).map { x -> SIMD4<Double> in
        let color = image.premultipliedPixel(x: x, y: y)
        let clamped = color.clamped(
          lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1))
        guard clamped.w > 0 else { return SIMD4(repeating: 0) }
        let straight = clamped / clamped.w
        return SIMD4(min(straight.x, 1), min(straight.y, 1), min(straight.z, 1), clamped.w)
      }
    }
  }

  /// Whether every pixel is.
  var isOpaque: Bool { pixels.allSatisfy { $0.w == 1 } }

  /// Red, green and blue where nothing is behind the picture but this color.
  func composed(on background: Color) -> [SIMD3<Double>] {
    pixels.map { pixel in
      SIMD3(pixel.x, pixel.y, pixel.z) * pixel.w + background.components * (1 - pixel.w)
    }
  }

  /// The picture as 8-bit samples: RGBA, or RGB where it is opaque or is composed.
  func image(on background: Color?) -> Image {
    let colors = background.map { composed(on: $0) } ?? pixels.map { SIMD3($0.x, $0.y, $0.z) }
    let hasAlpha = background == nil && !isOpaque
    var image = Image(zeros: size, format: hasAlpha ? .rgba8 : .rgb8)
    for (index, color) in colors.enumerated() {
      let (x, y) = (index % size.width, index / size.width)
      for channel in 0..<3 { image.setSample(Float(color[channel]), x: x, y: y, channel: channel) }
      if hasAlpha { image.setSample(Float(pixels[index].w), x: x, y: y, channel: 3) }
    }
    return image
  }
}
