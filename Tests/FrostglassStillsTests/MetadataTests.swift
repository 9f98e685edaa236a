import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

@Suite struct MetadataTests {
  static let image = TestImage.ramp(.rgb8, width: 40, height: 24)
  static let xmpHead = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  static func photo() throws -> [UInt8] {
    JPEGFile.insertingExif(CameraExif.camera(), into: try StillEncoder().encode(image, as: .jpeg))
  }

  static func saved(_ file: [UInt8], as format: StillFormat = .jpeg, strip: Bool = false) throws
    -> [UInt8]
  {
    let still = try StillDecoder().decode(.bytes(file))
    return try StillEncoder(EncodeOptions(strip: strip))
      .encode(still.image, metadata: still.metadata, as: format)
  }

  static func photoshop(_ resources: [(Int, [UInt8])]) -> [UInt8] {
    resources.reduce(Array("Photoshop 3.0\0".utf8)) { bytes, resource in
      bytes + Array("8BIM".utf8) + [UInt8(resource.0 >> 8), UInt8(resource.0 & 255), 0, 0]
        + PNGFile.bigEndian32(resource.1.count) + resource.1
        + (resource.1.count % 2 == 1 ? [0] : [])
    }
  }

  static func record(_ number: UInt8, _ set: UInt8, _ text: String) -> [UInt8] {
    [0x1C, number, set, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  @Test(arguments: [StillFormat.jpeg, .png, .webp, .avif, .heic, .jxl])
  func exifIsKeptWithoutAnythingThatShowsTheImage(format: StillFormat) throws {
    let file = try Self.photo()
    #expect(file.contains(text: CameraExif.secret))
    let saved = try Self.saved(file, as: format)
    #expect(saved.contains(text: "Lumen"))
    #expect(saved.contains(text: "A. Person"))
    #expect(saved.contains(text: "2021:02:03 04:05:06"))
    #expect(!saved.contains(text: CameraExif.secret))
  }

  /// `Exif` and two zeros stand before the block in JPEG; a WebP's chunk begins with the block.
  @Test func theEXIFOfAWebPIsABareBlock() throws {
    let saved = try Self.saved(Self.photo(), as: .webp)
    let chunk = try #require(saved.indices.first { saved[$0...].starts(with: "EXIF".utf8) })
    let order = String(decoding: saved[chunk + 8..<chunk + 10], as: UTF8.self)
    #expect(["II", "MM"].contains(order))
    func number(_ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(saved[place + $1]) << (8 * $1) }
    }
    #expect(number(4) == saved.count - 8)
    let length = number(chunk + 4)
    #expect(chunk + 8 + length + length % 2 == saved.count)
    let again = try StillDecoder().decode(.bytes(saved))
    #expect(again.image.size == Self.image.size)
    #expect(again.metadata.exif?.contains(text: "Lumen") == true)
  }

  @Test func theThumbnailsDirectoryIsGone() throws {
    #expect(CameraExif.read(CameraExif.camera()).hasSecondDirectory)
    let saved = try #require(JPEGFile.exif(Self.saved(Self.photo())))
    let exif = CameraExif.read(saved)
    #expect(!exif.hasSecondDirectory)
    #expect(exif.numbers[0x927C] == nil)
    #expect(exif.numbers[0x0201] == nil)
  }

  @Test(arguments: StillFormat.eightBit)
  func stripLeavesNothing(format: StillFormat) throws {
    let saved = try Self.saved(Self.photo(), as: format, strip: true)
    for word in ["Lumen", "Person", "2021", CameraExif.secret] {
      #expect(!saved.contains(text: word))
    }
  }

  @Test func noMetadataMakesUpNone() throws {
    let saved = try StillEncoder().encode(Self.image, as: .jpeg)
    #expect(JPEGFile.segments(saved).allSatisfy { $0.marker != 0xE1 && $0.marker != 0xE2 })
  }

  @Test(arguments: StillFormat.faithful)
  func xmpIsKept(format: StillFormat) throws {
    let packet = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>kept</x:xmpmeta>"
    let file = JPEGFile.inserting(0xE1, Self.xmpHead + Array(packet.utf8), into: try Self.photo())
    let again = try StillDecoder().decode(.bytes(Self.saved(file, as: format)))
    #expect(again.metadata.xmp.map { String(decoding: $0, as: UTF8.self) } == packet)
  }

  @Test(arguments: ["xmp:Thumbnails", "xmpGImg:image", "GImage:Data", "xmpNote:HasExtendedXMP"])
  func xmpWithImagesInItIsDropped(word: String) throws {
    let packet = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><\(word)>kept</\(word)></x:xmpmeta>"
    let file = JPEGFile.inserting(0xE1, Self.xmpHead + Array(packet.utf8), into: try Self.photo())
    #expect(try StillDecoder().decode(.bytes(file)).metadata.xmp == nil)
    #expect(try !Self.saved(file).contains(text: word))
  }

  /// Names of namespaces are not prefixes, and a property may be an attribute.
  @Test(arguments: [
    "<xmp:Thumbnails><rdf:Alt><rdf:li xmpGImg:image='SHARP'/></rdf:Alt></xmp:Thumbnails>",
    "<xmp:Thumbnails><rdf:Alt><rdf:li><xmpGImg:image>SHARP</xmpGImg:image></rdf:li></rdf:Alt></xmp:Thumbnails>",
    "<other:Thumbnails xmlns:other='http://ns.adobe.com/xap/1.0/'>SHARP</other:Thumbnails>",
    "<a:image xmlns:a='http://ns.adobe.com/xap/1.0/g/img/'>SHARP</a:image>",
    "<rdf:Description xmpGImg:image = \"SHARP\"  rdf:about=''/>",
    "<rdf:Description xmlns:GImage='http://ns.google.com/photos/1.0/image/' GImage:Data='SHARP'/>",
    "<!-- a comment --><xmp:Thumbnails/>",
    "<note:HasExtendedXMP xmlns:note='http://ns.adobe.com/xmp/note/'>SHARP</note:HasExtendedXMP>",
  ])
  func onlyImagesAreTakenOutOfXMP(inside: String) throws {
    func packet(_ inside: String) -> String {
      "<?xpacket begin=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
        + "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
        + "xmlns:xmp='http://ns.adobe.com/xap/1.0/' tiff:Orientation='6' "
        + "xmlns:xmpGImg='http://ns.adobe.com/xap/1.0/g/img/' xmlns:tiff='http://ns.adobe.com/tiff/1.0/'>"
        + "<xmp:Label>kept &amp; whole</xmp:Label>\(inside)<xmp:Rating>4</xmp:Rating>"
        + "</rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
    }
    let file = JPEGFile.inserting(
      0xE1, Self.xmpHead + Array(packet(inside).utf8), into: try Self.photo())
    let found = try #require(try StillDecoder().decode(.bytes(file)).metadata.xmp)
    let text = String(decoding: found, as: UTF8.self)
    #expect(text.contains("<xmp:Label>kept &amp; whole</xmp:Label>"), "\(text)")
    #expect(text.contains("<xmp:Rating>4</xmp:Rating></rdf:RDF></x:xmpmeta>"), "\(text)")
    #expect(text.contains("tiff:Orientation='1'"), "\(text)")
    for word in ["SHARP", "Thumbnails", "g/img", "GImage", "HasExtended"] {
      #expect(!text.contains(word), "\(text)")
    }
  }

  /// Each element keeps the namespaces that are known in it.
  @Test func xmpWithVeryManyNamespacesIsDropped() throws {
    for (count, isKept) in [(200, true), (300, false)] {
      let names = (0..<count).map { "xmlns:n\($0)='urn:\($0)'" }.joined(separator: " ")
      let packet =
        "<a xmlns:xmp='http://ns.adobe.com/xap/1.0/' \(names)><b/><xmp:Thumbnails/></a>"
      let file = JPEGFile.inserting(0xE1, Self.xmpHead + Array(packet.utf8), into: try Self.photo())
      #expect((try StillDecoder().decode(.bytes(file)).metadata.xmp != nil) == isKept, "\(count)")
    }
  }

  /// XML that cannot be parsed is dropped whole if an image may be in it.
  @Test(arguments: [
    "<xmp:Thumbnails>kept</xmp:Thumbnails>", "<a><xmp:Thumbnails></a>",
    "<!DOCTYPE a><a xmlns:xmp='http://ns.adobe.com/xap/1.0/'><xmp:Thumbnails/></a>",
    "<a xmlns:xmp='http://ns.adobe.com/xap/1.0&#47;'><xmp:Thumbnails/></a>",
    "<a><!-- <xmp:Thumbnails/> --></a>", "<a b='xmpGImg'/>", "<a b='",
    "<a><![CDATA[ GImage: ]]></a>",
  ])
  func xmpThatIsNotUnderstoodIsDroppedWithItsImages(packet: String) throws {
    let file = JPEGFile.inserting(0xE1, Self.xmpHead + Array(packet.utf8), into: try Self.photo())
    let metadata = try StillDecoder().decode(.bytes(file)).metadata
    if packet == "<a b='" {
      #expect(metadata.xmp != nil)
    } else {
      #expect(metadata.xmp == nil)
      #expect(metadata.leftOut(by: .jpeg) == ["XMP that may show the image"])
    }
  }

  @Test(arguments: [StillFormat.jpeg, .tiff])
  func iptcIsKeptWithoutPreviews(format: StillFormat) throws {
    let secret = CameraExif.secret
    let records =
      Self.record(2, 5, "Title") + Self.record(2, 202, secret) + Self.record(2, 80, "Author")
      + Self.record(8, 10, secret)
    let block = Self.photoshop([
      (1036, Array(secret.utf8)), (0x0404, records), (1033, Array(secret.utf8)),
    ])
    let file = JPEGFile.inserting(
      0xED, block, into: try StillEncoder().encode(Self.image, as: .jpeg))
    let expected = Self.record(2, 5, "Title") + Self.record(2, 80, "Author")
    #expect(try StillDecoder().decode(.bytes(file)).metadata.iptc == expected)
    let saved = try Self.saved(file, as: format)
    #expect(!saved.contains(text: secret))
    let again = try StillDecoder().decode(.bytes(saved)).metadata.iptc
    #expect(again?.starts(with: expected) == true)
  }

  @Test func photoshopsThumbnailsInATIFFAreNotCopied() throws {
    let thumbnail = Array(Self.photoshop([(1036, Array(CameraExif.secret.utf8))]).dropFirst(14))
    let file = TIFFFile.picture(
      width: 40, height: 24, bits: 8, samples: 3, photometric: 2,
      more: [.bytes(34377, thumbnail, type: 1)], data: Self.image.bytes)
    #expect(try !Self.saved(file, as: .tiff).contains(text: CameraExif.secret))
    #expect(try !Self.saved(file, as: .jpeg).contains(text: CameraExif.secret))
  }

  @Test func brokenMetadataDoesNoHarm() throws {
    let plain = try StillEncoder().encode(Self.image, as: .jpeg)
    let blocks: [(UInt8, [UInt8])] = [
      (0xE1, Array("Exif\0\0".utf8) + Array(CameraExif.camera().prefix(70))),
      (0xE1, Array("Exif\0\0".utf8) + [UInt8](repeating: 255, count: 40)),
      (0xE1, Self.xmpHead + [0xC3, 0x28, 0xFF]),
      (0xED, Array("Photoshop 3.0\08BIM".utf8) + [4, 4, 255, 0, 255, 255, 255, 255, 0x1C]),
      (0xED, Self.photoshop([(0x0404, [0x1C, 2, 5, 0x7F, 0xFF, 0])])),
    ]
    for (marker, data) in blocks {
      let file = JPEGFile.inserting(marker, data, into: plain)
      for format in StillFormat.eightBit {
        let saved = try Self.saved(file, as: format)
        #expect(try StillDecoder().decode(.bytes(saved)).image.size == Self.image.size)
      }
    }
  }

  @Test(arguments: [StillFormat.jpeg, .png, .tiff, .bmp])
  func resolutionIsKept(format: StillFormat) throws {
    let metadata = StillMetadata(resolution: StillMetadata.Resolution(horizontal: 12, vertical: 6))
    let saved = try StillEncoder().encode(Self.image, metadata: metadata, as: format)
    let again = try #require(try StillDecoder().decode(.bytes(saved)).metadata.resolution)
    #expect(abs(again.horizontal - 12) < 0.03)
    #expect(abs(again.vertical - 6) < 0.03)
  }

  @Test(arguments: StillFormat.eightBit, [70_000, 9_000_000])
  func metadataTooLongForAFormatIsLeftOutNotAnError(format: StillFormat, count: Int) throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: count)
    var exif = TIFFFile()
    let detail = exif.appendDirectory([.bytes(0x9286, long)])
    exif.setFirst(exif.appendDirectory([.text(0x010F, "Lumen"), .long(0x8769, detail)]))
    let metadata = StillMetadata(
      exif: exif.bytes, xmp: Array("<x>".utf8) + long + Array("</x>".utf8),
      iptc: (0..<9).flatMap { _ in [0x1C, 2, 120, 0x1F, 0x40] + long.prefix(8000) })
    let saved = try StillEncoder().encode(Self.image, metadata: metadata, as: format)
    let again = try StillDecoder().decode(.bytes(saved))
    #expect(again.image.size == Self.image.size)
    if format == .jpeg { #expect(again.metadata.xmp == nil) }
  }

