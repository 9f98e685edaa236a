/// Blocks of metadata as cameras and editors write them.
enum BlockSamples {
  static var all: [FuzzSample] {
    [
      FuzzSample(.exif, "little", exif), FuzzSample(.exif, "bare", Array(exif.dropFirst(6))),
      FuzzSample(.exif, "big", bigExif), FuzzSample(.iptc, "records", iptc),
      FuzzSample(.iptc, "in Photoshop's blocks", photoshop),
      FuzzSample(.xmp, "packet", Array(xmp.utf8)),
    ]
  }

  /// Maker, orientation, a directory of details with one below it, and a position.
  static let exif = Array("Exif\0\0".utf8) + block(big: false)
  private static let bigExif = Array("Exif\0\0".utf8) + block(big: true)

  private static func block(big: Bool) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return big ? little.reversed() : little
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4)
        + (value + [0, 0, 0, 0]).prefix(max(4, value.count))
    }
    func directory(_ entries: [[UInt8]]) -> [UInt8] {
      number(entries.count, 2) + entries.flatMap { $0 } + [0, 0, 0, 0]
    }
    let text = Array("Lumen Works\0".utf8)
    // Main at 8, then details, what is below them, the position, and values.
    let (details, below, position, values) = (8 + 66, 74 + 66, 140 + 18, 158 + 30)
    return Array((big ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
      + directory([
        entry(0x010F, 2, text.count, number(values, 4)), entry(0x0112, 3, 1, number(6, 2)),
        entry(0x011A, 5, 1, number(values + 12, 4)), entry(0x8769, 4, 1, number(details, 4)),
        entry(0x8825, 4, 1, number(position, 4)),
      ])
      + directory([
        entry(0x9000, 7, 4, Array("0230".utf8)), entry(0xA001, 3, 1, number(1, 2)),
        entry(0xA002, 4, 1, number(20, 4)), entry(0xA003, 4, 1, number(18, 4)),
        entry(0xA005, 4, 1, number(below, 4)),
      ])
      + directory([entry(0x0001, 2, 4, Array("R98\0".utf8))])
      + directory([
        entry(0x0000, 1, 4, [2, 3, 0, 0]), entry(0x0002, 5, 3, number(values + 12, 4)),
      ])
      + text + number(72, 4) + number(1, 4) + number(52, 4) + number(1, 4) + number(30, 4)
      + number(1, 4)
  }

  static let iptc: [UInt8] =
    set(2, 5, Array("A title".utf8)) + set(2, 120, Array("What is to be seen".utf8))
    + set(2, 25, Array("glass".utf8)) + set(2, 202, [1, 2, 3])

  private static func set(_ record: UInt8, _ number: UInt8, _ data: [UInt8]) -> [UInt8] {
    [0x1C, record, number, 0, UInt8(data.count)] + data
  }

  private static let photoshop: [UInt8] =
    Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [4, 9, 0, 0, 0, 0, 0, 2, 7, 7]
    + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(iptc.count)] + iptc

  static let xmp = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description tiff:Orientation="6" dc:format="image/png"><tiff:Orientation>6</tiff:Orientation>
    <dc:title>Ein Glasstück</dc:title></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """
}
