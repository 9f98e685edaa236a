import FrostglassCore

/// TIFF structures put together by hand, little-endian: whole images, and EXIF blocks.
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

  /// The position of the next data that will be appended.
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

  /// An image of one uncompressed strip.
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

  /// An image of uncompressed tiles; all samples of a pixel are alike.
  ///
  /// - Parameter sharing: true if all tiles are the first one.
  /// - Returns: the file, and the value of each pixel.
  static func tiles(
    _ size: Size, side: Int, samples: Int, sharing: Bool = false
  ) -> (file: [UInt8], value: (_ x: Int, _ y: Int) -> UInt8) {
    let columns = (size.width + side - 1) / side
    let rows = (size.height + side - 1) / side
    let value = { (x: Int, y: Int) in
      UInt8(truncatingIfNeeded: x / side * 7 + x % side + y * 5)
    }
    var file = TIFFFile()
    var places: [Int] = []
    for tile in 0..<columns * rows {
      if sharing, let first = places.first {
        places.append(first)
        continue
      }
      let (left, top) = (tile % columns * side, tile / columns * side)
      let data = (0..<side * side).flatMap { index in
        [UInt8](repeating: value(left + index % side, top + index / side), count: samples)
      }
      places.append(file.append(data))
    }
    let count = side * side * samples
    let first = file.appendDirectory(
      [
        .long(256, size.width), .long(257, size.height),
        Entry(
          tag: 258, type: 3, count: samples,
          data: [UInt8]((0..<samples).flatMap { _ in little(8, 2) })),
        .short(259, 1), .short(262, samples == 1 ? 1 : 2), .short(277, samples), .short(284, 1),
        .short(322, side), .short(323, side),
        Entry(tag: 324, type: 4, count: places.count, data: places.flatMap { little($0, 4) }),
        Entry(
          tag: 325, type: 4, count: places.count, data: places.flatMap { _ in little(count, 4) }),
        // What is not color is alpha that is not premultiplied.
        .short(338, 2),
      ].filter { samples > 3 || $0.tag != 338 })
    file.setFirst(first)
    return (file.bytes, value)
  }

  /// The file of tiles with the last one beyond its end.
  static func withoutLastTile(_ file: [UInt8]) -> [UInt8] {
    var broken = file
    func number(_ place: Int, _ count: Int) -> Int {
      file[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let directory = number(4, 4)
    for entry in 0..<number(directory, 2) {
      let place = directory + 2 + 12 * entry
      guard number(place, 2) == 324 else { continue }
      let last = number(place + 8, 4) + 4 * (number(place + 4, 4) - 1)
      broken.replaceSubrange(last..<last + 4, with: little(file.count, 4))
    }
    return broken
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
