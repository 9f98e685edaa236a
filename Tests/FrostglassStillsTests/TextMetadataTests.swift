import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Texts, comments, TIFF tags and IPTC, from any format to any other.
@Suite struct TextMetadataTests {
  typealias Text = StillMetadata.Text
  private static let image = MetadataTests.image

  private static func metadata(_ file: [UInt8]) throws -> StillMetadata {
    try StillDecoder().decode(.bytes(file)).metadata
  }

  /// A PNG with chunks behind its header.
  private static func png(_ chunks: [UInt8]) throws -> [UInt8] {
    let file = try StillEncoder().encode(image, as: .png)
    return Array(file[..<33]) + chunks + file[33...]
  }

  private static func text(_ keyword: String, _ text: [UInt8]) -> [UInt8] {
    PNGFile.chunk("tEXt", Array(keyword.utf8) + [0] + text)
  }

  private static func tagged(_ more: [TIFFFile.Entry] = []) -> [UInt8] {
    TIFFFile.picture(
      width: 40, height: 24, bits: 8, samples: 3, photometric: 2,
      more: [
        .text(270, "A lake in winter"), .text(315, "A. Person"), .text(33432, "(c) 2021 Person"),
        .text(305, "Lumen 3"), .text(306, "2021:02:03 04:05:06"), .text(269, "lake.tif"),
        .bytes(37724, Array(CameraExif.secret.utf8)),
      ] + more, data: image.bytes)
  }

  private static let words = [
    "A lake in winter", "A. Person", "(c) 2021 Person", "Lumen 3", "2021:02:03 04:05:06",
  ]

