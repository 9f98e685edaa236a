internal import FrostglassCore
public import FrostglassStills
internal import Glibc

/// A placeholder that a page shows while an image loads.
///
/// Everything is computed from one copy of the image of at most 100 pixels per side. It is averaged on encoded
/// values, and pixels are weighted by their alpha.
///
///     let placeholder = try Placeholder(of: .file("photo.jpg"))
///     print(placeholder.blurHash)
public struct Placeholder: Sendable, Hashable {
  /// The image's own size, upright.
  public let size: Size
  /// 28 characters for the usual 12 components; no alpha.
  public let blurHash: String
  /// 5 to 25 bytes, with alpha; on pages mostly written as base64.
  public let thumbHash: [UInt8]
  /// The mean of light, weighted by alpha; `nil` for a wholly transparent image.
  public let average: Color?
  /// The color of which there is most; `nil` for a wholly transparent image.
  public let dominant: Color?
  /// True if any part is transparent.
  public let hasAlpha: Bool
  /// A tiny image as `data:image/webp;base64,…`.
  public let dataURI: String

  /// `thumbHash` as base64.
  public var thumbHashText: String { Base64.text(thumbHash) }

  /// The longest side of the copy that everything is computed from; ThumbHash takes no more.
  private static let side = 100

  /// Reads an image file, in the thread that asks. Of a large JPEG, most is never decoded.
  ///
  /// - Throws: `FrostglassError.decode`, `.encode` for a format of the tiny image that is not written,
  ///   and `.plan` for a side that it cannot have.
  public init(
    of source: StillSource, options: Placeholder.Options = Placeholder.Options()
  ) throws(FrostglassError) {
    try self.init(of: source, options, Cancellation())
  }

  /// - Parameter cancellation: ends the decoder.
  fileprivate init(
    of source: StillSource, _ options: Placeholder.Options, _ cancellation: Cancellation
  ) throws(FrostglassError) {
    guard (1...Self.side).contains(options.uriSide) else {
      throw .plan(
        .badValue(
          filter: "placeholder", parameter: "uriSide", value: "\(options.uriSide)",
          accepted: "from 1 to \(Self.side) pixels"))
    }
    let copy: Image
    (size, copy) = try Self.read(source, options.decoding, cancellation)
    let pixels = PlaceholderPixels(copy)
    hasAlpha = !pixels.isOpaque
    blurHash = BlurHash.encode(pixels, components: options.components, on: options.background)
    thumbHash = ThumbHash.encode(pixels)
    average = pixels.average
    dominant = pixels.dominant
    dataURI = try Self.uri(copy, options)
  }

  /// The image's size and its small copy.
  private static func read(
    _ source: StillSource, _ decoding: DecodeOptions, _ cancellation: Cancellation
  ) throws(FrostglassError) -> (Size, Image) {
    do {
      let decoder = StillDecoder(decoding)
      nonisolated(unsafe) let reader = try decoder.reader(of: source)
      // `cancel` is for any thread.
      cancellation.onCancel { reader.cancel() }
      let size = reader.header.size
      let small = size.limited(to: side)
      try decoder.checkMemory(reader.imageMemory(scaledTo: small), for: reader)
      return (size, try reader.image(scaledTo: small, .soft))
    } catch { throw .decode(error) }
  }

  private static func uri(
    _ copy: Image, _ options: Placeholder.Options
  ) throws(FrostglassError) -> String {
    let tiny: Image
    tiny = try mapped(
      FrostglassError.decode, copy.scaled(to: copy.size.limited(to: options.uriSide), .soft))
    let format = options.uriFormat
    let keepsAlpha = format.pixelFormat(preserving: .rgba8).layout.hasAlpha
    let image = PlaceholderPixels(tiny).image(on: keepsAlpha ? nil : options.background)
    do {
      // A blurred stand-in needs no details.
      let bytes = try StillEncoder(EncodeOptions(quality: 50)).encode(image, as: format)
      let bare = format == .webp ? WebPFile.withoutExif(bytes) : bytes
      return "data:image/\(format.rawValue);base64," + Base64.text(bare)
    } catch { throw .encode(error) }
  }
}

