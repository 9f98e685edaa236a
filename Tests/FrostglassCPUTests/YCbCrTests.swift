import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Colors and places of images in planes, against the standards' numbers.
@Suite struct YCbCrTests {
  private let backend = ReferenceBackend()
  /// Changes nothing.
  private let nothing = FilterChain([])

  /// The image in between, in red, green and blue.
  private func colors(of picture: YCbCrImage) async throws -> Image {
    let plan = try nothing.planByColors(for: picture.format, size: picture.size)
    try plan.validate(for: .none)
    #expect(plan.toImage.count == 1)
    return try await backend.execute(plan.toImage[0], picture.planes)
  }

  /// The planes of an image in red, green and blue.
  private func planes(of image: Image, _ format: YCbCrFormat) async throws -> YCbCrImage {
    let plan = try nothing.planByColors(for: format, size: image.size)
    var planes: [Image] = []
    for step in plan.toPlanes { planes.append(try await backend.execute(step, [image])) }
    return try YCbCrImage(size: image.size, format: format, planes: planes)
  }

  private func flat(_ color: SIMD3<Float>, _ width: Int = 5, _ height: Int = 3) -> Image {
    TestImages.make(width, height, PixelFormat(.rgb, .uint16)) { _, _, channel in color[channel] }
  }

