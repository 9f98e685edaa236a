import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Orientations that stand where libvips does not look, and what follows a turned image.
@Suite struct LateOrientationTests {
  /// A packet of XMP with attributes and elements in its description.
  static func packet(_ attributes: String, _ inside: String = "") -> [UInt8] {
    Array(
      ("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
        + "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
        + "xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:exif='http://ns.adobe.com/exif/1.0/' "
        + "xmlns:xmp='http://ns.adobe.com/xap/1.0/' \(attributes)>\(inside)</rdf:Description>"
        + "</rdf:RDF></x:xmpmeta>").utf8)
  }

  static func jpeg(_ packet: [UInt8], _ orientation: Int? = nil) throws -> [UInt8] {
    let plain = try StillEncoder().encode(OrientationTests.quarters, as: .jpeg)
    let said = JPEGFile.inserting(0xE1, MetadataTests.xmpHead + packet, into: plain)
    return orientation.map {
      JPEGFile.insertingExif(CameraExif.camera(orientation: $0), into: said)
    } ?? said
  }

  /// A PNG with chunks before and behind its image.
  static func png(_ before: [UInt8] = [], behind: [UInt8] = []) throws -> [UInt8] {
    let file = try StillEncoder().encode(OrientationTests.quarters, as: .png)
    return Array(file[..<33]) + before + file[33..<(file.count - 12)] + behind + file.suffix(12)
  }

  private static func raw(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    let text = "\n\(name)\n    \(bytes.count)\n\(digits.joined())\n"
    return PNGFile.chunk(
      "tEXt", Array("Raw profile type \(name)".utf8) + [0] + Array(text.utf8))
  }

