import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// Colors that files describe otherwise than by curves and primaries in an ICC profile.
@Suite struct ColorMeaningTests {
  /// A PNG of one color with chunks behind its header.
  private static func png(_ chunks: [(String, [UInt8])], _ color: [UInt8] = [200, 60, 40]) throws
    -> [UInt8]
  {
    let format = color.count == 1 ? PixelFormat.gray8 : .rgb8
    let pixels = (0..<16).flatMap { _ in color }
    let image = try Image(size: Size(width: 4, height: 4), format: format, bytes: pixels)
    let plain = try StillEncoder().encode(image, as: .png)
    let end = PNGFile.signature.count + 25
    return plain[..<end] + chunks.flatMap { PNGFile.chunk($0.0, $0.1) } + plain[end...]
  }

  private static func gamma(_ value: Int) -> (String, [UInt8]) {
    ("gAMA", PNGFile.bigEndian32(value))
  }

  private static let adobeRGB = (
    "cHRM",
    [31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000].flatMap { PNGFile.bigEndian32($0) }
  )

  private static func levels(
    _ file: [UInt8], _ choice: DecodeOptions.Profile = .srgb
  ) throws -> [Int] {
    let still = try StillDecoder(DecodeOptions(profile: choice)).decode(.bytes(file))
    return still.image.pixel(2, 2).map { Int(($0 * 255).rounded()) }
  }

  private static func differ(_ found: [Int], _ wanted: [Int], by most: Int = 2) -> Bool {
    found.count != wanted.count || zip(found, wanted).contains { abs($0 - $1) > most }
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }

  // MARK: Tables

  /// A profile with a table that swaps red and blue, for one intent; red, green and blue in L*a*b*.
  private static func tables(_ tag: String) -> [UInt8] {
    let corners: [[Double]] = (0..<8).map { corner in
      let red = Double(corner >> 2), green = Double(corner >> 1 & 1), blue = Double(corner & 1)
      return LabColor.encoded(red, green, blue)
    }
    var table = Array("mft2".utf8) + [0, 0, 0, 0, 3, 3, 2, 0]
    for value in [1, 0, 0, 0, 1, 0, 0, 0, 1] { table += PNGFile.bigEndian32(value << 16) }
    table += [0, 2, 0, 2]
    for _ in 0..<3 { table += [0, 0, 255, 255] }
    for value in corners.joined() {
      let number = Int(value.rounded())
      table += [UInt8(number >> 8), UInt8(number & 255)]
    }
    for _ in 0..<3 { table += [0, 0, 255, 255] }
    return ICCProfile.tables([(tag, table)])
  }

  @Test(arguments: ["A2B0", "A2B1", "A2B2"], [StillFormat.png, .tiff, .jpeg, .webp])
  func tablesForOneIntentAreUsed(tag: String, format: StillFormat) throws {
    let image = TestImage.red
    let file = try StillEncoder(EncodeOptions(quality: 100)).encode(
      image, metadata: StillMetadata(iccProfile: Self.tables(tag)), as: format)
    #expect(!Self.differ(try Self.levels(file), [0, 0, 255], by: 8))
  }

  // MARK: Numbers

