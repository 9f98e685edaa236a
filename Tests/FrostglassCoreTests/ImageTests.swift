import FrostglassCore
import Testing
import TestSupport

struct ImageTests {
  @Test(arguments: PixelFormat.all)
  func samplesAreReadAsWritten(format: PixelFormat) {
    let image = TestImages.make(3, 2, format) { x, y, c in Float(x + 3 * y + c) / 8 }
    for (x, y) in [(0, 0), (2, 1), (1, 0)] {
      for channel in 0..<format.layout.channels {
        let expected = Float(x + 3 * y + channel) / 8
        let step = format.depth == .float32 ? 0 : 0.501 / format.depth.fullScale
        #expect(abs(image.sample(x: x, y: y, channel: channel) - expected) <= step)
      }
    }
  }

  @Test func rowsMayHaveGaps() throws {
    let bytes: [UInt8] = [10, 20, 99, 99, 30, 40]
    let image = try Image(
      size: Size(width: 2, height: 2), format: .gray8, bytesPerRow: 4, bytes: bytes)
    #expect(image.sample(x: 1, y: 1, channel: 0) == 40 / Float(255))
  }

  @Test func impossibleImagesAreRefused() {
    let size = Size(width: 2, height: 2)
    #expect(throws: ImageError.tooFewBytes(5, needed: 6)) {
      try Image(size: size, format: .gray8, bytesPerRow: 4, bytes: [UInt8](repeating: 0, count: 5))
    }
    #expect(throws: ImageError.strideTooSmall(1, needed: 2)) {
      try Image(size: size, format: .gray8, bytesPerRow: 1, bytes: [0, 0, 0, 0])
    }
    #expect(throws: ImageError.self) {
      try Image(size: Size(width: .max, height: 2), format: .rgb8, bytes: [0])
    }
    #expect(throws: ImageError.emptySize(Size(width: 0, height: 2))) {
      try Image(size: Size(width: 0, height: 2), format: .gray8, bytes: [])
    }
  }

  @Test func comparisonFindsTheWorstPixel() throws {
    let black = TestImages.flat(5, 4, .rgb8, [0, 0, 0])
    var other = black
    other.setSample(1, x: 3, y: 2, channel: 1)
    let comparison = try ImageComparison(black, other)
    #expect(comparison.maximum == 255)
    #expect(comparison.worstPixel.x == 3 && comparison.worstPixel.y == 2)
    #expect(try ImageComparison(black, black).psnr == .infinity)
    #expect(throws: ComparisonError.self) {
      try ImageComparison(black, TestImages.flat(4, 4, .rgb8, [0, 0, 0]))
    }
  }

  @Test func meansCountOnlyChannelsThatAreThere() throws {
    for format in [PixelFormat.gray8, .rgb8] {
      let black = TestImages.flat(3, 3, format, [0, 0, 0])
      let white = TestImages.flat(3, 3, format, [1, 1, 1])
      let comparison = try ImageComparison(black, white)
      #expect(comparison.mean == 255)
      #expect(comparison.psnr == 0)
    }
  }

  @Test func comparisonIgnoresInvisibleColors() throws {
    let red = TestImages.flat(2, 2, .rgba8, [1, 0, 0, 0])
    let blue = TestImages.flat(2, 2, .rgba8, [0, 0, 1, 0])
    #expect(try ImageComparison(red, blue).maximum == 0)
  }

  @Test func aValueThatIsNoNumberIsAsWrongAsCanBe() throws {
    let format = PixelFormat(.gray, .float32)
    let broken = TestImages.flat(1, 1, format, [.nan])
    #expect(try ImageComparison(broken, TestImages.flat(1, 1, format, [0])).maximum == 255)
  }
}
