/// The news metadata of the IPTC, alone or inside Photoshop's resource blocks.
enum IPTC {
  private static let photoshop = Array("Photoshop 3.0\0".utf8)
  private static let block = Array("8BIM".utf8)

  /// The plain IPTC records of a file's block, without the ones that hold a preview image.
  ///
  /// Of Photoshop's resources only the IPTC record is taken; others hold thumbnails. `nil` where
  /// nothing remains.
  static func safe(_ bytes: [UInt8]) -> [UInt8]? {
    let records: ArraySlice<UInt8>
    if bytes.starts(with: photoshop) {
      records = resource(0x0404, in: bytes.dropFirst(photoshop.count))
    } else if bytes.starts(with: block) {
      records = resource(0x0404, in: bytes[...])
    } else {
      records = bytes[...]
    }
    let kept = withoutPreviews(records)
    return kept.isEmpty ? nil : kept
  }

  /// Wraps plain records the way JPEG files carry them.
  static func wrapped(_ records: [UInt8]) -> [UInt8] { photoshop + resource(records) }

  /// Plain records as one of Photoshop's resources.
  static func resource(_ records: [UInt8]) -> [UInt8] {
    let count = records.count
    let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    return block + [0x04, 0x04, 0, 0] + size + records + (count % 2 == 1 ? [0] : [])
  }

  /// Lengthens plain records with zeros, which readers skip, so that they arrive whole in a TIFF.
  ///
  /// libvips 8.14 tells libtiff the number of 4-byte words, and libtiff 4.5 takes it for bytes:
  /// three quarters would be lost.
  static func padded(_ records: [UInt8]) -> [UInt8] {
    records + [UInt8](repeating: 0, count: 3 * records.count)
  }

  /// The data of one Photoshop resource: signature, number, padded name, length, padded data.
  private static func resource(_ wanted: Int, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while rest.count >= 12, rest.starts(with: block) {
      let number = bigEndian(rest.dropFirst(4).prefix(2))
      let name = Int(rest[rest.startIndex + 6])
      let head = 6 + (name + 2) / 2 * 2
      let count = bigEndian(rest.dropFirst(head).prefix(4))
      let data = rest.dropFirst(head + 4).prefix(count)
      if number == wanted { return data }
      rest = rest.dropFirst(head + 4 + (count + 1) / 2 * 2)
    }
    return []
  }

  /// Copies data sets up to the first broken one, except those that hold an object or its preview:
  /// 2:200 to 2:202 and records 7 to 9.
  private static func withoutPreviews(_ records: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var rest = records
    while rest.count >= 5, rest.first == 0x1C {
      let head = Array(rest.prefix(5))
      let count = bigEndian(head[3...])
      guard count < 0x8000, rest.count >= 5 + count else { break }
      let preview = head[1] >= 7 || (head[1] == 2 && (200...202).contains(head[2]))
      if !preview { kept += rest.prefix(5 + count) }
      rest = rest.dropFirst(5 + count)
    }
    return kept
  }

  private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