  @Test func bigEndianEXIFIsKeptAsItIs() throws {
    let block: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 2]
      + [0x01, 0x0F, 0, 2, 0, 0, 0, 6, 0, 0, 0, 38, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
      + [0, 0, 0, 0] + Array("Lumen\0".utf8)
    let file = JPEGFile.insertingExif(block, into: try StillEncoder().encode(Self.image, as: .jpeg))
    let still = try StillDecoder().decode(.bytes(file))
    #expect(still.image.size == Size(width: 24, height: 40))
    let saved = try #require(JPEGFile.exif(Self.saved(file)))
    #expect(saved.contains(text: "Lumen"))
    #expect(CameraExif.read(saved).numbers[0x0112] == 1)
  }

  /// The second image of a photograph, its gain map, follows in the file and is not copied. Nothing is left that
  /// points at it.
  @Test func aGainMapIsMissedAndNothingPointsAtIt() throws {
    let packet =
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
      + "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
      + "xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' "
      + "xmlns:Container='http://ns.google.com/photos/1.0/container/' "
      + "xmlns:Item='http://ns.google.com/photos/1.0/container/item/' hdrgm:Version='1.0' "
      + "xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'><Container:Directory><rdf:Seq>"
      + "<rdf:li><Container:Item Item:Semantic='GainMap' Item:Length='99'/></rdf:li></rdf:Seq>"
      + "</Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>"
    let plain = try StillEncoder().encode(Self.image, as: .jpeg)
    let directory = Array("MPF\0II*\0".utf8) + [8, 0, 0, 0, 0, 0]
    let announced = JPEGFile.inserting(0xE1, Self.xmpHead + Array(packet.utf8), into: plain)
    let file = JPEGFile.inserting(0xE2, directory, into: announced) + plain
    let metadata = try StillDecoder().decode(.bytes(file)).metadata
    for format in [StillFormat.jpeg, .png, .heic] {
      #expect(metadata.leftOut(by: format) == ["HDR gain map"])
      let saved = try Self.saved(file, as: format)
      let kept = try #require(try StillDecoder().decode(.bytes(saved)).metadata.xmp)
      #expect(kept.contains(text: "xmp:Rating='4'"), "\(format)")
      for word in ["hdrgm", "GainMap", "Container", "MPF\0"] {
        #expect(!saved.contains(text: word), "\(format): \(word)")
        #expect(!kept.contains(text: word), "\(format): \(word)")
      }
    }
    // Without XMP, as ISO 21496-1 has it.
    let iso = JPEGFile.inserting(0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8), into: plain)
    #expect(
      try StillDecoder().decode(.bytes(iso)).metadata.leftOut(by: .webp) == ["HDR gain map"])
    #expect(try StillDecoder().decode(.bytes(plain)).metadata.leftOut(by: .webp).isEmpty)
  }
}
