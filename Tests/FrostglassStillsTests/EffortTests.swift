import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Lossless WebP and JPEG XL, and how much time may go into small files.
@Suite struct EffortTests {
  /// Noise of which no lossy compression keeps every sample.
  private static let noise: Image = {
    var image = Image(zeros: Size(width: 40, height: 60), format: .rgb8)
    var state: UInt64 = 7
    for index in image.bytes.indices {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      image.bytes[index] = UInt8(state >> 56)
    }
    return image
  }()

  @Test(arguments: [StillFormat.webp, .jxl])
  func whatIsLosslessKeepsEveryPixel(format: StillFormat) throws {
    let options = EncodeOptions(quality: 1, lossless: true)
    let bytes = try StillEncoder(options).encode(Self.noise, as: format)
    #expect(try StillDecoder().decode(.bytes(bytes)).image.bytes == Self.noise.bytes)
    let lossy = try StillEncoder().encode(Self.noise, as: format)
    // What is left out of noise is seen, and is most of it.
    let kept = try StillDecoder().decode(.bytes(lossy)).image.bytes
    let differences = zip(kept, Self.noise.bytes).map { abs(Int($0) - Int($1)) }
    #expect(kept.count == Self.noise.bytes.count && differences.max() ?? 0 > 8)
    #expect(lossy.count < bytes.count)
  }

  @Test(arguments: StillFormat.eightBit, [0, 3, 9])
  func everyEffortGivesTheSameKindOfImage(format: StillFormat, effort: Int) throws {
    let ramp = TestImage.ramp(.rgb8, width: 64, height: 48)
    let bytes = try StillEncoder(EncodeOptions(effort: effort)).encode(ramp, as: format)
    let image = try StillDecoder().decode(.bytes(bytes)).image
    if StillFormat.exact.contains(format) { #expect(image.bytes == ramp.bytes) }
    // GIF dithers to 256 colors.
    #expect(image.largestDifference(from: ramp) < (format == .gif ? 0.2 : 0.1))
  }

  @Test func moreEffortMakesASmallerPNG() throws {
    let ramp = TestImage.ramp(.rgb8, width: 300, height: 200)
    let counts = try [1, 9].map {
      try StillEncoder(EncodeOptions(effort: $0)).encode(ramp, as: .png).count
    }
    #expect(counts[1] < counts[0])
  }

  /// The default effort depends on the image's size, because zlib takes most of a small image's time.
  @Test(arguments: [(300, 200, 4), (512, 512, 4), (513, 512, 5)], [StillFormat.png, .apng])
  func aPNGsEffortGoesByItsSize(_ size: (Int, Int, Int), _ format: StillFormat) throws {
    var picture = TestImages.noise(16, size.1)
    picture = TestImages.make(size.0, size.1, .rgb8) { x, y, channel in
      picture.sample(x: x * y % 16, y: y, channel: channel) / 8 + Float(x + 2 * y) / 2000
    }
    func file(_ effort: Int?) throws -> [UInt8] {
      try StillEncoder(EncodeOptions(effort: effort)).encode(picture, as: format)
    }
    let files = try [4, 5, 6].map { try file($0) }
    #expect(Set(files).count == 3)
    #expect(try file(nil) == files[size.2 - 4])
  }

  /// From an effort of 2 on libaom takes blurred images for screens, and five times the memory.
  @Test func memoryOfAVIFGoesByTheEffort() {
    func memory(_ effort: Int?) -> Int {
      StillEncoder(EncodeOptions(effort: effort)).memory(
        Size(width: 6000, height: 4000), .rgb8, as: .avif, byRows: true)
    }
    #expect(memory(nil) == memory(1) && memory(nil) == memory(0))
    #expect(memory(nil) < 750 << 20)
    // An image of 24 megapixels took 2.5 GB.
    #expect(memory(2) > 2_500_000_000 && memory(9) > 2_500_000_000)
  }

  @Test(arguments: [-1, 10]) func anotherEffortIsRefused(effort: Int) {
    #expect(throws: EncodeError.invalidEffort(effort)) {
      try StillEncoder(EncodeOptions(effort: effort)).encode(Self.noise, as: .png)
    }
  }
}