  /// Within what 16-bit intermediates are certified for.
  private func expect(
    _ image: Image, _ x: Int, _ y: Int, is color: SIMD3<Double>, _ levels: Double,
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let pixel = image.premultipliedPixel(x: x, y: y)
    for channel in 0..<3 {
      let distance = abs(pixel[channel] - color[channel]) * 255
      #expect(
        distance <= levels, "\(name) at \(x), \(y), channel \(channel)",
        sourceLocation: sourceLocation)
    }
  }

  @Test func grayStaysGray() async throws {
    for format in TestPlanes.formats {
      let one = 1 << (format.bits.rawValue - 8)
      let picture = try TestPlanes.make(6, 3, format) { x, _ in
        50 * one * x
      } chroma: { _, _, _ in
        128 * one
      }
      let image = try await colors(of: picture)
      for x in 0..<6 {
        let pixel = image.premultipliedPixel(x: x, y: 1)
        let code = Double(50 * x)
        let gray =
          format.range == .narrow
          ? (code - 16) / 219 : code * Double(one) / Double(256 * one - 1)
        expect(
          image, x, 1, is: SIMD3(repeating: min(max(gray, 0), 1)), 0.05, "\(format)")
        #expect(abs(pixel.x - pixel.y) * 255 < 0.03 && abs(pixel.x - pixel.z) * 255 < 0.03)
      }
      let back = try await planes(of: image, format)
      #expect(back.chroma(1, 1, isRed: false) == 128 * one, "\(format)")
      #expect(back.chroma(1, 1, isRed: true) == 128 * one, "\(format)")
    }
  }

  /// Codes of black, white, red, green and blue, from the standards' formulas by hand.
  ///
  /// BT.601, narrow: red is Y = 16 + 219 · 0.299 = 81.5, Cb = 128 − 224 · 0.299/1.772 = 90.2,
  /// Cr = 128 + 224/2 = 240. BT.2020, 10 bits: red is Y = 64 + 876 · 0.2627 = 294.1, Cb = 512 −
  /// 896 · 0.2627/1.8814 = 386.9, Cr = 512 + 896/2 = 960. In full range a difference of ½ is half a
  /// code too much, which is limited.
  static let colors: [(YCbCrFormat, [[Int]])] = [
    (
      YCbCrFormat(matrix: .bt601),
      [[16, 128, 128], [235, 128, 128], [81, 90, 240], [145, 54, 34], [41, 240, 110]]
    ),
    (
      YCbCrFormat(matrix: .bt709),
      [[16, 128, 128], [235, 128, 128], [63, 102, 240], [173, 42, 26], [32, 240, 118]]
    ),
    (
      YCbCrFormat(matrix: .bt2020, bits: .ten),
      [[64, 512, 512], [940, 512, 512], [294, 387, 960], [658, 189, 100], [116, 960, 476]]
    ),
    (
      .jpeg, [[0, 128, 128], [255, 128, 128], [76, 85, 255], [150, 44, 21], [29, 255, 107]]
    ),
  ]
  static let rgb: [SIMD3<Float>] = [
    SIMD3(0, 0, 0), SIMD3(1, 1, 1), SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1),
  ]

  @Test(arguments: 0..<4, YCbCrFormat.Arrangement.allCases)
  func colorsHaveTheCodesOfTheStandards(_ index: Int, _ arrangement: YCbCrFormat.Arrangement)
    async throws
  {
    var (format, codes) = Self.colors[index]
    format.arrangement = arrangement
    for (color, code) in zip(Self.rgb, codes) {
      let made = try await planes(of: flat(color), format)
      #expect(made.luma(4, 2) == code[0], "\(format) \(color)")
      #expect(made.chroma(2, 1, isRed: false) == code[1], "\(format) \(color)")
      #expect(made.chroma(2, 1, isRed: true) == code[2], "\(format) \(color)")
      // Codes are rounded: half of one of brightness, and of differences times up to 2.1.
      let image = try await colors(of: try TestPlanes.flat(5, 3, format, code))
      expect(image, 3, 2, is: SIMD3<Double>(color), 1.7, "\(format)")
    }
  }

  /// Every format, every place of samples, odd and smallest sizes.
  @Test func colorsAreThoseOfTheFormula() async throws {
    let sizes = [(7, 5), (1, 1), (2, 1), (1, 4), (8, 6)]
    for (index, format) in TestPlanes.formats.enumerated() {
      let (width, height) = sizes[index % sizes.count]
      let picture = try TestPlanes.noise(width, height, format, seed: UInt64(index))
      let image = try await colors(of: picture)
      let model = YCbCrModel(picture)
      for y in 0..<height {
        for x in 0..<width { expect(image, x, y, is: model.color(x, y), 0.15, "\(format)") }
      }
    }
  }

  /// A difference in one sample is seen at the pixels around its place, and in no other.
  ///
  /// With BT.709, a code of the red difference is 1.5748 · 255/224 = 1.7927 levels of red.
  @Test func aDifferenceLandsWhereItsSitingSays() async throws {
    let weights: [YCbCrFormat.Siting.Place: [Double]] = [
      .cosited: [0, 0.5, 1, 0.5, 0, 0], .centered: [0, 0.25, 0.75, 0.75, 0.25, 0],
    ]
    for format in TestPlanes.shapes {
      let picture = try TestPlanes.make(6, 6, format) { _, _ in
        120
      } chroma: { x, y, isRed in
        isRed && x == 1 && y == 1 ? 148 : 128
      }
      let image = try await colors(of: picture)
      let one = [0.0, 1, 0, 0, 0, 0]
      let columns =
        switch format.sampling {
        case .none: one
        case .both, .columns: weights[format.siting.x] ?? []
        // On the fifth of six pixels, beyond which there is no other sample.
        case .quarterColumns: [0, 0.25, 0.5, 0.75, 1, 1]
        }
      let rows = format.sampling == .both ? weights[format.siting.y] ?? [] : one
      for y in 0..<6 {
        for x in 0..<6 {
          let red = 104.0 / 219 + 20 * columns[x] * rows[y] * 1.5748 / 224
          let distance = (Double(image.sample(x: x, y: y, channel: 0)) - red) * 255
          #expect(abs(distance) < 0.1, "\(format) \(x), \(y)")
        }
      }
    }
  }

  /// Beside a hard edge of the strongest colors, shrinking goes beyond what codes can hold.
  @Test func codesStayInTheirBits() async throws {
    let image = TestImages.make(16, 16, PixelFormat(.rgb, .uint16)) { x, y, channel in
      (x < 8) == (channel == 2) ? 1 : 0
    }
    for format in TestPlanes.formats {
      let made = try await planes(of: image, format)
      let largest = 1 << format.bits.rawValue - 1
      var codes: [Int] = []
      for y in 0..<8 {
        for x in 0..<16 / format.sampling.columns {
          codes += [false, true].map { made.chroma(x, y, isRed: $0) }
        }
      }
      #expect(try #require(codes.max()) <= largest, "\(format)")
      if format.range == .full { #expect(codes.contains(largest), "\(format)") }
    }
  }

  /// The differences of an even change of color are those at the samples' own places.
  @Test func samplesAreTakenWhereTheirSitingSays() async throws {
    for format in TestPlanes.shapes {
      let image = TestImages.make(16, 16, PixelFormat(.rgb, .uint16)) { x, y, channel in
        channel == 0 ? 0.3 + 0.02 * Float(x) + 0.01 * Float(y) : 0.5
      }
      let made = try await planes(of: image, format)
      let (columns, rows) = (format.sampling.columns, format.sampling.rows)
      let column = columns == 4 ? 2 : 5
      let x = Double(columns * column) + (columns == 2 && format.siting.x == .centered ? 0.5 : 0)
      let y = Double(rows * 5) + (rows == 2 && format.siting.y == .centered ? 0.5 : 0)
      let red = 0.3 + 0.02 * x + 0.01 * y
      let expected = 128 + 224 * (red - (0.2126 * red + 0.7874 * 0.5)) / 1.5748
      let code = made.chroma(column, 5, isRed: true)
      #expect(abs(Double(code) - expected) <= 0.52, "\(format)")
    }
  }
}
