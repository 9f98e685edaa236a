import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// JPEG XL: what libvips 8.14 does not do for it, and what is refused.
@Suite struct JPEGXLTests {
  private static let xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>kept</x:xmpmeta>"

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    PNGFile.bigEndian32(content.count + 8) + Array(name.utf8) + content
  }

  /// The names of the boxes of a file.
  private static func boxes(_ file: [UInt8]) -> [String] {
    var names: [String] = []
    var place = 0
    while place + 8 <= file.count {
      names.append(String(decoding: file[place + 4..<place + 8], as: UTF8.self))
      place += max(8, file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) })
    }
    return names
  }

  /// A header of so many pixels, width and height alike, and nothing behind it.
  private static func claim(_ side: Int) -> [UInt8] {
    // No multiple of 8, height in 30 bits, as wide; all the rest as usual. Lowest bits come first.
    let bits = 3 << 1 | (side - 1) << 3 | 1 << 33 | 1 << 36 | 1 << 37
    return [0xFF, 0x0A] + (0..<5).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      + [UInt8](repeating: 0, count: 40)
  }

  @Test func aBareFileAndOneInBoxesAreKnownByTheirBeginning() throws {
    let bare = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .jxl)
    #expect(bare.starts(with: [0xFF, 0x0A]))
    let boxed = try StillEncoder().encode(
      TestImage.ramp(.rgb8), metadata: StillMetadata(xmp: Array(Self.xmp.utf8)), as: .jxl)
    #expect(Self.boxes(boxed) == ["JXL ", "ftyp", "xml ", "jxlc"])
    for file in [bare, boxed] {
      #expect(StillFormat(signature: file) == .jxl)
      #expect(try StillDecoder().decode(.bytes(file)).format == .jxl)
    }
    #expect(
      try StillDecoder().decode(.bytes(bare)).image.bytes
        == StillDecoder().decode(.bytes(boxed)).image.bytes)
  }

  @Test func framesBehindTheFirstAreMissed() throws {
    // What libjxl's cjxl 0.7 makes of a GIF of two frames of 8×6 pixels.
    let text =
      "ff0a2830410016149704080820850000d4014b18936e2d1c04c001852fc6abbb10800100e2ac9d040040"
      + "128160397a4f0a6240921e439748ce3ef98541c1e8fae3f0f3f4e92eef8178a247be9ea40ff107166972"
      + "25daa7454ad44f5e8fe83ed1533bd3c787a70097f7d45fa94100829ff7f75cbc8faa361260c5f9477e02"
      + "30fad3dfdf6c16761908880080c00101329114010090004b188b15c211aa1760ef0fb007f973b3a88fd6"
      + "6b0ebd2e0d5f67eb4a1f1c5afed4ff6600"
    let digits = text.compactMap(\.hexDigitValue)
    let bare = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(16 * digits[$0] + digits[$0 + 1])
    }
    var boxes: [UInt8] = [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 10]
    boxes += Self.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
    boxes += Self.box("jxlc", bare)
    for file in [bare, boxes] {
      let still = try StillDecoder().decode(.bytes(file))
      #expect(still.image.size == Size(width: 8, height: 6))
      #expect(still.metadata.leftOut(by: .png) == ["every frame of the animation but the first"])
    }
    let still = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .jxl)
    #expect(try StillDecoder().decode(.bytes(still)).metadata.leftOut(by: .png).isEmpty)
  }

  @Test func exifAndXMPAreBoxesBeforeTheImage() throws {
    let file = JPEGFile.inserting(
      0xE1, MetadataTests.xmpHead + Array(Self.xmp.utf8), into: try MetadataTests.photo())
    let saved = try MetadataTests.saved(file, as: .jxl)
    #expect(Self.boxes(saved) == ["JXL ", "ftyp", "Exif", "xml ", "jxlc"])
    let metadata = try StillDecoder().decode(.bytes(saved)).metadata
    #expect(metadata.xmp.map { String(decoding: $0, as: UTF8.self) } == Self.xmp)
    let exif = try #require(metadata.exif)
    #expect(exif.contains(text: "Lumen") && !exif.contains(text: CameraExif.secret))
    #expect(metadata.leftOut(by: .jpeg).isEmpty)
    let again = try MetadataTests.saved(saved, as: .jpeg)
    #expect(try #require(JPEGFile.exif(again)).contains(text: "Lumen"))
  }

  @Test func metadataIsMadeSafeAndWhatIsCompressedIsNamed() throws {
    let bare = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .jxl)
    let head =
      Self.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
      + Self.box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))
    let exif = Self.box("Exif", [0, 0, 0, 2, 9, 9] + CameraExif.camera())
    let file =
      head + Self.box("jxlc", bare) + exif + Self.box("brob", Array("xml ".utf8) + [1, 2, 3])
    let still = try StillDecoder().decode(.bytes(file))
    #expect(still.metadata.exif?.contains(text: "Lumen") == true)
    #expect(still.metadata.exif?.contains(text: CameraExif.secret) == false)
    #expect(still.metadata.leftOut(by: .jxl) == ["XMP that is compressed"])
    // A block that would begin beyond its box, and one of nothing.
    for broken in [[0, 0, 1, 0, 1, 2], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1]] as [[UInt8]] {
      let file = head + Self.box("Exif", broken) + Self.box("jxlc", bare)
      #expect(try StillDecoder().decode(.bytes(file)).metadata.exif == nil)
    }
  }

  @Test func aBombIsRefusedFromItsHeader() {
    let expected = DecodeError.tooManyPixels(
      name: "the given bytes", size: Size(width: 30000, height: 30000), limit: 500_000_000)
    #expect(throws: expected) { try StillDecoder().decode(.bytes(Self.claim(30000))) }
    // What may be is looked at, and is no image.
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder(DecodeOptions(maxMemory: 1 << 40)).decode(.bytes(Self.claim(2000)))
    }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func sixteenBitsStaySixteen() throws {
    let deep = TestImage.ramp(PixelFormat(.rgb, .uint16), width: 64, height: 48)
    let file = try StillEncoder(EncodeOptions(lossless: true)).encode(deep, as: .jxl)
    #expect(try StillDecoder().decode(.bytes(file)).image.bytes == deep.bytes)
  }
}
