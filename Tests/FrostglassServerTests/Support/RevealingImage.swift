import FrostglassStills

/// A JPEG file that says more than its pixels do, in every place where cameras and programs say it.
enum RevealingImage {
  /// The texts in its metadata, named by their place. Each is in the file once.
  static let secrets = [
    "EXIF-SECRET", "GPS-SECRET", "MAKER-SECRET", "THUMBNAIL-SECRET", "XMP-SECRET",
    "PHOTOSHOP-SECRET",
    "IPTC-SECRET", "COMMENT-SECRET", "TRAILER-SECRET",
  ]

  static func file() throws -> [UInt8] {
    let jpeg = try Sample.file(.jpeg, width: 48, height: 32)
    let segments =
      segment(0xE1, Array("Exif\0\0".utf8) + (try exif()))
      + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
      + segment(0xED, photoshop) + segment(0xFE, Array("COMMENT-SECRET".utf8))
    return Array(jpeg[..<2]) + segments + jpeg[2...] + Array("TRAILER-SECRET".utf8)
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2, 2) + content
  }

  private static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// One entry of a directory: a text, bytes without a meaning, or the place of another directory.
  private struct Entry {
    enum Value {
      case text(String)
      case opaque(String)
      case number(Int)
      case rationals([(Int, Int)])
    }

    var tag: Int
    var value: Value
  }

  /// A big-endian TIFF block: what the image shows and where it was taken, a maker's note, and a small
  /// copy of the image.
  private static func exif() throws -> [UInt8] {
    let small = try Sample.file(.jpeg, width: 16, height: 16)
    let thumbnail =
      Array(small[..<2]) + segment(0xFE, Array("THUMBNAIL-SECRET".utf8)) + small[2...]
    // Directories lie at fixed places, far enough from each other.
    let (detail, place, preview, picture) = (256, 512, 1024, 1280)
    var block = [UInt8](repeating: 0, count: picture) + thumbnail
    block.replaceSubrange(0..<8, with: Array("MM\0*".utf8) + big(8, 4))
    write(
      [
        Entry(tag: 0x010E, value: .text("EXIF-SECRET")), Entry(tag: 0x8769, value: .number(detail)),
        Entry(tag: 0x8825, value: .number(place)),
      ], at: 8, next: preview, &block)
    write([Entry(tag: 0x927C, value: .opaque("MAKER-SECRET"))], at: detail, next: 0, &block)
    write(
      [
        Entry(tag: 0x0001, value: .text("N")),
        Entry(tag: 0x0002, value: .rationals([(52, 1), (31, 1), (12, 1)])),
        Entry(tag: 0x0003, value: .text("E")),
        Entry(tag: 0x0004, value: .rationals([(13, 1), (24, 1), (36, 1)])),
        Entry(tag: 0x001C, value: .opaque("ASCII\0\0\0GPS-SECRET")),
      ], at: place, next: 0, &block)
    write(
      [
        Entry(tag: 0x0103, value: .number(6)), Entry(tag: 0x0201, value: .number(picture)),
        Entry(tag: 0x0202, value: .number(thumbnail.count)),
      ], at: preview, next: 0, &block)
    return block
  }

  /// Writes a directory, and behind it what is longer than four bytes.
  private static func write(_ entries: [Entry], at start: Int, next: Int, _ block: inout [UInt8]) {
    var bytes = big(entries.count, 2)
    var end = start + 2 + 12 * entries.count + 4
    for entry in entries {
      let (type, count, value): (Int, Int, [UInt8]) =
        switch entry.value {
        case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .opaque(let text): (7, text.utf8.count, Array(text.utf8))
        case .number(let number): (4, 1, big(number, 4))
        case .rationals(let all): (5, all.count, all.flatMap { big($0.0, 4) + big($0.1, 4) })
        }
      bytes += big(entry.tag, 2) + big(type, 2) + big(count, 4)
      if value.count <= 4 {
        bytes += value + [UInt8](repeating: 0, count: 4 - value.count)
      } else {
        bytes += big(end, 4)
        block.replaceSubrange(end..<end + value.count, with: value)
        end += value.count + value.count % 2
      }
    }
    bytes += big(next, 4)
    block.replaceSubrange(start..<start + bytes.count, with: bytes)
  }

  private static let xmp = """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
     xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpGImg="http://ns.adobe.com/xap/1.0/g/img/">
    <xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType="Resource"><xmpGImg:format>JPEG</xmpGImg:format>
    <xmpGImg:image>XMP-SECRET</xmpGImg:image></rdf:li></rdf:Alt></xmp:Thumbnails>
    </rdf:Description></rdf:RDF></x:xmpmeta>
    """

  /// Photoshop's resources: a thumbnail (0x040C), and records of IPTC (0x0404) with a caption.
  private static let photoshop: [UInt8] = {
    func resource(_ number: Int, _ content: [UInt8]) -> [UInt8] {
      Array("8BIM".utf8) + big(number, 2) + [0, 0] + big(content.count, 4) + content
        + (content.count % 2 == 0 ? [] : [0])
    }
    let caption = Array("IPTC-SECRET".utf8)
    return Array("Photoshop 3.0\0".utf8)
      + resource(0x040C, [UInt8](repeating: 0, count: 28) + Array("PHOTOSHOP-SECRET".utf8))
      + resource(0x0404, [0x1C, 2, 120] + big(caption.count, 2) + caption)
  }()
}
