import FrostglassCore
import FrostglassStills
import Testing

/// Images and masks for scenes: any file in, 8 bits out.
@Suite struct StillImageTests {
  private func file(_ image: Image, _ format: StillFormat = .png) throws -> StillSource {
    .bytes(try StillEncoder().encode(image, as: format))
  }

  @Test(arguments: PixelFormat.all) func anyPixelsBecome8BitColors(
    format: PixelFormat
  ) throws {
    let ramp = TestImage.ramp(format)
    let picture = try StillDecoder().picture(file(ramp, .tiff))
    #expect(picture.format == (format.layout == .rgba ? .rgba8 : .rgb8))
    #expect(
      picture.size == ramp.size
        && picture.bytesPerRow == picture.size.width * (format.layout == .rgba ? 4 : 3))
    for (x, y) in [(0, 0), (16, 10), (32, 20)] {
      for channel in 0..<picture.format.layout.channels {
        let source = format.layout == .gray ? 0 : channel
        let expected = ramp.sample(x: x, y: y, channel: source)
        // Half a level of rounding for each of two steps.
        #expect(abs(picture.sample(x: x, y: y, channel: channel) - expected) < 1.01 / 255)
      }
    }
  }

  @Test func itIsAsLargeAsAsked() throws {
    let file = try file(TestImage.ramp(.rgb8, width: 40, height: 20))
    let decoder = StillDecoder()
    #expect(try decoder.picture(file).size == Size(width: 40, height: 20))
    let small = Size(width: 11, height: 33)
    #expect(try decoder.picture(file, .exact(small)).size == small)
    #expect(try decoder.mask(file, .exact(small)).size == small)
    #expect(try decoder.picture(file, .width(100)).size == Size(width: 100, height: 50))
    #expect(try decoder.picture(file, .width(1)).size == Size(width: 1, height: 1))
  }

  @Test func scalingKeepsColorsInPlace() throws {
    let file = try file(TestImage.ramp(.rgba8, width: 64, height: 64))
    let own = try StillDecoder().picture(file)
    let large = try StillDecoder().picture(file, .width(128))
    for (x, y) in [(10, 10), (31, 50), (55, 20)] {
      for channel in 0..<4 {
        let expected = own.sample(x: x, y: y, channel: channel)
        #expect(abs(large.sample(x: 2 * x, y: 2 * y, channel: channel) - expected) < 0.02)
      }
    }
  }

  @Test(arguments: 1...8) func aPhotoIsTurnedUprightScaledOrNot(orientation: Int) throws {
    let photo = StillSource.bytes(try OrientationTests.photo(orientation))
    let seen = OrientationTests.seen[orientation - 1]
    #expect(OrientationTests.quarters(of: try StillDecoder().picture(photo)) == seen)
    let scaled = try StillDecoder().picture(photo, .exact(Size(width: 24, height: 24)))
    #expect(OrientationTests.quarters(of: scaled) == seen)
  }

  @Test func aMaskIsLumaTimesAlpha() throws {
    // Rec. 709: 0.2126, 0.7152 and 0.0722 of 255 are 54.2, 182.4 and 18.4.
    let colors: [([Float], UInt8)] = [
      ([1, 0, 0, 1], 54), ([0, 1, 0, 1], 182), ([0, 0, 1, 1], 18), ([1, 1, 1, 1], 255),
      ([0, 0, 0, 1], 0), ([1, 1, 1, 0.2], 51), ([1, 1, 1, 0], 0),
    ]
    var image = Image(zeros: Size(width: colors.count, height: 2), format: .rgba8)
    for (x, (color, _)) in colors.enumerated() {
      for y in 0..<2 {
        for channel in 0..<4 { image.setSample(color[channel], x: x, y: y, channel: channel) }
      }
    }
    let mask = try StillDecoder().mask(file(image))
    #expect(mask.format == .gray8 && mask.size == image.size)
    #expect(mask.bytes == colors.map(\.1) + colors.map(\.1))
    let gray = TestImage.ramp(.gray8)
    #expect(try StillDecoder().mask(file(gray)).bytes == gray.bytes)
  }

  @Test func errorsNameTheFile() throws {
    let scratch = Scratch()
    let missing = scratch / "none.png"
    #expect(throws: DecodeError.missing(path: missing)) {
      try StillDecoder().picture(.file(missing))
    }
    let text = scratch.add("text.png", Array("no image".utf8))
    #expect(throws: DecodeError.unknownFormat(name: text, accepted: StillFormat.allCases)) {
      try StillDecoder().mask(.file(text), .width(9))
    }
    let whole = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png)
    let cut = scratch.add("cut.png", Array(whole.prefix(whole.count / 2)))
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder().picture(.file(cut), .width(9))
    }
    #expect(error?.description.hasPrefix(cut) == true)
  }

  @Test func thePixelLimitHoldsForWhatItBecomes() throws {
    let file = try file(TestImage.ramp(.rgb8, width: 40, height: 20))
    let decoder = StillDecoder(DecodeOptions(maxPixels: 800))
    #expect(try decoder.picture(file).size.area == 800)
    let size = Size(width: 41, height: 20)
    #expect(throws: DecodeError.tooManyPixels(name: "the given bytes", size: size, limit: 800)) {
      try decoder.picture(file, .exact(size))
    }
  }
}
