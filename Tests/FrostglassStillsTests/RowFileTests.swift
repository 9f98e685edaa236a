import FrostglassCore
import FrostglassStills
import Testing

/// BMP, PPM and PFM, which are read and written without libvips: files made by hand.
@Suite struct RowFileTests {
  private static func little(_ number: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A BMP whose header may be longer than 40 bytes by what `more` holds.
  private static func bitmap(
    _ width: Int, _ height: Int, bits: Int, compression: Int = 0, colors: Int = 0,
    more: [UInt8] = [], palette: [UInt8] = [], _ rows: [UInt8]
  ) -> [UInt8] {
    let start = 54 + more.count + palette.count
    return Array("BM".utf8) + little(start + rows.count) + little(0) + little(start)
      + little(40 + more.count) + little(width) + little(height) + little(1, 2) + little(bits, 2)
      + little(compression) + little(rows.count) + little(4000) + little(2000) + little(colors)
      + little(0) + more + palette + rows
  }

  private static func decoded(_ file: [UInt8]) throws -> Image {
    try StillDecoder().decode(.bytes(file)).image
  }

  private static func decoded(_ text: String) throws -> Image { try decoded(Array(text.utf8)) }

  /// Refused as damaged, and by the header alone.
  private static func damage(_ file: [UInt8]) -> String {
    let error = #expect(throws: DecodeError.self) { try StillDecoder().header(of: .bytes(file)) }
    guard case .damaged(_, let reason) = error else { return "\(String(describing: error))" }
    return reason
  }

  @Test func aBMPOf24BitsHasItsLowestRowFirstAndBlueBeforeRed() throws {
    let rows: [UInt8] = [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]
    let image = try Self.decoded(Self.bitmap(2, 2, bits: 24, rows))
    #expect(image.format == .rgb8)
    #expect(image.bytes == [9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4])
    // A height below 0 means from the top; what fills up the last row may be missing.
    let turned = try Self.decoded(Self.bitmap(2, -2, bits: 24, rows.dropLast(2)))
    #expect(turned.bytes == [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10])
    let metadata = try StillDecoder().decode(.bytes(Self.bitmap(2, 2, bits: 24, rows))).metadata
    #expect(metadata.resolution == StillMetadata.Resolution(horizontal: 4, vertical: 2))
  }

  @Test(arguments: [1, 4, 8]) func aBMPHasAPalette(bits: Int) throws {
    let palette: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]
    let row: [Int: [UInt8]] = [1: [0b0110_0000], 4: [0x01, 0x10], 8: [0, 1, 1, 0]]
    let bytes = try #require(row[bits]) + [0, 0, 0].prefix(bits == 8 ? 0 : bits == 4 ? 2 : 3)
    let image = try Self.decoded(
      Self.bitmap(4, 1, bits: bits, colors: 2, palette: palette, bytes))
    #expect(image.bytes == [255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 0, 0])
    // One of grays makes a gray image; numbers beyond it are black.
    let gray = try Self.decoded(
      Self.bitmap(4, 1, bits: bits, colors: 1, palette: [200, 200, 200, 0], bytes))
    #expect(gray.format == .gray8 && gray.bytes == [200, 0, 0, 200])
  }

  @Test func masksSayWhereASampleIs() throws {
    // Five, six and five bits behind a short header.
    let short = Self.little(0xF800) + Self.little(0x07E0) + Self.little(0x001F)
    let image = try Self.decoded(
      Self.bitmap(
        2, 1, bits: 16, compression: 3, palette: short,
        Self.little(0xF800, 2) + Self.little(0x07E0 | 16, 2)))
    #expect(image.bytes == [255, 0, 0, 0, 255, 132])
    // Without masks five each.
    let plain = try Self.decoded(Self.bitmap(2, 1, bits: 16, Self.little(0x7FFF_03E0)))
    #expect(plain.bytes == [0, 255, 0, 255, 255, 255])
    // Alpha, in a longer header.
    let long = Self.little(0xFF) + Self.little(0xFF00) + Self.little(0xFF0000)
    let file = Self.bitmap(
      1, 1, bits: 32, compression: 3, more: long + Self.little(0xFF00_0000), [1, 2, 3, 128])
    #expect(try Self.decoded(file).format == .rgba8)
    #expect(try Self.decoded(file).bytes == [1, 2, 3, 128])
    // Of 32 bits without masks the fourth byte means nothing.
    let filled = try Self.decoded(Self.bitmap(1, 1, bits: 32, [1, 2, 3, 0]))
    #expect(filled.format == .rgb8 && filled.bytes == [3, 2, 1])
  }

