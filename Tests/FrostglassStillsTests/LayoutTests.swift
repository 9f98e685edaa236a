import FrostglassCore
import FrostglassStills
import Testing

/// Kinds of sample that our own encoder does not write.
@Suite struct LayoutTests {
  @Test func oneBitBecomesEight() throws {
    let file = TIFFFile.picture(
      width: 8, height: 1, bits: 1, samples: 1, photometric: 1, data: [0b1010_0000])
    let image = try StillDecoder().decode(.bytes(file)).image
    #expect(image.format == .gray8)
    #expect(image.bytes == [255, 0, 255, 0, 0, 0, 0, 0])
  }

  @Test(arguments: [8, 16])
  func grayWithAlphaBecomesRGBA(bits: Int) throws {
    let sample = [UInt8](repeating: 100, count: bits / 8)
    let alpha = [UInt8](repeating: 30, count: bits / 8)
    let file = TIFFFile.picture(
      width: 1, height: 1, bits: bits, samples: 2, photometric: 1, more: [.short(338, 2)],
      data: sample + alpha)
    let image = try StillDecoder().decode(.bytes(file)).image
    #expect(image.format == PixelFormat(.rgba, bits == 8 ? .uint8 : .uint16))
    #expect(image.alpha == .straight)
    #expect(image.bytes == sample + sample + sample + alpha)
  }

  @Test func grayWithAlphaAndAGrayProfileBecomesSRGBEvenWhenProfilesAreKept() throws {
    let profile = ICCProfile.gray(.linear)
    let file = TIFFFile.picture(
      width: 1, height: 1, bits: 8, samples: 2, photometric: 1,
      more: [.short(338, 2), .bytes(34675, profile)], data: [128, 30])
    let still = try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(file))
    #expect(still.metadata.iccProfile == nil)
    let expected = ICCProfile.encoded(128 / 255)
    #expect(still.image.pixel(0, 0).prefix(3).allSatisfy { abs($0 - expected) < 0.012 })
    #expect(still.image.bytes.last == 30)
  }

  @Test func premultipliedAlphaInATIFFBecomesStraight() throws {
    let file = TIFFFile.picture(
      width: 1, height: 1, bits: 8, samples: 4, photometric: 2, more: [.short(338, 1)],
      data: [100, 50, 0, 128])
    let image = try StillDecoder().decode(.bytes(file)).image
    #expect(image.alpha == .straight)
    let pixel = image.pixel(0, 0)
    #expect(abs(pixel[0] - 100 / 128) < 0.005 && abs(pixel[1] - 50 / 128) < 0.005)
    #expect(image.bytes.last == 128)
  }

  @Test func aPaletteBecomesRGB() throws {
    var map: [UInt8] = []
    for channel in 0..<3 {
      for index in 0..<256 { map += [0, index == 7 ? UInt8(40 * (channel + 1)) : 0] }
    }
    let palette = TIFFFile.Entry(tag: 320, type: 3, count: 768, data: map)
    let file = TIFFFile.picture(
      width: 2, height: 1, bits: 8, samples: 1, photometric: 3, more: [palette], data: [7, 0])
    let image = try StillDecoder().decode(.bytes(file)).image
    #expect(image.format == .rgb8)
    #expect(image.bytes == [40, 80, 120, 0, 0, 0])
  }

  @Test func samplesOfDoublePrecisionAreRefused() {
    let file = TIFFFile.picture(
      width: 1, height: 1, bits: 64, samples: 1, photometric: 1, sampleFormat: 3,
      data: [UInt8](repeating: 0, count: 8))
    #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(file)) }
  }

  @Test(arguments: [
    (16, 2, "signed 16 bits"), (32, 1, "unsigned 32 bits"),
  ])
  func samplesWithoutAFullScaleAreRefused(bits: Int, kind: Int, words: String) throws {
    let file = TIFFFile.picture(
      width: 1, height: 1, bits: bits, samples: 1, photometric: 1, sampleFormat: kind,
      data: [1, 2, 3, 4])
    #expect(throws: DecodeError.unsupportedPixels(name: "the given bytes", found: words)) {
      try StillDecoder().decode(.bytes(file))
    }
  }

  @Test func ofAGIFAnimationTheFirstFrameIsTaken() throws {
    let still = try StillDecoder().decode(.bytes(GIFFile.twoFrames))
    #expect(still.format == .gif)
    #expect(still.image.size == Size(width: 2, height: 2))
    #expect(still.image.format.layout != .gray)
    #expect(Array(still.image.pixel(0, 0).prefix(3)) == [1, 0, 0])
    #expect(Array(still.image.pixel(1, 1).prefix(3)) == [1, 0, 0])
  }

  @Test func heicIsReadWithTenBitsStretchedToFullScale() throws {
    let still = try StillDecoder().decode(.bytes(HEICFile.quarters))
    #expect(still.format == .heic)
    #expect(still.image.size == Size(width: 64, height: 48))
    #expect(still.image.format == PixelFormat(.rgb, .uint16))
    for (x, y, expected) in [
      (12, 10, [1, 1, 0]), (50, 10, [0, 1, 0]), (12, 40, [1, 0, 0]), (50, 40, [0, 0, 0]),
    ] as [(Int, Int, [Float])] {
      for (found, wanted) in zip(still.image.pixel(x, y), expected) {
        #expect(abs(found - wanted) < 0.03)
      }
    }
    #expect(throws: DecodeError.self) {
      try StillDecoder().decode(.bytes(Array(HEICFile.quarters.dropLast(40))))
    }
  }
}
