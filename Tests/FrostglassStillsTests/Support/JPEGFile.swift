/// JPEG files taken apart and put together.
enum JPEGFile {
  struct Segment {
    let marker: UInt8
    let data: [UInt8]
  }

  /// The segments before the image data.
  static func segments(_ file: [UInt8]) -> [Segment] {
    var found: [Segment] = []
    var offset = 2
    while offset + 4 <= file.count, file[offset] == 0xFF, file[offset + 1] != 0xDA {
      let count = Int(file[offset + 2]) << 8 | Int(file[offset + 3])
      found.append(
        Segment(marker: file[offset + 1], data: Array(file[offset + 4..<offset + 2 + count])))
      offset += 2 + count
    }
    return found
  }

  /// Puts a segment behind the start of the file.
  static func inserting(_ marker: UInt8, _ data: [UInt8], into file: [UInt8]) -> [UInt8] {
    let count = data.count + 2
    let head: [UInt8] = [0xFF, marker, UInt8(count >> 8), UInt8(count & 255)]
    return Array(file.prefix(2)) + head + data + Array(file.dropFirst(2))
  }

  static func insertingExif(_ block: [UInt8], into file: [UInt8]) -> [UInt8] {
    inserting(0xE1, Array("Exif\0\0".utf8) + block, into: file)
  }

  /// The EXIF block without its six leading bytes.
  static func exif(_ file: [UInt8]) -> [UInt8]? {
    segments(file).first { $0.marker == 0xE1 && $0.data.starts(with: "Exif\0\0".utf8) }
      .map { Array($0.data.dropFirst(6)) }
  }
}

extension Array where Element == UInt8 {
  /// Returns true if these bytes occur somewhere.
  func contains(text: String) -> Bool { contains(bytes: Array(text.utf8)) }

  func contains(bytes: [UInt8]) -> Bool {
    guard count >= bytes.count else { return false }
    return (0...count - bytes.count).contains { start in
      self[start] == bytes[0] && self[start..<start + bytes.count].elementsEqual(bytes)
    }
  }
}
