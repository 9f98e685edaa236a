/// The references between images in a HEIC or AVIF file: tiles of a grid, layers, alpha.
///
/// libheif decodes everything that an image refers to, level by level and with new threads for each. It does not
/// detect an image that refers to itself: for 1500 damaged bytes it started threads until the system refused more,
/// which ended the process. Nor does it count how often it decodes an image.
struct ItemReferences {
  /// Levels of images that are made of images. Cameras use two: a grid of tiles, and its alpha.
  private static let mostLevels = 8
  /// The number of times an image may be decoded, on average, for each reference to one.
  private static let mostUses = 4

  /// The item that is the file's image.
  private(set) var primary = 0
  /// True if the image refers to its alpha as what its colors are multiplied by.
  private(set) var isPremultiplied = false
  private var count = 0
  /// The images that decoding one decodes too.
  private var parts: [Int: [Int]] = [:]

  /// Reads them as libheif does, as far as they make sense.
  ///
  /// - Parameter file: all of it.
  init(_ file: UnsafeRawBufferPointer) {
    let reader = BoxReader(file: file)
    guard let meta = reader.last("meta", in: 0..<file.count) else { return }
    // A version and flags come first.
    let inside = min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
    if let box = reader.first("pitm", in: inside), let version = reader.number(box.lowerBound, 1) {
      primary = reader.number(box.lowerBound + 4, version == 0 ? 2 : 4) ?? 0
    }
    if let box = reader.first("iref", in: inside) { read(box, reader) }
  }

  private mutating func read(_ box: Range<Int>, _ reader: BoxReader<UnsafeRawBufferPointer>) {
    guard let version = reader.number(box.lowerBound, 1) else { return }
    let bytes = version == 0 ? 2 : 4
    var place = box.lowerBound + 4
    while let header = reader.header(place, in: box),
      let from = reader.number(header.content, bytes),
      let count = reader.number(header.content + bytes, 2)
    {
      // Lengths of references are not looked at.
      place = header.content + bytes + 2
      for _ in 0..<count {
        guard place < box.upperBound, let to = reader.number(place, bytes) else { return }
        if header.type == "dimg" { parts[from, default: []].append(to) }
        if header.type == "prem", from == primary { isPremultiplied = true }
        if header.type == "auxl" { parts[to, default: []].append(from) }
        place += bytes
        self.count += 1
      }
    }
  }

  /// The first item that the image is made of, or an alpha of it; `nil` if there is none.
  var firstTile: Int? { parts[primary]?.first }

  /// True if decoding the file's image ends, after a number of steps in proportion to its references.
  var areSound: Bool {
    var left = 1 + Self.mostUses * count
    return isSound(primary, level: 0, &left)
  }

  private func isSound(_ item: Int, level: Int, _ left: inout Int) -> Bool {
    left -= 1
    guard left >= 0, level <= Self.mostLevels else { return false }
    for part in parts[item] ?? [] {
      guard isSound(part, level: level + 1, &left) else { return false }
    }
    return true
  }
}

/// Finds boxes, which files of HEIF and JPEG XL consist of: a length, a name of four letters, and what is
/// in it.
struct BoxReader<File: BlockOfBytes> {
  let file: File

  /// A big-endian number; `nil` where the file ends before.
  func number(_ place: Int, _ count: Int) -> Int? {
    guard place >= 0, place <= file.count - count else { return nil }
    return file[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the header of a box: its type, the position after the header, and the end of the box.
  func header(_ place: Int, in range: Range<Int>) -> (type: String, content: Int, end: Int)? {
    guard place <= range.upperBound - 8, let short = number(place, 4) else { return nil }
    let type = String(decoding: Array(file[place + 4..<place + 8]), as: UTF8.self)
    var content = place + 8
    var length = short
    if short == 1 {
      // More than any file has where the upper half is in use.
      guard let high = number(content, 4), let low = number(content + 4, 4) else { return nil }
      length = high > 0xFFFF ? .max : high << 32 | low
      content += 8
    }
    if type == "uuid" { content += 16 }
    let rest = range.upperBound - place
    return (type, content, place + (short == 0 ? rest : min(length, rest)))
  }

  func first(_ type: String, in range: Range<Int>) -> Range<Int>? {
    each(in: range) { name, _ in name == type }
  }

  func last(_ type: String, in range: Range<Int>) -> Range<Int>? {
    var found: Range<Int>?
    _ = each(in: range) { name, content in
      if name == type { found = content }
      return false
    }
    return found
  }

  /// The first boxes of a range.
  func boxes(in range: Range<Int>) -> [(name: String, content: Range<Int>)] {
    var found: [(String, Range<Int>)] = []
    _ = each(in: range) { name, content in
      found.append((name, content))
      return found.count == 256
    }
    return found
  }

  /// Goes through the boxes of a range up to one that is wanted.
  private func each(
    in range: Range<Int>, _ isWanted: (String, Range<Int>) -> Bool
  ) -> Range<Int>? {
    var place = range.lowerBound
    while let header = header(place, in: range), header.content <= header.end {
      let content = header.content..<header.end
      if isWanted(header.type, content) { return content }
      place = header.end
    }
    return nil
  }
}