extension Pipeline {
  /// Reads an image file on a thread of its own, and says what a page shows while it loads.
  ///
  /// A cancelled task, and the deadline, end it at once.
  ///
  /// - Parameters:
  ///   - source: the source of the image.
  ///   - options: the options of the placeholder.
  ///   - deadline: the time at which unfinished work is cancelled; `nil` for never.
  /// - Throws: as `Placeholder.init(of:options:)`; `.cancelled` and `.deadlineExceeded`.
  public func placeholder(
    of source: StillSource, options: Placeholder.Options = Placeholder.Options(),
    deadline: ContinuousClock.Instant? = nil
  ) async throws(FrostglassError) -> Placeholder {
    try await leaving(until: deadline) { cancellation throws(FrostglassError) in
      try Placeholder(of: source, options, cancellation)
    }
  }
}

extension Size {
  /// Returns the same shape with its longer side at most `side`, and no side below 1.
  func limited(to side: Int) -> Size {
    let longest = max(width, height)
    guard longest > side else { return self }
    func scaled(_ length: Int) -> Int { max(1, (length * side + longest / 2) / longest) }
    return Size(width: scaled(width), height: scaled(height))
  }
}

extension Placeholder {
  /// The options of a placeholder.
  public struct Options: Sendable, Hashable {
    /// The components of the BlurHash; `nil` takes 4 along the longer side and 3 along the shorter.
    public var components: BlurHash.Components?
    /// The color behind transparent images where alpha is not kept: in the BlurHash and in a JPEG.
    public var background: Color
    /// The tiny image's format: WebP, PNG or another that is written.
    public var uriFormat: StillFormat
    /// The tiny image's longer side in pixels, 1…100.
    public var uriSide: Int
    /// The decoding options and limits.
    public var decoding: DecodeOptions

    /// Creates options; those left out have their defaults.
    public init(
      components: BlurHash.Components? = nil, background: Color = .white,
      uriFormat: StillFormat = .webp, uriSide: Int = 16, decoding: DecodeOptions = DecodeOptions()
    ) {
      self.components = components
      self.background = background
      self.uriFormat = uriFormat
      self.uriSide = uriSide
      self.decoding = decoding
    }
  }
}

/// The parts of a WebP file.
enum WebPFile {
  /// The file without an EXIF block, smaller by 200 bytes: libvips 8.14 makes one up even where it is
  /// asked to strip.
  ///
  /// Source of the format: the WebP Container Specification. A file is `RIFF`, a length, `WEBP` and
  /// chunks; one without extras has a single chunk.
  static func withoutExif(_ file: [UInt8]) -> [UInt8] {
    guard file.count > 12, file.starts(with: "RIFF".utf8) else { return file }
    var kept: [ArraySlice<UInt8>] = []
    var start = 12
    while start + 8 <= file.count {
      let length = word(file, start + 4)
      let end = min(start + 8 + length + length % 2, file.count)
      let chunk = file[start..<end]
      if !chunk.starts(with: "EXIF".utf8) { kept.append(chunk) }
      start = end
    }
    // Without extras the header that announces them goes, too.
    if kept.count == 2, kept[0].starts(with: "VP8X".utf8) { kept.removeFirst() }
    let body = Array("WEBP".utf8) + kept.flatMap { withoutExifFlag($0) }
    return Array("RIFF".utf8) + bytes(body.count) + body
  }

  /// Bit 3 of the extended header says that there is EXIF.
  private static func withoutExifFlag(_ chunk: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard chunk.starts(with: "VP8X".utf8), chunk.count > 8 else { return chunk }
    var header = chunk
    header[header.startIndex + 8] &= ~8
    return header
  }

  private static func word(_ file: [UInt8], _ offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
  }

  private static func bytes(_ word: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}

/// Bytes as text, RFC 4648.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        let sign = alphabet[bits >> (18 - 6 * place) & 63]
        text.append(place <= group.count ? sign : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

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