  @Test(arguments: [StillFormat.jpeg, .png, .webp, .avif, .heic, .jxl, .tiff])
  func aTIFFsTagsAreKept(format: StillFormat) throws {
    let saved = try MetadataTests.saved(Self.tagged(), as: format)
    for word in Self.words { #expect(saved.contains(text: word), "\(word)") }
    #expect(!saved.contains(text: CameraExif.secret))
    #expect(try Self.metadata(Self.tagged()).leftOut(by: format).isEmpty)
    let stripped = try MetadataTests.saved(Self.tagged(), as: format, strip: true)
    for word in Self.words { #expect(!stripped.contains(text: word), "\(word)") }
    // And again from what was written.
    let again = try MetadataTests.saved(saved, as: .tiff)
    for word in Self.words { #expect(again.contains(text: word), "\(word)") }
    #expect(try StillDecoder().decode(.bytes(again)).image.size == Self.image.size)
  }

  @Test func exifGoesIntoATIFFInItsOrderOfBytes() throws {
    let saved = try MetadataTests.saved(MetadataTests.photo(), as: .tiff)
    let tags = CameraExif.read(saved).numbers
    #expect(saved.contains(text: "Lumen") && saved.contains(text: "2021:02:03 04:05:06"))
    #expect(!saved.contains(text: CameraExif.secret))
    #expect(tags[256] == 40 && tags[257] == 24 && tags[0xA002] == 40 && tags[0xA001] == 0xFFFF)
    let block: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 2]
      + [0x01, 0x0F, 0, 2, 0, 0, 0, 6, 0, 0, 0, 38, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 44]
      + [0, 0, 0, 0] + Array("Lumen\0".utf8)
      + [0, 1, 0x88, 0x27, 0, 3, 0, 0, 0, 1, 0x01, 0x90, 0, 0, 0, 0, 0, 0]
    let big = JPEGFile.insertingExif(block, into: try StillEncoder().encode(Self.image, as: .jpeg))
    let turned = try MetadataTests.saved(big, as: .tiff)
    #expect(turned.contains(text: "Lumen"))
    // The video's speed, 400.
    #expect(CameraExif.read(turned).numbers[0x8827] == 400)
    #expect(try StillDecoder().decode(.bytes(turned)).image.size == Self.image.size)
  }

  @Test func textsOfAPNGStayInAPNG() throws {
    // "Winter at noon", compressed.
    let packed: [UInt8] = [
      120, 218, 11, 207, 204, 43, 73, 45, 82, 72, 44, 81, 200, 203, 207, 207, 3, 0, 39, 141, 5, 73,
    ]
    let file = try Self.png(
      Self.text("Title", Array("A lake".utf8)) + Self.text("Author", [0xC9, 0x6C, 0x65])
        + PNGFile.chunk("zTXt", Array("Description".utf8) + [0, 0] + packed)
        + PNGFile.chunk("iTXt", Array("Source".utf8) + [0, 0, 0, 0x64, 0x65, 0, 0] + "❄ é".utf8)
        + PNGFile.chunk("iTXt", Array("Mine".utf8) + [0, 1, 0, 0, 0] + packed))
    let expected = [
      Text("Title", "A lake"), Text("Author", "Éle"), Text("Description", "Winter at noon"),
      Text("Source", "❄ é"), Text("Mine", "Winter at noon"),
    ]
    #expect(try Self.metadata(file).texts == expected)
    let saved = try MetadataTests.saved(file, as: .png)
    #expect(try Self.metadata(saved).texts == expected)
    #expect(try Self.metadata(file).leftOut(by: .png).isEmpty)
    let stripped = try MetadataTests.saved(file, as: .png, strip: true)
    #expect(try Self.metadata(stripped).texts.isEmpty && !stripped.contains(text: "lake"))
  }

  @Test(arguments: [StillFormat.jpeg, .webp, .avif, .heic, .jxl, .tiff])
  func textsOfAPNGGoWhereEXIFHasTagsForThem(format: StillFormat) throws {
    let file = try Self.png(
      Self.text("Title", Array("A lake".utf8)) + Self.text("Author", Array("A. Person".utf8))
        + Self.text("Copyright", Array("2021 Person".utf8)))
    let saved = try MetadataTests.saved(file, as: format)
    #expect(saved.contains(text: "A. Person") && saved.contains(text: "2021 Person"))
    #expect(try Self.metadata(file).leftOut(by: format) == ["text Title"])
  }

  @Test(arguments: [StillFormat.jpeg, .gif, .png], [StillFormat.jpeg, .gif, .png])
  func commentsAreKept(from input: StillFormat, to output: StillFormat) throws {
    let long = (0..<80).map { "line \($0)" }.joined(separator: "\n")
    let metadata = StillMetadata(texts: [Text(Text.comment, "One ❄"), Text(Text.comment, long)])
    let file = try StillEncoder().encode(Self.image, metadata: metadata, as: input)
    #expect(try Self.metadata(file).texts == metadata.texts)
    let saved = try MetadataTests.saved(file, as: output)
    #expect(try Self.metadata(saved).texts == metadata.texts)
    #expect(try StillDecoder().decode(.bytes(saved)).image.size == Self.image.size)
    #expect(try !MetadataTests.saved(file, as: output, strip: true).contains(text: "line 7"))
  }

  /// The first 64 comments are kept, and each name is reported once.
  @Test func asManyCommentsAsOneReads() throws {
    let metadata = StillMetadata(texts: (0..<100).map { Text(Text.comment, "comment \($0)") })
    for format in [StillFormat.jpeg, .gif] {
      let file = try StillEncoder().encode(Self.image, metadata: metadata, as: format)
      let found = try Self.metadata(file)
      #expect(found.texts == Array(metadata.texts.prefix(64)))
      // The first has a tag there.
      #expect(found.leftOut(by: .webp) == ["text Comment"])
    }
  }

  @Test func aCommentAtTheVeryEndOfAGIFIsFound() throws {
    let comment: [UInt8] = [0x21, 0xFE, 1, UInt8(ascii: "h"), 1, UInt8(ascii: "i"), 0]
    let file = GIFFile.twoFrames.dropLast() + comment
    #expect(try Self.metadata(file + [0x3B]).texts == [Text(Text.comment, "hi")])
    #expect(try Self.metadata(Array(file)).texts == [Text(Text.comment, "hi")])
  }

  @Test(arguments: [StillFormat.webp, .avif, .heic, .jxl, .tiff])
  func aCommentGoesIntoTheTagForThose(format: StillFormat) throws {
    let file = JPEGFile.inserting(
      0xFE, Array("By the lake".utf8), into: try StillEncoder().encode(Self.image, as: .jpeg))
    #expect(try MetadataTests.saved(file, as: format).contains(text: "By the lake"))
    #expect(try Self.metadata(file).leftOut(by: format).isEmpty)
  }

  /// A drawing's source, an image in letters, and blocks with a thumbnail are no texts for people.
  @Test func textsThatMayHoldTheImageAreNotKept() throws {
    let data = String(repeating: "iVBORw0KGgo", count: 60)
    let camera = Array("Exif\0\0".utf8) + CameraExif.camera()
    let digits = camera.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let file = try Self.png(
      Self.text("mxfile", Array("%3Cmxfile%20\(data)".utf8))
        + Self.text("preview", Array("data:image/png;base64,\(data)".utf8))
        + Self.text("Thumb::URI", Array("file:///home/a/lake.png".utf8))
        + Self.text("Raw profile type exif", Array("\nexif\n \(camera.count)\n\(digits)\n".utf8)))
    for format in StillFormat.eightBit {
      let saved = try MetadataTests.saved(file, as: format)
      for word in ["iVBORw0KGgo", "lake.png", CameraExif.secret, String(digits.suffix(40))] {
        #expect(!saved.contains(text: word), "\(format): \(word)")
      }
      if StillFormat.faithful.contains(format) {
        #expect(saved.contains(text: "Lumen"), "\(format)")
      }
    }
  }

  @Test func iptcIsKeptWhereThereIsAPlace() throws {
    let records = MetadataTests.record(2, 5, "Title") + MetadataTests.record(2, 80, "Author")
    let file = JPEGFile.inserting(
      0xED, MetadataTests.photoshop([(0x0404, records)]),
      into: try StillEncoder().encode(Self.image, as: .jpeg))
    for format in [StillFormat.jpeg, .png, .tiff] {
      let saved = try MetadataTests.saved(file, as: format)
      #expect(try Self.metadata(saved).iptc?.starts(with: records) == true, "\(format)")
      #expect(try Self.metadata(file).leftOut(by: format).isEmpty, "\(format)")
    }
    for format in [StillFormat.webp, .avif, .heic, .jxl, .gif, .bmp, .ppm] {
      #expect(try Self.metadata(file).leftOut(by: format).contains("IPTC"), "\(format)")
    }
  }

  /// Tags that libvips writes for every image are not reported if the format has no place for them.
  @Test func tagsOfStorageAreNothingToMiss() throws {
    let metadata = StillMetadata(resolution: StillMetadata.Resolution(horizontal: 12, vertical: 6))
    let file = try StillEncoder().encode(Self.image, metadata: metadata, as: .webp)
    #expect(try Self.metadata(file).exif != nil)
    #expect(try Self.metadata(file).leftOut(by: .gif).isEmpty)
    let photo = try MetadataTests.saved(MetadataTests.photo(), as: .webp)
    #expect(try Self.metadata(photo).leftOut(by: .gif) == ["EXIF"])
  }

  @Test func brokenTextsDoNoHarm() throws {
    for chunk in [
      Self.text("", [1]), Self.text(String(repeating: "k", count: 80), [1]),
      PNGFile.chunk("tEXt", [65, 66]), PNGFile.chunk("zTXt", [65, 0]),
      PNGFile.chunk("zTXt", [65, 0, 0, 120, 218, 1]), PNGFile.chunk("iTXt", [65, 0, 0]),
      PNGFile.chunk("iTXt", [65, 0, 0, 0, 0, 0, 0xC3]), Self.text("a\nb", [65]),
      Self.text("Raw profile type iptc", Array("\niptc\n 99\nabc".utf8)),
      Self.text("Raw profile type iptc", Array("\niptc\n -9\n".utf8)),
      Self.text("Raw profile type iptc", Array("\niptc\n 9000000000000000000\nab\n".utf8)),
    ] {
      let found = try Self.metadata(Self.png(chunk))
      #expect(found.texts.allSatisfy { $0.text == "\u{1}" } && found.iptc == nil)
    }
  }
}
