internal import Glibc

/// BlurHash: an image's first cosine waves in 6 to 166 characters.
///
/// Source of the algorithm: github.com/woltapp/blurhash, `Algorithm.md`.
public enum BlurHash {
  /// The number of cosine components along x and y.
  public struct Components: Sendable, Hashable, CustomStringConvertible {
    /// Along x, 1…9.
    public let x: Int
    /// Along y, 1…9.
    public let y: Int

    /// - Returns: `nil` unless both are 1…9.
    public init?(x: Int, y: Int) {
      guard (1...9).contains(x), (1...9).contains(y) else { return nil }
      (self.x, self.y) = (x, y)
    }

    /// 4 along the longer side and 3 along the shorter: what is usual.
    public init(for size: Size) {
      (x, y) = size.width >= size.height ? (4, 3) : (3, 4)
    }

    /// `4x3`.
    public var description: String { "\(x)x\(y)" }
  }

  /// The hash of a small image; time grows with its pixels, and 32 to 100 per side are enough.
  ///
  /// - Parameters:
  ///   - components: `nil` takes 4 along the longer side and 3 along the shorter.
  ///   - background: shows through where the image is transparent, as the hash knows no alpha.
  public static func encode(
    _ image: Image, components: Components? = nil, on background: Color = .white
  ) -> String {
    encode(PlaceholderPixels(image), components: components, on: background)
  }

  static func encode(
    _ picture: PlaceholderPixels, components: Components?, on background: Color
  ) -> String {
    let components = components ?? Components(for: picture.size)
    let waves = waves(of: picture, components, on: background)
    let strongest = waves.dropFirst().map { max(abs($0.x), abs($0.y), abs($0.z)) }.max()
    let quantized = strongest.map { Int(max(0, min(82, ($0 * 166 - 0.5).rounded(.down)))) } ?? 0
    let scale = strongest == nil ? 1 : Double(quantized + 1) / 166
    var hash = base83(components.x - 1 + (components.y - 1) * 9, digits: 1)
    hash += base83(quantized, digits: 1)
    hash += base83(mean(waves[0]), digits: 4)
    for wave in waves.dropFirst() { hash += base83(deviation(wave / scale), digits: 2) }
    return hash
  }

  /// Light along each wave: the mean first, then along x before y.
  private static func waves(
    of picture: PlaceholderPixels, _ components: Components, on background: Color
  ) -> [SIMD3<Double>] {
    let (width, height) = (picture.size.width, picture.size.height)
    let light = picture.composed(on: background).map(\.decoded)
    let alongX = cosines(components.x, width)
    let alongY = cosines(components.y, height)
    return (0..<components.y).flatMap { j in
      (0..<components.x).map { i in
        var sum = SIMD3<Double>()
        for y in 0..<height {
          for x in 0..<width { sum += light[y * width + x] * (alongX[i][x] * alongY[j][y]) }
        }
        return sum * ((i == 0 && j == 0 ? 1 : 2) / Double(width * height))
      }
    }
  }

  private static func cosines(_ waves: Int, _ count: Int) -> [[Double]] {
    (0..<waves).map { wave in
      (0..<count).map { cos(.pi * Double(wave * $0) / Double(count)) }
    }
  }

  /// The mean color as 24 bits.
  private static func mean(_ light: SIMD3<Double>) -> Int {
    let color = light.encoded.levels
    return color.x << 16 | color.y << 8 | color.z
  }

  /// A wave's color as three digits of base 19, by the square root.
  private static func deviation(_ wave: SIMD3<Double>) -> Int {
    func digit(_ value: Double) -> Int {
      let root = value < 0 ? -sqrt(-value) : sqrt(value)
      return Int(max(0, min(18, (root * 9 + 9.5).rounded(.down))))
    }
    return (digit(wave.x) * 19 + digit(wave.y)) * 19 + digit(wave.z)
  }

  private static let alphabet = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

  private static func base83(_ value: Int, digits: Int) -> String {
    var rest = value
    var text: [Character] = []
    for _ in 0..<digits {
      text.append(alphabet[rest % 83])
      rest /= 83
    }
    return String(text.reversed())
  }
}
