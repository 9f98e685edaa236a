internal import Glibc

extension SIMD3<Double> {
  /// Encoded values as light, by the sRGB curve.
  var decoded: SIMD3<Double> {
    func decode(_ value: Double) -> Double {
      value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return SIMD3(decode(x), decode(y), decode(z))
  }

  /// Light as encoded values, by the sRGB curve; limited to 0…1.
  var encoded: SIMD3<Double> {
    func encode(_ light: Double) -> Double {
      let inside = Swift.max(0, Swift.min(1, light))
      return inside <= 0.0031308 ? inside * 12.92 : 1.055 * pow(inside, 1 / 2.4) - 0.055
    }
    return SIMD3(encode(x), encode(y), encode(z))
  }

  /// Values 0…1 as levels 0…255, to the nearest.
  var levels: SIMD3<Int> {
    SIMD3<Int>(Int(x * 255 + 0.5), Int(y * 255 + 0.5), Int(z * 255 + 0.5))
  }
}

extension Color {
  /// Creates a color without alpha.
  init(_ encoded: SIMD3<Double>) {
    self.init(red: encoded.x, green: encoded.y, blue: encoded.z)
  }

  /// `#rrggbb`, without alpha.
  public var hexadecimal: String {
    "#"
      + [red, green, blue].map { value in
        let level = Int(max(0, min(1, value)) * 255 + 0.5)
        return (level < 16 ? "0" : "") + String(level, radix: 16)
      }.joined()
  }
}

extension PlaceholderPixels {
  /// The mean of light, weighted by alpha: the color that the image has from far away. `nil` where
  /// everything is transparent.
  var average: Color? {
    var sum = SIMD3<Double>()
    var weight = 0.0
    for pixel in pixels {
      sum += SIMD3(pixel.x, pixel.y, pixel.z).decoded * pixel.w
      weight += pixel.w
    }
    return weight > 0 ? Color((sum / weight).encoded) : nil
  }

  /// The mean color where colors are densest. `nil` where everything is transparent.
  ///
  /// Colors are counted, by their alpha, in a cube of 32 cells per channel; each cell counts with its
  /// neighbors, so that colors on both sides of a wall between cells count together. The color is
  /// the mean of the pixels in the fullest cell and around it.
  var dominant: Color? {
    var counts = [Double](repeating: 0, count: 32 * 32 * 32)
    for pixel in pixels { counts[Self.cell(of: pixel)] += pixel.w }
    var best = (cell: 0, count: 0.0)
    for cell in counts.indices where counts[cell] > 0 {
      let count = Self.neighbors(of: cell).reduce(0) { $0 + counts[$1] }
      if count > best.count { best = (cell, count) }
    }
    guard best.count > 0 else { return nil }
    let chosen = Set(Self.neighbors(of: best.cell))
    var sum = SIMD3<Double>()
    for pixel in pixels where chosen.contains(Self.cell(of: pixel)) {
      sum += SIMD3(pixel.x, pixel.y, pixel.z) * pixel.w
    }
    return Color(sum / best.count)
  }

  private static func cell(of pixel: SIMD4<Double>) -> Int {
    func index(_ value: Double) -> Int { min(Int(value * 32), 31) }
    return (index(pixel.x) * 32 + index(pixel.y)) * 32 + index(pixel.z)
  }

  /// A cell and those around it inside the cube.
  private static func neighbors(of cell: Int) -> [Int] {
    func around(_ place: Int) -> ClosedRange<Int> { max(place - 1, 0)...min(place + 1, 31) }
    return around(cell / 1024).flatMap { red in
      around(cell / 32 % 32).flatMap { green in
        around(cell % 32).map { (red * 32 + green) * 32 + $0 }
      }
    }
  }
}

/// A small image as the placeholder algorithms read it: encoded colors with straight alpha.
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

  /// True if every pixel is opaque.
  var isOpaque: Bool { pixels.allSatisfy { $0.w == 1 } }

  /// Red, green and blue where nothing is behind the image but this color.
  func composed(on background: Color) -> [SIMD3<Double>] {
    pixels.map { pixel in
      SIMD3(pixel.x, pixel.y, pixel.z) * pixel.w + background.components * (1 - pixel.w)
    }
  }

  /// The image as 8-bit samples: RGBA, or RGB where it is opaque or is composed.
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