  private static func text(_ packet: [UInt8]) -> [UInt8] {
    PNGFile.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + packet)
  }

  static let places = [
    "eXIf behind", "raw exif", "raw app1", "raw exif behind", "XMP", "XMP behind", "raw xmp",
    "raw app1 with XMP",
  ]

  private static func file(_ place: String, _ orientation: Int) throws -> [UInt8] {
    let exif = CameraExif.camera(orientation: orientation)
    let lead = Array("Exif\0\0".utf8)
    let xmp = packet("tiff:Orientation='\(orientation)' xmp:Rating='4'")
    switch place {
    case "eXIf behind": return try png(behind: PNGFile.chunk("eXIf", exif))
    case "raw exif": return try png(raw("exif", lead + exif))
    case "raw app1": return try png(raw("APP1", lead + exif))
    case "raw exif behind": return try png(behind: raw("exif", lead + exif))
    case "XMP": return try png(text(xmp))
    case "XMP behind": return try png(behind: text(xmp))
    case "raw xmp": return try png(raw("xmp", xmp))
    default: return try png(raw("app1", MetadataTests.xmpHead + xmp))
    }
  }

  @Test(arguments: places, 1...8)
  func aPNGIsTurnedWhereverItSaysSo(place: String, orientation: Int) throws {
    let file = try Self.file(place, orientation)
    let still = try StillDecoder().decode(.bytes(file))
    #expect(OrientationTests.quarters(of: still.image) == OrientationTests.seen[orientation - 1])
    #expect(try StillDecoder().header(of: .bytes(file)).size == still.image.size)
    let saved = try MetadataTests.saved(file, as: .png)
    let again = try StillDecoder().decode(.bytes(saved))
    let word = place.contains("XMP") || place.contains("xmp") ? "Rating" : "Lumen"
    #expect(((again.metadata.xmp ?? []) + (again.metadata.exif ?? [])).contains(text: word))
    #expect(OrientationTests.quarters(of: again.image) == OrientationTests.seen[orientation - 1])
  }

  @Test(arguments: 1...8) func anOrientationInXMPAloneTurnsAJPEG(orientation: Int) throws {
    for said in ["tiff:Orientation='\(orientation)'", ""] {
      let inside = said.isEmpty ? "<tiff:Orientation>\(orientation)</tiff:Orientation>" : ""
      let file = try Self.jpeg(Self.packet(said, inside))
      let still = try StillDecoder().decode(.bytes(file))
      #expect(OrientationTests.quarters(of: still.image) == OrientationTests.seen[orientation - 1])
      let xmp = try #require(still.metadata.xmp)
      #expect(xmp.contains(text: said.isEmpty ? "tiff:Orientation>1<" : "tiff:Orientation='1'"))
      // Scaled down by the decoder, it is turned, too.
      let small = Size(width: orientation < 5 ? 8 : 4, height: orientation < 5 ? 4 : 8)
      let scaled = try StillDecoder().picture(.bytes(file), .exact(small))
      #expect(OrientationTests.quarters(of: scaled) == OrientationTests.seen[orientation - 1])
    }
  }

  @Test func exifCountsMoreThanXMP() throws {
    let file = try Self.jpeg(Self.packet("tiff:Orientation='6'"), 1)
    let still = try StillDecoder().decode(.bytes(file))
    #expect(OrientationTests.quarters(of: still.image) == OrientationTests.seen[0])
    #expect(still.metadata.xmp?.contains(text: "tiff:Orientation='1'") == true)
  }

  @Test func textsOfStoredRowsGoWithTheTurn() throws {
    func text(_ keyword: String, _ text: String) -> [UInt8] {
      PNGFile.chunk("tEXt", Array(keyword.utf8) + [0] + Array(text.utf8))
    }
    let texts =
      text("EXIF:Orientation", "6") + text("exif:PixelXDimension", "32") + text("Title", "A lake")
    let exif = PNGFile.chunk("eXIf", CameraExif.camera(orientation: 6))
    let turned = try StillDecoder().decode(.bytes(Self.png(texts, behind: exif))).metadata
    #expect(turned.texts == [.init("Title", "A lake")])
    // What was not turned keeps what it says.
    let plain = try StillDecoder().decode(.bytes(Self.png(texts))).metadata
    #expect(plain.texts.count == 3)
  }

  @Test(arguments: [StillFormat.png, .apng]) func aPNGHasOneEXIFChunk(format: StillFormat) throws {
    let still = try StillDecoder().decode(.bytes(MetadataTests.photo()))
    var metadata = still.metadata
    metadata.texts = [.init("Title", "A lake")]
    let saved = try StillEncoder().encode(still.image, metadata: metadata, as: format)
    let names = PNGFile.chunks(saved).map(\.name)
    #expect(names.filter { $0 == "eXIf" }.count == 1)
    let (exif, data) = (names.firstIndex(of: "eXIf") ?? 99, names.firstIndex(of: "IDAT") ?? 0)
    #expect(exif < data && names.last == "IEND" && names.contains("tEXt"))
  }

  /// Center and sides of a face at (0.2, 0.25), 0.1 wide and 0.2 high, after each turn.
  static let faces: [[Double]] = [
    [0.2, 0.25, 0.1, 0.2], [0.8, 0.25, 0.1, 0.2], [0.8, 0.75, 0.1, 0.2], [0.2, 0.75, 0.1, 0.2],
    [0.25, 0.2, 0.2, 0.1], [0.75, 0.2, 0.2, 0.1], [0.75, 0.8, 0.2, 0.1], [0.25, 0.8, 0.2, 0.1],
  ]

  private static func regions(_ face: [Double], _ width: Int, _ height: Int) -> String {
    let corner = [face[0] - face[2] / 2, face[1] - face[3] / 2, face[2], face[3]]
    let rectangle = corner.map { "\(($0 * 1e8).rounded() / 1e8)" }.joined(separator: ", ")
    return "<mwg-rs:Regions xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' "
      + "xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' "
      + "xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#' rdf:parseType='Resource'>"
      + "<mwg-rs:AppliedToDimensions stDim:w='\(width)' stDim:h='\(height)' stDim:unit='pixel'/>"
      + "<mwg-rs:RegionList><rdf:Bag><rdf:li rdf:parseType='Resource'><mwg-rs:Name>A</mwg-rs:Name>"
      + "<mwg-rs:Area rdf:parseType='Resource'><stArea:x>\(face[0])</stArea:x>"
      + "<stArea:y>\(face[1])</stArea:y><stArea:w>\(face[2])</stArea:w>"
      + "<stArea:h>\(face[3])</stArea:h><stArea:unit>normalized</stArea:unit></mwg-rs:Area>"
      + "</rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>"
      + "<MP:RegionInfo xmlns:MP='http://ns.microsoft.com/photo/1.2/' "
      + "xmlns:MPRI='http://ns.microsoft.com/photo/1.2/t/RegionInfo#' "
      + "xmlns:MPReg='http://ns.microsoft.com/photo/1.2/t/Region#' rdf:parseType='Resource'>"
      + "<MPRI:Regions><rdf:Bag><rdf:li MPReg:Rectangle='\(rectangle)'/></rdf:Bag></MPRI:Regions>"
      + "</MP:RegionInfo>"
  }

  @Test(arguments: 1...8) func regionsInXMPFollowTheTurn(orientation: Int) throws {
    func said(_ orientation: Int, _ face: [Double], _ width: Int, _ height: Int) -> [UInt8] {
      Self.packet(
        "tiff:Orientation='\(orientation)' tiff:ImageWidth='\(width)' tiff:ImageLength='\(height)' "
          + "exif:PixelXDimension='\(width)' exif:PixelYDimension='\(height)'",
        Self.regions(face, width, height))
    }
    let file = try Self.jpeg(said(orientation, Self.faces[0], 32, 16), orientation)
    let turned = orientation >= 5
    let expected = said(
      1, Self.faces[orientation - 1], turned ? 16 : 32, turned ? 32 : 16)
    let kept = try #require(try StillDecoder().decode(.bytes(file)).metadata.xmp)
    #expect(String(decoding: kept, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
  }

  /// Regions tell where faces are in an image of that size and cut, and no other.
  @Test func regionsInXMPGoWithAnotherSize() throws {
    let metadata = StillMetadata(
      xmp: Self.packet("xmp:Rating='3'", Self.regions([0.5, 0.5, 0.2, 0.2], 32, 16)))
    for (width, isKept) in [(nil, true), (32, true), (16, false)] as [(Int?, Bool)] {
      let options = EncodeOptions(resize: width.map { Resize(width: $0) })
      let file = try StillEncoder(options).encode(
        Image(zeros: Size(width: 32, height: 16), format: .rgb8), metadata: metadata, as: .jpeg)
      let found = try #require(try StillDecoder().decode(.bytes(file)).metadata.xmp)
      let text = String(decoding: found, as: UTF8.self)
      #expect(text.contains("Rating") && text.contains("RegionList") == isKept, "\(text)")
    }
  }

  @Test func regionsThatAreNotUnderstoodGoWithTheTurn() throws {
    let inside = Self.regions(Self.faces[0], 3, 4)
      .replacing("<stArea:x>0.2<", with: "<stArea:x>left<")
    let more = "<exif:SubjectArea><rdf:Seq><rdf:li>3</rdf:li></rdf:Seq></exif:SubjectArea>"
    let file = try Self.jpeg(Self.packet("xmp:Rating='4'", inside + more), 6)
    let kept = try #require(try StillDecoder().decode(.bytes(file)).metadata.xmp)
    #expect(kept.contains(text: "Rating='4'"))
    for word in ["Area", "Rectangle", "RegionList"] { #expect(!kept.contains(text: "\(word)>")) }
    #expect(
      try StillDecoder().decode(.bytes(file)).metadata.leftOut(by: .jpeg)
        == ["XMP regions that do not follow the turned image"])
    // Upright, nothing is touched.
    let upright = try Self.jpeg(Self.packet("xmp:Rating='4'", inside + more), 1)
    let all = try #require(try StillDecoder().decode(.bytes(upright)).metadata.xmp)
    #expect(all.contains(text: "left") && all.contains(text: "SubjectArea"))
  }

  @Test(arguments: [
    ("http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "ImageRegion"),
    ("http://ns.acdsee.com/regions/", "Regions"),
  ])
  func regionsThatDoNotFollowAreNamed(namespace: String, name: String) throws {
    let region = "<r:\(name) xmlns:r='\(namespace)'>here</r:\(name)>"
    for orientation in [1, 6] {
      let file = try Self.jpeg(Self.packet("xmp:Rating='4'", region), orientation)
      let metadata = try StillDecoder().decode(.bytes(file)).metadata
      let isUpright = orientation == 1
      #expect(metadata.xmp?.contains(text: "here") == isUpright)
      #expect(metadata.leftOut(by: .jpeg).isEmpty == isUpright)
    }
  }

  @Test(arguments: [StillFormat.avif, .heic, .jxl])
  func anOrientationThatDoesNotCountIsRemarked(format: StillFormat) throws {
    let plain = TestImage.ramp(.rgb8, width: 48, height: 32)
    // What is written here is upright: the number is put in by hand.
    var file = try StillEncoder().encode(
      plain, metadata: StillMetadata(xmp: Self.packet("tiff:Orientation='1'")), as: format)
    let word = Array("tiff:Orientation='1'".utf8)
    let place = try #require(file.indices.first { file[$0...].starts(with: word) })
    #expect(try StillDecoder().header(of: .bytes(file)).remarks.isEmpty)
    file[place + word.count - 2] = UInt8(ascii: "6")
    let still = try StillDecoder().decode(.bytes(file))
    #expect(still.image.size == plain.size)
    #expect(
      try StillDecoder().header(of: .bytes(file)).remarks == [
        "has orientation 6 in its metadata alone, where its format does not count; it is dropped"
      ])
  }

  @Test func theSubjectAreaFollowsTheTurn() throws {
    var block = TIFFFile()
    let detail = block.appendDirectory([.short(0x9214, 10, 4, 6, 3), .short(0xA214, 10, 4)])
    block.setFirst(block.appendDirectory([.short(0x0112, 6), .long(0x8769, detail)]))
    let plain = try StillEncoder().encode(OrientationTests.quarters, as: .jpeg)
    let file = JPEGFile.insertingExif(block.bytes, into: plain)
    let exif = try #require(try StillDecoder().decode(.bytes(file)).metadata.exif)
    let area = [11, 10, 3, 6].flatMap { TIFFFile.little($0, 2) }
    #expect(exif.contains(bytes: [0x14, 0x92, 3, 0, 4, 0, 0, 0]) && exif.contains(bytes: area))
    #expect(exif.contains(bytes: [0x14, 0xA2, 3, 0, 2, 0, 0, 0] + area.prefix(4)))
  }

  /// Positions and sizes in metadata are those of the original image, so they are dropped if the size changes.
  @Test func placesAreLeftOutOfAnotherSize() throws {
    var block = TIFFFile()
    let detail = block.appendDirectory([.short(0x9214, 10, 4, 6, 3), .short(0x8827, 400)])
    block.setFirst(block.appendDirectory([.long(0x8769, detail)]))
    let packet = Self.packet(
      "xmp:Rating='4' tiff:ImageWidth='32' exif:PixelXDimension='32'",
      Self.regions(Self.faces[0], 3, 4))
    let file = JPEGFile.insertingExif(block.bytes, into: try Self.jpeg(packet))
    func metadata(_ resize: Resize?) throws -> StillMetadata {
      try StillDecoder(DecodeOptions(resize: resize)).decode(.bytes(file)).metadata
    }
    // Its own size changes nothing.
    for (resize, isKept) in [
      (nil, true), (Resize(width: 32), true), (Resize(width: 16), false),
      (Resize(width: 16, height: 16, fit: .cover), false),
    ] {
      let found = try metadata(resize)
      let (exif, xmp) = (try #require(found.exif), try #require(found.xmp))
      #expect(exif.contains(bytes: [0x27, 0x88]) && xmp.contains(text: "Rating='4'"))
      #expect(exif.contains(bytes: [0x14, 0x92]) == isKept)
      for word in ["RegionList", "ImageWidth", "PixelXDimension"] {
        #expect(xmp.contains(text: word) == isKept, "\(word)")
      }
      #expect(
        found.leftOut(by: .jpeg)
          == (isKept ? [] : ["XMP regions that do not follow another size"]))
    }
  }

  @Test func aTurnedImagesResolutionTurns() throws {
    let metadata = StillMetadata(resolution: .init(horizontal: 4, vertical: 8))
    let plain = try StillEncoder().encode(
      OrientationTests.quarters, metadata: metadata, as: .png)
    let exif = PNGFile.chunk("eXIf", CameraExif.camera(orientation: 6))
    let file = plain.dropLast(12) + exif + plain.suffix(12)
    let found = try StillDecoder().decode(.bytes(Array(file))).metadata.resolution
    #expect(found == .init(horizontal: 8, vertical: 4))
  }
}