  @Test func whatIsNotReadIsNamed() {
    refuse(Self.bitmap(4, 1, bits: 8, compression: 1, [0, 1]), "a BMP with run-length coding")
    refuse(Self.bitmap(4, 1, bits: 4, compression: 2, [0, 1]), "a BMP with run-length coding")
    refuse(Self.bitmap(4, 1, bits: 0, compression: 4, [0xFF, 0xD8]), "a BMP that wraps a JPEG")
    let old: [[UInt8]] = [30, 0, 26, 12, 65537, 0x0018_0001].map { Self.little($0) }
    refuse(Array("BM".utf8) + old.joined(), "a BMP of OS/2")
  }

  private func refuse(_ file: [UInt8], _ words: String) {
    let error = #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(file)) }
    #expect(error == .unsupportedKind(name: "the given bytes", found: words))
    #expect(error?.description.contains("this is \(words), which is not read") == true)
  }

  /// Gigabytes that a header claims are looked for in the file, and nothing is taken for them.
  @Test func aHeaderThatClaimsMoreThanThereIsLies() {
    let some = [UInt8](repeating: 0, count: 500)
    var files = [
      Self.bitmap(20000, 20000, bits: 24, some),
      Self.bitmap(20000, 20000, bits: 1, palette: [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3]),
    ]
    files += [
      "P6 20000 20000 255\n123", "P3 20000 20000 255\n1 2 3 4 5", "P4 20000 20000\n11111",
      "P1 20000 20000\n11111", "PF 20000 20000 -1\n1111",
    ].map { Array($0.utf8) }
    for file in files {
      let reason = Self.damage(file)
      #expect(reason.hasPrefix("its header claims 20000×20000 pixels"), "\(reason)")
    }
  }

  @Test(arguments: [
    "P6", "P6 ", "P6 2", "P6 2 2", "P6 2 2 0\n123456789012", "P6 2 2 65536\n", "P6 -2 2 255\n",
    "P6 0 2 255\n", "P6 99999999999 2 255\n", "PF 2 2\n", "PF 2 2 0\n", "PF 2 2 nan\n",
    "P1 2 2\n1 0 2 1", "P2 2 1 9\n1 x", "P2 2 1 9\n1 10", "P6 9999999 1000000000 65535\n",
    "PF 1000000000 1000000000 -1\n",
  ])
  func aHeaderThatMakesNoSenseIsDamage(text: String) {
    #expect(!Self.damage(Array(text.utf8)).isEmpty)
  }

