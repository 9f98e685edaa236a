import FrostglassCore
import FrostglassStills
import Testing

@Suite struct RoundTripTests {
  static let cases: [(StillFormat, PixelFormat)] = StillFormat.allCases.filter { $0 != .gif }
    .flatMap { format in
      PixelFormat.all.filter { format.pixelFormat(preserving: $0) == $0 }.map { (format, $0) }
    }

  /// Returns the tolerance of decoded samples: that of lossless formats is 0, that of others the loss of a smooth
  /// ramp at quality 95.
  static func tolerance(_ format: StillFormat) -> Float {
    switch format {
    case _ where StillFormat.exact.contains(format): 0
    // Through linear light and back.
    case .pfm: 1e-6
    // As far as any pixel; half of it on average is far less.
    case .jxl: 0.07
    default: 0.04
    }
  }

  @Test(arguments: cases)
  func whatIsWrittenIsReadAgain(format: StillFormat, pixels: PixelFormat) throws {
    let image = TestImage.ramp(pixels)
    let bytes = try StillEncoder(EncodeOptions(quality: 95)).encode(image, as: format)
    let still = try StillDecoder().decode(.bytes(bytes))
    #expect(still.format == format)
    #expect(still.image.format == pixels)
    #expect(still.image.size == image.size)
    #expect(still.image.alpha == (pixels.layout.hasAlpha ? .straight : .opaque))
    #expect(still.image.transfer == .encoded)
    #expect(still.image.largestDifference(from: image) <= Self.tolerance(format))
  }

  @Test(arguments: cases)
  func theHeaderTellsWhatDecodingGives(format: StillFormat, pixels: PixelFormat) throws {
    let bytes = try StillEncoder().encode(TestImage.ramp(pixels), as: format)
    let header = try StillDecoder().header(of: .bytes(bytes))
    let image = try StillDecoder().decode(.bytes(bytes)).image
    #expect(header.size == image.size)
    #expect(header.pixelFormat == image.format)
    #expect(header.format == format)
  }

  @Test(arguments: StillFormat.eightBit.filter { $0 != .gif }, [(1, 1), (1, 7), (5, 1), (3, 3)])
  func tinyImagesKeepTheirSize(format: StillFormat, sides: (Int, Int)) throws {
    let image = TestImage.constant(0.5, .rgb8, width: sides.0, height: sides.1)
    let still = try StillDecoder().decode(.bytes(StillEncoder().encode(image, as: format)))
    #expect(still.image.size == image.size)
    #expect(still.image.largestDifference(from: image) <= 0.02)
  }

  /// libvips reads them with alpha.
  @Test(arguments: [(1, 1), (1, 7), (5, 1), (3, 3)])
  func tinyGIFsKeepSizeAndColor(sides: (Int, Int)) throws {
    let image = TestImage.constant(0.5, .rgb8, width: sides.0, height: sides.1)
    let still = try StillDecoder().decode(.bytes(StillEncoder().encode(image, as: .gif)))
    #expect(still.image.size == image.size)
    for y in 0..<sides.1 {
      for x in 0..<sides.0 {
        for (found, wanted) in zip(still.image.pixel(x, y), [0.5, 0.5, 0.5, 1] as [Float]) {
          #expect(abs(found - wanted) <= 0.02)
        }
      }
    }
  }

  @Test(arguments: StillFormat.allCases)
  func fullScaleStaysFullScaleAtEveryDepth(format: StillFormat) throws {
    for depth in PixelFormat.Depth.allCases {
      let pixels = format.pixelFormat(preserving: PixelFormat(.rgb, depth))
      let white = TestImage.constant(1, pixels)
      let bytes = try StillEncoder(EncodeOptions(quality: 100)).encode(white, as: format)
      let image = try StillDecoder().decode(.bytes(bytes)).image
      // Through linear light and back, PFM is a bit off.
      let least: Float = format == .pfm ? 1 - 1e-6 : 1
      #expect((least...1).contains(image.sample(x: 4, y: 4, channel: 0)))
    }
  }

  @Test func floatingPointSamplesOutsideOf0To1SurviveTIFF() throws {
    let image = TestImage.constant(3.5, PixelFormat(.rgba, .float32))
    let still = try StillDecoder().decode(.bytes(StillEncoder().encode(image, as: .tiff)))
    #expect(still.image.pixel(3, 3) == [3.5, 3.5, 3.5, 3.5])
  }

  @Test func gapsBetweenRowsAreNotWritten() throws {
    let packed = TestImage.ramp(.rgb8, width: 5, height: 4)
    var bytes: [UInt8] = []
    for y in 0..<4 { bytes += packed.bytes[y * 15..<y * 15 + 15] + [7, 7, 7] }
    let spaced = try Image(size: packed.size, format: .rgb8, bytesPerRow: 18, bytes: bytes)
    #expect(
      try StillEncoder().encode(spaced, as: .png) == StillEncoder().encode(packed, as: .png))
  }

  @Test func qualityMakesADifference() throws {
    let image = TestImage.ramp(.rgb8, width: 200, height: 200)
    for format in [StillFormat.jpeg, .webp, .avif, .heic, .jxl] {
      let low = try StillEncoder(EncodeOptions(quality: 10)).encode(image, as: format)
      let high = try StillEncoder(EncodeOptions(quality: 100)).encode(image, as: format)
      #expect(low.count < high.count)
    }
  }

  @Test func whatAFormatCannotHoldIsAnErrorThatSaysWhatItCan() throws {
    let encoder = StillEncoder()
    #expect(
      throws: EncodeError.unsupportedImage(
        format: .jpeg, found: "rgba8 pixels", accepted: "rgb8")
    ) { try encoder.encode(TestImage.ramp(.rgba8), as: .jpeg) }
    var frames = StillMetadata(animation: StillMetadata.Animation(delays: [40, 40]))
    let odd = Image(zeros: Size(width: 2, height: 3), format: .rgb8)
    #expect(
      throws: EncodeError.unsupportedImage(
        format: .png, found: "2 frames in 3 rows", accepted: "one frame")
    ) { try encoder.encode(odd, metadata: frames, as: .png) }
    #expect(throws: EncodeError.self) { try encoder.encode(odd, metadata: frames, as: .gif) }
    frames.animation?.delays = []
    #expect(throws: EncodeError.self) { try encoder.encode(odd, metadata: frames, as: .gif) }
    let linear = Image(zeros: Size(width: 2, height: 2), format: .rgb8, transfer: .linear)
    #expect(throws: EncodeError.self) { try encoder.encode(linear, as: .png) }
    let premultiplied = Image(
      zeros: Size(width: 2, height: 2), format: .rgba8, alpha: .premultiplied)
    #expect(throws: EncodeError.self) { try encoder.encode(premultiplied, as: .png) }
    let wide = Image(zeros: Size(width: 16384, height: 1), format: .rgb8)
    #expect(throws: EncodeError.self) { try encoder.encode(wide, as: .webp) }
    for quality in [0, 101, -1] {
      #expect(throws: EncodeError.invalidQuality(quality)) {
        try StillEncoder(EncodeOptions(quality: quality))
          .encode(TestImage.ramp(.rgb8), as: .jpeg)
      }
    }
  }
}