  @Test(
    arguments: [
      ([gamma(100_000)], [229, 133, 110]), ([gamma(45455), adobeRGB], [231, 57, 34]),
      ([("sRGB", [0]), gamma(100_000)], [200, 60, 40]), ([gamma(45455)], [200, 60, 40]),
      ([("cICP", [12, 13, 0, 1])], [218, 42, 23]), ([("cICP", [1, 8, 0, 1])], [229, 133, 110]),
      ([("cICP", [12, 13, 0, 1]), gamma(100_000)], [218, 42, 23]),
      ([("cICP", [1, 13, 0, 1]), adobeRGB], [200, 60, 40]),
    ] as [([(String, [UInt8])], [Int])])
  func chunksOfAPNGSayItsColors(chunks: [(String, [UInt8])], wanted: [Int]) throws {
    let file = try Self.png(chunks)
    #expect(!Self.differ(try Self.levels(file), wanted))
    // Kept, it looks the same.
    let kept = try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(file))
    #expect(kept.image.bytes.prefix(3) == [200, 60, 40])
    let saved = try StillEncoder().encode(kept.image, metadata: kept.metadata, as: .png)
    #expect(!Self.differ(try Self.levels(saved), wanted))
  }

  /// Near black, a power of 2.2 would make 3 of 10.
  @Test func primariesOfSRGBMayBeRounded() throws {
    let rounded = [31269, 32899, 63999, 33001, 30000, 60000, 15000, 5999]
    let places = ("cHRM", rounded.flatMap { PNGFile.bigEndian32($0) })
    #expect(try Self.levels(Self.png([Self.gamma(45454), places], [10, 10, 10])) == [10, 10, 10])
  }

  /// Near black, light makes the largest steps.
  @Test(arguments: [(1, 13), (2, 22), (4, 34), (64, 137)])
  func gammaOfAGrayPNGIsApplied(sample: UInt8, wanted: Int) throws {
    let found = try Self.levels(Self.png([Self.gamma(100_000)], [sample]))
    #expect(!Self.differ(found, [wanted], by: 1))
  }

  /// Those of ProPhoto enclose more than there is to see; blue is of no light.
  @Test func imaginaryPrimariesAreConverted() throws {
    let proPhoto = [34570, 35850, 73470, 26530, 15960, 84040, 3660, 10]
    let file = try Self.png([
      ("cHRM", proPhoto.flatMap { PNGFile.bigEndian32($0) }), Self.gamma(55556),
    ])
    #expect(try StillDecoder().header(of: .bytes(file)).remarks.isEmpty)
    #expect(!Self.differ(try Self.levels(file), [255, 0, 43]))
  }

  @Test(arguments: [([11, 17], [255, 255, 255]), ([10, 8], [255, 255, 255]), ([1, 9], nil)])
  func codePointsAreConvertedOrNotSupported(points: [UInt8], wanted: [Int]?) throws {
    let file = try Self.png([("cICP", points + [0, 1])], [255, 255, 255])
    let remarks = try StillDecoder().header(of: .bytes(file)).remarks
    #expect(
      remarks
        == (wanted != nil
          ? []
          : [
            "has color code points that are not supported (primaries 1, transfer 9); its colors are "
              + "taken as sRGB"
          ]))
    if let wanted { #expect(!Self.differ(try Self.levels(file), wanted)) }
  }

  @Test func theCurveOfDigitalCinemaIsApplied() throws {
    let file = try Self.png([("cICP", [1, 17, 0, 1])], [128, 128, 128])
    // 52.37 / 48 of (128 / 255)^2.6, encoded as sRGB.
    #expect(!Self.differ(try Self.levels(file), [118, 118, 118]))
  }

  @Test(arguments: [(UInt8(16), "PQ"), (18, "HLG")])
  func hdrTransfersAreRefusedByName(transfer: UInt8, name: String) throws {
    let file = try Self.png([("cICP", [9, transfer, 0, 1])])
    let error = try #require(throws: DecodeError.self) { try Self.levels(file) }
    #expect(error == .hdr(name: "the given bytes", transfer: name))
  }

  @Test func codePointsOfAnAVIFAreAppliedAndKept() throws {
    let file = Self.bytes(Self.displayP3)
    #expect(!Self.differ(try Self.levels(file), [218, 42, 23], by: 3))
    let kept = try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(file))
    let saved = try StillEncoder().encode(kept.image, metadata: kept.metadata, as: .avif)
    let box = Array("colrnclx".utf8) + [0, 12, 0, 13]
    #expect(saved.indices.contains { saved[$0...].starts(with: box) })
    #expect(!Self.differ(try Self.levels(saved), [218, 42, 23], by: 4))
  }

  @Test(arguments: [StillFormat.heic, .jpeg, .webp, .tiff])
  func keptCodePointsOfAPNGLookTheSame(in format: StillFormat) throws {
    let file = try Self.png([("cICP", [12, 13, 0, 1])])
    let kept = try StillDecoder(DecodeOptions(profile: .keep)).decode(.bytes(file))
    let saved = try StillEncoder().encode(kept.image, metadata: kept.metadata, as: format)
    #expect(!Self.differ(try Self.levels(saved), [218, 42, 23], by: 4))
  }

  @Test func premultipliedColorsAreDividedByAlpha() throws {
    #expect(!Self.differ(try Self.levels(Self.bytes(Self.premultiplied)), [200, 100, 50, 128]))
  }

  // MARK: Profiles that are not used

  @Test(arguments: [StillFormat.png, .jpeg, .tiff])
  func aProfileThatIsCutOffIsRemarked(format: StillFormat) throws {
    let profile = Array(ICCProfile.rgb(.linear).dropLast(40))
    let file = try StillEncoder(EncodeOptions(quality: 100)).encode(
      TestImage.red, metadata: StillMetadata(iccProfile: profile), as: format)
    let header = try StillDecoder().header(of: .bytes(file))
    #expect(
      header.remarks == [
        "has a color profile that is damaged or incomplete; its colors are taken as sRGB"
      ] || format == .png && header.remarks.isEmpty)
    #expect(!Self.differ(try Self.levels(file), [255, 0, 0]))
  }

  @Test func aProfileForOtherSamplesIsNotCalledDamaged() throws {
    var profile = ICCProfile.rgb(.linear)
    profile.replaceSubrange(16..<20, with: Array("HSV ".utf8))
    let plain = try StillEncoder().encode(TestImage.red, as: .jpeg)
    let file = JPEGFile.inserting(
      0xE2, Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile, into: plain)
    #expect(
      try StillDecoder().header(of: .bytes(file)).remarks == [
        "has a color profile for HSV, which does not fit its pixels; its colors are taken as sRGB"
      ])
  }

  @Test func aDamagedProfileOfAPNGIsRemarked() throws {
    let header = try StillDecoder().header(of: .bytes(Self.png([("iCCP", [120, 0, 0, 1, 2])])))
    #expect(header.remarks.count == 1)
  }

  @Test func grayWithAProfileForColorsGoesThroughIt() throws {
    let profile = ICCProfile.rgb(.linear)
    let entry = TIFFFile.Entry.bytes(34675, profile)
    let file = TIFFFile.picture(
      width: 4, height: 4, bits: 8, samples: 1, photometric: 1, more: [entry],
      data: [UInt8](repeating: 64, count: 16))
    #expect(!Self.differ(try Self.levels(file), [137]))
  }

  // MARK: TIFF

  @Test(arguments: [
    (9, 8, [153, 163, 108]), (9, 16, [39168, 41728, 27648]), (8, 8, [153, 35, 236]),
    (8, 16, [39321, 8960, 60416]),
  ])
  func labIsRelativeToD50(photometric: Int, bits: Int, samples: [Int]) throws {
    let data = (0..<16).flatMap { _ in samples.flatMap { TIFFFile.little($0, bits / 8) } }
    let file = TIFFFile.picture(
      width: 4, height: 4, bits: bits, samples: 3, photometric: photometric, data: data)
    #expect(!Self.differ(try Self.levels(file), [191, 121, 181]))
  }

  @Test func ituLabIsRefusedByName() throws {
    let file = TIFFFile.picture(
      width: 1, height: 1, bits: 8, samples: 3, photometric: 10, data: [1, 2, 3])
    let error = try #require(throws: DecodeError.self) { try Self.levels(file) }
    #expect(
      error == .unsupportedKind(name: "the given bytes", found: "a TIFF of ITU L*a*b* colors"))
  }

  @Test(arguments: [([0], [200, 60, 40]), ([2], [200, 60, 40, 128])])
  func anExtraSampleIsAlphaIfTheFileSaysSo(extra: [Int], wanted: [Int]) throws {
    let data = (0..<16).flatMap { _ -> [UInt8] in [200, 60, 40, 128] }
    let file = TIFFFile.picture(
      width: 4, height: 4, bits: 8, samples: 4, photometric: 2, more: [.short(338, extra[0])],
      data: data)
    #expect(try Self.levels(file) == wanted)
    let remarks = try StillDecoder().header(of: .bytes(file)).remarks
    #expect(remarks.isEmpty == (extra == [2]))
  }

  @Test(arguments: [StillFormat.gif, .ppm, .pfm])
  func floatingPointBecomesSRGBWhereNoProfileIsHeld(format: StillFormat) throws {
    let gray = TestImage.constant(64 / 255, PixelFormat(.rgb, .float32))
    let tiff = try StillEncoder().encode(
      gray, metadata: StillMetadata(iccProfile: ICCProfile.rgb(.linear)), as: .tiff)
    for choice in DecodeOptions.Profile.allCases {
      let still = try StillDecoder(DecodeOptions(profile: choice)).decode(.bytes(tiff))
      let wanted = format.pixelFormat(preserving: still.image.format)
      let image = TestImage.constant(64 / 255, wanted)
      if choice == .keep {
        #expect(throws: EncodeError.profile(format: format)) {
          try StillEncoder().encode(image, metadata: still.metadata, as: format)
        }
      } else {
        let saved = try StillEncoder().encode(image, metadata: still.metadata, as: format)
        // A GIF is read with alpha.
        #expect(!Self.differ(Array(try Self.levels(saved).prefix(3)), [137, 137, 137]))
      }
    }
  }

  /// 32×32 AVIF, nclx 12/13, (201, 60, 40) throughout. Made with avifenc.
  private static let displayP3 = """
    00000020667479706176696600000000617669666d6966316d6961664d413141000000f26d65746100000000
    0000002868646c720000000000000000706963740000000000000000000000006c696261766966000000000e
    7069746d0000000000010000001e696c6f6300000000440000010001000000010000011a0000002300000028
    69696e660000000000010000001a696e6665020000000001000061763031436f6c6f72000000006a69707270
    0000004b6970636f000000146973706500000000000000200000002000000010706978690000000003080808
    0000000c617631438120000000000013636f6c726e636c78000c000d0006800000001769706d610000000000
    000001000104010283040000002b6d64617412000a0838113ff610c0d0693215100000002f3ad188ff046e2b
    f4ed7c933916d33360
    """

  /// 32×32 AVIF, (200, 100, 50) under an alpha of 128 and premultiplied by it. Made with avifenc.
  private static let premultiplied = """
    00000020667479706176696600000000617669666d6966316d6961664d4131410000019b6d65746100000000
    0000002868646c720000000000000000706963740000000000000000000000006c696261766966000000000e
    7069746d0000000000010000002c696c6f630000000044000002000100000001000001d20000002300020000
    0001000001c30000000f0000004269696e660000000000020000001a696e6665020000000001000061763031
    436f6c6f72000000001a696e6665020000000002000061763031416c70686100000000286972656600000000
    0000000e7072656d0001000100020000000e6175786c000200010001000000c3697072700000009d6970636f
    0000001469737065000000000000002000000020000000107069786900000000030808080000000c61763143
    8120000000000013636f6c726e636c780001000d0006800000000e706978690000000001080000000c617631
    4381001c0000000038617578430000000075726e3a6d7065673a6d706567423a636963703a73797374656d73
    3a617578696c696172793a616c706861000000001e69706d6100000000000000020001040102830400020401
    0586070000003a6d64617412000a0518113ff615320410002d4012000a0838113ff61010d069321510000000
    2f3acb7b0bc11b8a3964df24ce465b6780
    """
}

/// Colors in the connection space of a profile with tables.
private enum LabColor {
  /// The color that has red and blue swapped, in the 16-bit encoding of version 2, for full colors of sRGB.
  static func encoded(_ red: Double, _ green: Double, _ blue: Double) -> [Double] {
    let x = 0.4360747 * blue + 0.3850649 * green + 0.1430804 * red
    let y = 0.2225045 * blue + 0.7168786 * green + 0.0606169 * red
    let z = 0.0139322 * blue + 0.0971045 * green + 0.7141733 * red
    let (fx, fy, fz) = (bent(x / 0.9642), bent(y), bent(z / 0.8249))
    return [
      (116 * fy - 16) * 652.8, (500 * (fx - fy) + 128) * 256, (200 * (fy - fz) + 128) * 256,
    ].map { min(max($0, 0), 65535) }
  }

  private static func bent(_ value: Double) -> Double {
    value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116
  }
}
