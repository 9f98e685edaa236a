/// TIFF structures put together by hand, little-endian: whole pictures, and EXIF blocks.
struct TIFFFile {
  /// One entry of a directory: tag, type (1 byte, 2 text, 3 short, 4 long, 7 undefined), values.
  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    let data: [UInt8]

    static func short(_ tag: Int, _ values: Int...) -> Entry {
      Entry(tag: tag, type: 3, count: values.count, data: values.flatMap { little($0, 2) })
    }
    static func long(_ tag: Int, _ value: Int) -> Entry {
      Entry(tag: tag, type: 4, count: 1, data: little(value, 4))
    }
    static func text(_ tag: Int, _ value: String) -> Entry {
      let data = Array(value.utf8) + [0]
      return Entry(tag: tag, type: 2, count: data.count, data: data)
    }
    static func bytes(_ tag: Int, _ data: [UInt8], type: Int = 7) -> Entry {
      Entry(tag: tag, type: type, count: data.count, data: data)
    }
  }

  private(set) var bytes: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]

  /// Where the next thing will be appended.
  var end: Int { bytes.count }

  mutating func append(_ data: [UInt8]) -> Int {
    let offset = bytes.count
    bytes += data + (data.count % 2 == 1 ? [0] : [])
    return offset
  }

  /// Appends a directory and gives its offset; `next` is the following directory's, or 0.
  mutating func appendDirectory(_ entries: [Entry], next: Int = 0) -> Int {
    var table = Self.little(entries.count, 2)
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      table += Self.little(entry.tag, 2) + Self.little(entry.type, 2) + Self.little(entry.count, 4)
      if entry.data.count <= 4 {
        table += entry.data + [UInt8](repeating: 0, count: 4 - entry.data.count)
      } else {
        table += Self.little(append(entry.data), 4)
      }
    }
    return append(table + Self.little(next, 4))
  }

  /// Names the first directory.
  mutating func setFirst(_ offset: Int) {
    bytes.replaceSubrange(4..<8, with: Self.little(offset, 4))
  }

  /// A picture of one uncompressed strip.
  ///
  /// - Parameters:
  ///   - photometric: 0 white is zero, 1 gray, 2 RGB, 3 palette, 5 CMYK, 8 Lab.
  ///   - sampleFormat: 1 unsigned, 2 signed, 3 float.
  static func picture(
    width: Int, height: Int, bits: Int, samples: Int, photometric: Int, sampleFormat: Int = 1,
    more: [Entry] = [], data: [UInt8]
  ) -> [UInt8] {
    var file = TIFFFile()
    let strip = file.append(data)
    let perSample = [UInt8]((0..<samples).flatMap { _ in little(bits, 2) })
    let formats = [UInt8]((0..<samples).flatMap { _ in little(sampleFormat, 2) })
    let first = file.appendDirectory(
      [
        .long(256, width), .long(257, height),
        Entry(tag: 258, type: 3, count: samples, data: perSample), .short(259, 1),
        .short(262, photometric), .long(273, strip), .short(277, samples), .long(278, height),
        .long(279, data.count), .short(284, 1),
        Entry(tag: 339, type: 3, count: samples, data: formats),
      ] + more)
    file.setFirst(first)
    return file.bytes
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