  @Test func brokenBitmapsAreDamaged() {
    let good = Self.bitmap(2, 2, bits: 24, [UInt8](repeating: 7, count: 16))
    // The header's length, the pixels' place, width, bits, compression.
    for (place, value) in [(14, 41), (10, 20), (18, -2), (18, 0), (22, 0), (28, 5), (30, 9)] {
      var broken = good
      let count = place == 28 ? 2 : 4
      broken.replaceSubrange(place..<place + count, with: Self.little(value, count))
      let error = #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(broken)) }
      #expect(error != nil, "\(place)")
    }
    #expect(
      Self.damage(Self.bitmap(2, 1, bits: 8, palette: [1, 2, 3], [1, 2])).contains("palette"))
    #expect(
      Self.damage(
        Self.bitmap(1, 1, bits: 32, compression: 3, more: Self.little(0) * 4, [1, 2, 3, 4])
      ).contains("no bits"))
  }

  @Test func textsOfNumbersAreRead() throws {
    let gray = try Self.decoded("P2 # a gray one\n3 # wide\n2\n# and its most\n4\n0 1 2\n3 4 0\n")
    #expect(gray.format == .gray8 && gray.bytes == [0, 64, 128, 191, 255, 0])
    #expect(try Self.decoded("P3\n1 2\n255\n1 2 3\n4 5 6").bytes == [1, 2, 3, 4, 5, 6])
    // In bits 1 is black, and nothing has to be between them.
    #expect(try Self.decoded("P1\n3 2\n0 1 0\n110").bytes == [255, 0, 255, 0, 0, 255])
    #expect(
      try Self.decoded(Array("P4 3 2\n".utf8) + [0x40, 0xC0]).bytes == [255, 0, 255, 0, 0, 255])
    let deep = try Self.decoded("P2 2 1 1000\n0 1000")
    #expect(deep.format == PixelFormat(.gray, .uint16))
    #expect(deep.sample(x: 1, y: 0, channel: 0) == 1)
  }

  @Test func samplesOf16BitsAreBigEndianAndStretched() throws {
    let image = try Self.decoded(Array("P5 2 1 65535\n".utf8) + [0x12, 0x34, 0xFF, 0xFF])
    #expect(image.format == PixelFormat(.gray, .uint16))
    #expect(image.bytes == [0x34, 0x12, 0xFF, 0xFF])
    let half = try Self.decoded(Array("P6 1 1 3\n".utf8) + [0, 1, 9])
    // Beyond the most is the most.
    #expect(half.bytes == [0, 85, 255])
  }

  @Test func commentsAreKept() throws {
    let file = Array("P5\n# By the lake\n1 1\n255\nA".utf8)
    let metadata = try StillDecoder().decode(.bytes(file)).metadata
    #expect(metadata.texts == [StillMetadata.Text(StillMetadata.Text.comment, "By the lake")])
    #expect(metadata.leftOut(by: .ppm) == ["text Comment"])
  }

  /// A PFM holds light: 0.5 of it is a lighter gray than the middle one.
  @Test func aPFMHoldsLinearLightItsLowestRowFirst() throws {
    func file(_ values: [Float], scale: String, big: Bool) -> [UInt8] {
      Array("Pf\n1 \(values.count)\n\(scale)\n".utf8)
        + values.flatMap { value in
          let bytes = Self.little(Int(value.bitPattern))
          return big ? bytes.reversed() : bytes
        }
    }
    for big in [false, true] {
      let image = try Self.decoded(
        file([0.5, 1, 4, -0.5, .infinity], scale: big ? "1.0" : "-1.0", big: big))
      #expect(image.format == PixelFormat(.gray, .float32))
      let column = (0..<5).map { image.sample(x: 0, y: $0, channel: 0) }
      // 1.055 · 0.5^(1/2.4) − 0.055, and so on.
      for (found, wanted) in zip(column, [0, -0.735_357, 1.824_786, 1, 0.735_357] as [Float]) {
        #expect(abs(found - wanted) < 2e-5)
      }
    }
    let again = try StillEncoder().encode(
      Self.decoded(file([0.5, 4], scale: "-1", big: false)), as: .pfm)
    #expect(again.starts(with: Array("Pf\n1 2\n-1.0\n".utf8)))
    let written = again.suffix(8).withUnsafeBytes { $0.bindMemory(to: UInt8.self).map { $0 } }
    let values = [0, 4].map { place in
      Float(
        bitPattern: (0..<4).reduce(UInt32(0)) {
          $0 | UInt32(written[place + $1]) << (8 * UInt32($1))
        })
    }
    #expect(abs(values[0] - 0.5) < 1e-6 && abs(values[1] - 4) < 1e-5)
  }

  @Test func writtenFilesBeginAsOthersExpect() throws {
    let gray = try StillEncoder().encode(TestImage.ramp(.gray8, width: 5, height: 3), as: .ppm)
    #expect(gray.starts(with: Array("P5\n5 3\n255\n".utf8)) && gray.count == 11 + 15)
    let deep = try StillEncoder().encode(
      TestImage.ramp(PixelFormat(.rgb, .uint16), width: 5, height: 3), as: .ppm)
    #expect(deep.starts(with: Array("P6\n5 3\n65535\n".utf8)) && deep.count == 13 + 90)
    let bitmap = try StillEncoder().encode(TestImage.ramp(.rgb8, width: 5, height: 3), as: .bmp)
    #expect(bitmap.count == 54 + 3 * 16 && bitmap.starts(with: Array("BM".utf8) + Self.little(102)))
    let alpha = try StillEncoder().encode(TestImage.ramp(.rgba8, width: 5, height: 3), as: .bmp)
    #expect(alpha.count == 138 + 60 && alpha[14] == 124)
  }

  /// A BMP of one pixel, (200, 60, 40), with a header of 108 bytes.
  private static func calibrated(
    _ space: Int, _ endpoints: [Double], _ gammas: [Double]
  ) -> [UInt8] {
    var more = [UInt8](repeating: 0, count: 16) + little(space)
    for endpoint in endpoints { more += little(Int(endpoint * 0x1p30)) }
    for gamma in gammas { more += little(Int(gamma * 65536)) }
    return bitmap(1, 1, bits: 24, more: more, [40, 60, 200, 0])
  }

  private static let sRGB = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79]

  @Test(
    arguments: [
      (sRGB, 1.0, [229, 133, 110]), (sRGB, 2.2, [200, 60, 40]), (sRGB, 0.4545, [200, 60, 40]),
      ([Double](repeating: 0, count: 9), 0, [200, 60, 40]),
      // Adobe RGB, in amounts of light.
      (
        [0.5767, 0.2973, 0.027, 0.1856, 0.6274, 0.0707, 0.1882, 0.0753, 0.9913], 2.2, [231, 57, 34]
      ),
    ] as [([Double], Double, [Int])])
  func calibratedColorsOfABMPAreApplied(endpoints: [Double], gamma: Double, wanted: [Int]) throws {
    let file = Self.calibrated(0, endpoints, [gamma, gamma, gamma])
    let found = try Self.decoded(file).bytes
    #expect(zip(found, wanted).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(found)")
    #expect(try StillDecoder().header(of: .bytes(file)).remarks.isEmpty)
  }

  /// By the powers 1, 2.2 and 3 to light, and by the curve of sRGB back.
  @Test func gammasOfABMPMayDiffer() throws {
    let file = Self.calibrated(0, Self.sRGB, [1, 2.2, 3])
    let found = try Self.decoded(file).bytes
    #expect(zip(found, [229, 57, 13]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(found)")
    #expect(try StillDecoder().header(of: .bytes(file)).remarks.isEmpty)
  }

  @Test(
    arguments: [
      (0, [1.0, 2, 30], "has calibrated colors that are not supported"),
      (0x4C49_4E4B, [0, 0, 0], "names a file with its color profile, which is not read"),
    ] as [(Int, [Double], String)])
  func colorsOfABMPThatAreNotUsedAreRemarked(space: Int, gammas: [Double], words: String) throws {
    let file = Self.calibrated(space, Self.sRGB, gammas)
    #expect(
      try StillDecoder().header(of: .bytes(file)).remarks
        == [words + "; its colors are taken as sRGB"])
    #expect(try Self.decoded(file).bytes == [200, 60, 40])
  }

  @Test func aBMPKeepsItsProfile() throws {
    let profile = ICCProfile.rgb(.linear)
    let file = try StillEncoder().encode(
      TestImage.ramp(.rgb8, width: 5, height: 3), metadata: StillMetadata(iccProfile: profile),
      as: .bmp)
    let still = try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(file))
    #expect(still.metadata.iccProfile == profile)
    #expect(throws: EncodeError.profile(format: .ppm)) {
      try StillEncoder().encode(
        TestImage.ramp(.rgb8), metadata: StillMetadata(iccProfile: profile), as: .ppm)
    }
  }
}

private func * (bytes: [UInt8], count: Int) -> [UInt8] {
  [UInt8](repeating: bytes[0], count: bytes.count * count)
}
