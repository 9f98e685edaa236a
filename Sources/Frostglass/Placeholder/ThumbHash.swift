internal import Glibc

/// ThumbHash: an image's first cosine waves, its alpha and its shape in 5 to 25 bytes.
///
/// Source of the algorithm: github.com/evanw/thumbhash. It is made for images of up to 100 pixels
/// per side.
public enum ThumbHash {
  /// The hash of a small image.
  public static func encode(_ image: Image) -> [UInt8] { encode(PlaceholderPixels(image)) }

  static func encode(_ picture: PlaceholderPixels) -> [UInt8] {
    let (width, height) = (picture.size.width, picture.size.height)
    let hasAlpha = !picture.isOpaque
    let limit = hasAlpha ? 5 : 7
    let longest = Double(max(width, height))
    let shape = SIMD2(
      max(1, rounded(Double(limit * width) / longest)),
      max(1, rounded(Double(limit * height) / longest)))
    let planes = planes(of: picture)
    let lightness = Waves(planes.lightness, picture.size, max(3, shape.x), max(3, shape.y))
    let yellow = Waves(planes.yellow, picture.size, 3, 3)
    let red = Waves(planes.red, picture.size, 3, 3)
    let alpha = hasAlpha ? Waves(picture.pixels.map(\.w), picture.size, 5, 5) : nil

    let isWide = width > height
    let first =
      rounded(63 * lightness.mean) | rounded(31.5 + 31.5 * yellow.mean) << 6
      | rounded(31.5 + 31.5 * red.mean) << 12 | rounded(31 * lightness.scale) << 18
      | (hasAlpha ? 1 : 0) << 23
    let second =
      (isWide ? shape.y : shape.x) | rounded(63 * yellow.scale) << 3 | rounded(63 * red.scale) << 9
      | (isWide ? 1 : 0) << 15
    var hash = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 255) }
    if let alpha {
      hash.append(UInt8(rounded(15 * alpha.mean) | rounded(15 * alpha.scale) << 4))
    }
    let digits = [lightness, yellow, red].flatMap(\.digits) + (alpha?.digits ?? [])
    for start in stride(from: 0, to: digits.count, by: 2) {
      hash.append(UInt8(digits[start] | (start + 1 < digits.count ? digits[start + 1] << 4 : 0)))
    }
    return hash
  }

  /// Lightness, yellow against blue, and red against green, on the image's own mean color.
  private static func planes(
    of picture: PlaceholderPixels
  ) -> (lightness: [Double], yellow: [Double], red: [Double]) {
    var sum = SIMD4<Double>()
    for pixel in picture.pixels {
      sum += SIMD4(pixel.x * pixel.w, pixel.y * pixel.w, pixel.z * pixel.w, pixel.w)
    }
    let mean = sum.w > 0 ? SIMD3(sum.x, sum.y, sum.z) / sum.w : SIMD3()
    let colors = picture.composed(on: Color(mean))
    return (
      colors.map { ($0.x + $0.y + $0.z) / 3 }, colors.map { ($0.x + $0.y) / 2 - $0.z },
      colors.map { $0.x - $0.y }
    )
  }

  /// To the nearest whole number, halves up.
  private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

  /// The cosine waves of one plane with a sum of frequencies below a triangle's edge.
  private struct Waves {
    private(set) var mean = 0.0
    private var deviations: [Double] = []

    init(_ plane: [Double], _ size: Size, _ countX: Int, _ countY: Int) {
      for j in 0..<countY {
        let alongY = (0..<size.height).map {
          cos(.pi / Double(size.height) * Double(j) * (Double($0) + 0.5))
        }
        var i = 0
        while i * countY < countX * (countY - j) {
          let alongX = (0..<size.width).map {
            cos(.pi / Double(size.width) * Double(i) * (Double($0) + 0.5))
          }
          var sum = 0.0
          for y in 0..<size.height {
            for x in 0..<size.width { sum += plane[x + y * size.width] * alongX[x] * alongY[y] }
          }
          sum /= Double(size.area)
          if i == 0 && j == 0 { mean = sum } else { deviations.append(sum) }
          i += 1
        }
      }
    }

    /// The strongest wave.
    var scale: Double { deviations.map { abs($0) }.max() ?? 0 }

    /// Each wave relative to the strongest, in 4 bits.
    var digits: [Int] {
      deviations.map { scale > 0 ? rounded(15 * (0.5 + 0.5 / scale * $0)) : 0 }
    }
  }
}
