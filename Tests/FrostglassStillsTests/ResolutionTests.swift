import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// What a file says of its size when printed, and what it does not say.
@Suite struct ResolutionTests {
  private static let image = TestPicture.ramp(.rgb8, width: 40, height: 24)
  private static let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)

  private func metadata(_ file: [UInt8]) throws -> StillMetadata {
    try StillDecoder().decode(.bytes(file)).metadata
  }

  /// Nobody said 72 pixels per inch; a TIFF has to have something.
  @Test(arguments: StillFormat.allCases.filter { $0 != .tiff && $0 != .apng })
  func nothingIsMadeUp(_ format: StillFormat) throws {
    let plain = try StillEncoder().encode(Self.image, as: format)
    #expect(try metadata(plain).resolution == nil)
    #expect(!plain.contains(text: "pHYs"))
    guard format == .jpeg || format == .webp || format == .png else { return }
    // Without a word on it, other things are kept.
    let said = StillMetadata(xmp: Self.xmp)
    let kept = try StillEncoder().encode(Self.image, metadata: said, as: format)
    let again = try metadata(kept)
    #expect(again.resolution == nil && again.exif == nil && again.xmp == Self.xmp, "\(again)")
    #expect(!kept.contains(text: "pHYs") && !kept.contains(text: "Exif"))
    #expect(!kept.contains(text: "EXIF"))
    // From one file to the next.
    let twice = try MetadataTests.saved(kept, as: format)
    #expect(try metadata(twice).resolution == nil && !twice.contains(text: "pHYs"))
    #expect(try StillDecoder().decode(.bytes(twice)).image.size == Self.image.size)
  }

  /// EXIF of which nothing is the resolution stays as it is.
  @Test(arguments: [StillFormat.jpeg, .webp]) func exifGetsNone(_ format: StillFormat) throws {
    var exif = TIFFFile()
    exif.setFirst(exif.appendDirectory([.text(0x010F, "Lumen")]))
    let said = StillMetadata(exif: exif.bytes)
    let file = try StillEncoder().encode(Self.image, metadata: said, as: format)
    let again = try metadata(file)
    #expect(again.resolution == nil && again.exif?.contains(text: "Lumen") == true, "\(again)")
    #expect(try StillDecoder().decode(.bytes(file)).image.size == Self.image.size)
  }

  /// 72 pixels per inch may be somebody's word.
  @Test(arguments: [StillFormat.jpeg, .png, .tiff, .bmp])
  func theUsualOneIsKeptWhereItIsSaid(_ format: StillFormat) throws {
    let said = StillMetadata(resolution: .usual)
    let file = try StillEncoder().encode(Self.image, metadata: said, as: format)
    for bytes in [file, try MetadataTests.saved(file, as: format)] {
      let found = try #require(try metadata(bytes).resolution)
      #expect(abs(found.horizontal - 72 / 25.4) < 0.03)
    }
  }
}
