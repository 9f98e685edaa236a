import FrostglassCore
import FrostglassStills
import Testing

@Suite struct ColorTests {
  static func file(_ profile: [UInt8], _ pixels: PixelFormat, as format: StillFormat = .png) throws
    -> [UInt8]
  {
    try StillEncoder().encode(
      TestImage.ramp(pixels), metadata: StillMetadata(iccProfile: profile), as: format)
  }

  @Test(arguments: [PixelFormat.Layout.rgb, .rgba], [PixelFormat.Depth.uint8, .uint16])
  func aProfileIsAppliedToColorAndNotToAlpha(
    layout: PixelFormat.Layout, depth: PixelFormat.Depth
  ) throws {
    let pixels = PixelFormat(layout, depth)
    let source = TestImage.ramp(pixels)
    let still = try StillDecoder().decode(.bytes(Self.file(ICCProfile.rgb(.linear), pixels)))
    #expect(still.metadata.iccProfile == nil)
    #expect(still.image.format == pixels)
    for x in [0, 9, 20, 32] {
      let before = source.pixel(x, 5)
      let after = still.image.pixel(x, 5)
      for channel in 0..<3 {
        #expect(abs(after[channel] - ICCProfile.encoded(before[channel])) < 0.012)
      }
      if layout == .rgba { #expect(after[3] == before[3]) }
    }
  }

  @Test(arguments: [PixelFormat.Depth.uint8, .uint16])
  func grayWithAProfileStaysGray(depth: PixelFormat.Depth) throws {
    let pixels = PixelFormat(.gray, depth)
    let source = TestImage.ramp(pixels)
    let still = try StillDecoder().decode(.bytes(Self.file(ICCProfile.gray(.linear), pixels)))
    #expect(still.image.format == pixels)
    for x in [0, 9, 20, 32] {
      let expected = ICCProfile.encoded(source.pixel(x, 5)[0])
      #expect(abs(still.image.pixel(x, 5)[0] - expected) < 0.012)
    }
  }

  @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.rgb, .uint16)])
  func pixelsThatAreSRGBAlreadyStayAsTheyAre(pixels: PixelFormat) throws {
    let profile = pixels.layout == .gray ? ICCProfile.gray(.srgb) : ICCProfile.rgb(.srgb)
    let still = try StillDecoder().decode(.bytes(Self.file(profile, pixels)))
    #expect(still.image.bytes == TestImage.ramp(pixels).bytes)
    #expect(still.metadata.iccProfile == nil)
  }

  @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.rgb, .uint16)])
  func keepLeavesSamplesAndProfileAlone(pixels: PixelFormat) throws {
    let profile = pixels.layout == .gray ? ICCProfile.gray(.linear) : ICCProfile.rgb(.linear)
    let decoder = StillDecoder(DecodeOptions(profile: .keep))
    let still = try decoder.decode(.bytes(Self.file(profile, pixels)))
    #expect(still.image.bytes == TestImage.ramp(pixels).bytes)
    #expect(still.metadata.iccProfile == profile)
  }

  @Test(arguments: StillFormat.faithful, [true, false])
  func aKeptProfileIsSavedStrippedOrNot(format: StillFormat, strip: Bool) throws {
    let profile = ICCProfile.rgb(.linear)
    let decoder = StillDecoder(DecodeOptions(profile: .keep))
    let still = try decoder.decode(.bytes(Self.file(profile, .rgb8)))
    let saved = try StillEncoder(EncodeOptions(strip: strip))
      .encode(still.image, metadata: still.metadata, as: format)
    let again = try decoder.decode(.bytes(saved)).metadata.iccProfile
    guard format == .jxl else {
      #expect(again == profile)
      return
    }
    // Lossy JPEG XL says it in numbers of its own; of another meaning the colors would be.
    let colors = try [saved, Self.file(profile, .rgb8)].map {
      try StillDecoder().decode(.bytes($0)).image
    }
    #expect(again != nil && colors[0].largestDifference(from: colors[1]) < 0.08)
    let exact = try StillEncoder(EncodeOptions(strip: strip, lossless: true))
      .encode(still.image, metadata: still.metadata, as: format)
    #expect(try decoder.decode(.bytes(exact)).metadata.iccProfile == profile)
  }

  /// Values from Pillow's ImageCms over the same profile: relative colorimetric, black points alike.
  @Test func displayP3StaysAsItIsOrBecomesSRGB() throws {
    let colors: [[UInt8]] = [
      [200, 100, 50], [64, 128, 192], [128, 128, 128], [90, 160, 120], [230, 200, 190],
    ]
    let expected: [[UInt8]] = [
      [215, 93, 31], [32, 130, 197], [128, 128, 128], [61, 162, 117], [236, 199, 188],
    ]
    let picture = try Image(
      size: Size(width: colors.count, height: 1), format: .rgb8, bytes: Array(colors.joined()))
    for format in [StillFormat.png, .tiff, .bmp] {
      let file = try StillEncoder().encode(
        picture, metadata: StillMetadata(iccProfile: ICCProfile.displayP3), as: format)
      let kept = try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(file))
      #expect(kept.image.bytes == picture.bytes, "\(format)")
      #expect(kept.metadata.iccProfile == ICCProfile.displayP3)
      let again = try StillEncoder().encode(kept.image, metadata: kept.metadata, as: format)
      #expect(
        try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(again)).metadata.iccProfile
          == ICCProfile.displayP3)
      let converted = try StillDecoder().decode(.bytes(file))
      #expect(converted.metadata.iccProfile == nil)
      for (found, wanted) in zip(converted.image.bytes, expected.joined()) {
        #expect(abs(Int(found) - Int(wanted)) <= 1, "\(format)")
      }
    }
  }

  @Test func aGIFWithAProfileIsRefused() throws {
    let metadata = StillMetadata(iccProfile: ICCProfile.rgb(.linear))
    let error = try #require(throws: EncodeError.self) {
      try StillEncoder().encode(TestImage.ramp(.rgb8), metadata: metadata, as: .gif)
    }
    #expect(
      error.description
        == "GIF cannot hold a color profile; convert to sRGB, or write another format")
  }

  @Test(arguments: [StillFormat.webp, .avif, .heic])
  func aGrayProfileIsSavedAsOneForColors(format: StillFormat) throws {
    let metadata = StillMetadata(iccProfile: ICCProfile.gray(.linear))
    let picture = TestImage.constant(64 / 255, .rgb8)
    let saved = try StillEncoder().encode(picture, metadata: metadata, as: format)
    let shown = try StillDecoder().decode(.bytes(saved)).image.pixel(4, 4)
    #expect(shown.allSatisfy { abs($0 - 137 / 255) < 0.01 })
  }

  @Test func aBrokenProfileIsIgnored() throws {
    var profile = ICCProfile.rgb(.linear)
    profile.replaceSubrange(36..<40, with: [0, 0, 0, 0])
    let still = try StillDecoder().decode(.bytes(Self.file(profile, .rgb8, as: .tiff)))
    #expect(still.image.bytes == TestImage.ramp(.rgb8).bytes)
  }

  @Test func exifSaysSRGBAfterAConversion() throws {
    let plain = try Self.file(ICCProfile.rgb(.linear), .rgb8, as: .jpeg)
    let photo = JPEGFile.insertingExif(CameraExif.camera(), into: plain)
    for (choice, expected) in [(DecodeOptions.Profile.srgb, 1), (.keep, 0xFFFF)] {
      let still = try StillDecoder(DecodeOptions(profile: choice)).decode(.bytes(photo))
      let saved = try StillEncoder().encode(still.image, metadata: still.metadata, as: .jpeg)
      #expect(CameraExif.read(try #require(JPEGFile.exif(saved))).numbers[0xA001] == expected)
    }
  }

  @Test(arguments: DecodeOptions.Profile.allCases)
  func cmykBecomesSRGBUnderEitherChoice(choice: DecodeOptions.Profile) throws {
    // White, black ink, cyan ink.
    let file = TIFFFile.picture(
      width: 3, height: 1, bits: 8, samples: 4, photometric: 5,
      data: [0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0])
    let still = try StillDecoder(DecodeOptions(profile: choice)).decode(.bytes(file))
    #expect(still.image.format == .rgb8)
    #expect(still.metadata.iccProfile == nil)
    #expect(still.image.pixel(0, 0).allSatisfy { $0 > 0.97 })
    #expect(still.image.pixel(1, 0).allSatisfy { $0 < 0.25 })
    let cyan = still.image.pixel(2, 0)
    #expect(cyan[0] < 0.3 && cyan[2] > 0.7)
  }

  @Test func labBecomesSRGB() throws {
    let file = TIFFFile.picture(
      width: 2, height: 1, bits: 8, samples: 3, photometric: 8, data: [255, 0, 0, 0, 0, 0])
    let still = try StillDecoder().decode(.bytes(file))
    #expect(still.image.format == .rgb8)
    #expect(still.image.pixel(0, 0).allSatisfy { $0 > 0.98 })
    #expect(still.image.pixel(1, 0).allSatisfy { $0 < 0.02 })
  }
}
