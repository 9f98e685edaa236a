/// EXIF blocks, written and read by hand, so that the code under test is not its own witness.
enum CameraExif {
  static let secret = "SHARPPREVIEW"

  /// A camera's block: maker, orientation, sizes, a maker's note, a private tag, and a thumbnail in
  /// IFD1. Everything that could show the image contains `secret`.
  static func camera(orientation: Int = 1, width: Int = 999, height: Int = 888) -> [UInt8] {
    var file = TIFFFile()
    let hidden = Array(secret.utf8)
    let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + hidden + [0, 0, 0xFF, 0xD9]
    let picture = file.append(thumbnail)
    let second = file.appendDirectory([
      .short(0x0103, 6), .text(0x010F, secret), .long(0x0201, picture),
      .long(0x0202, thumbnail.count),
    ])
    let detail = file.appendDirectory([
      .bytes(0x9000, Array("0230".utf8)), .bytes(0x927C, hidden + hidden),
      .short(0xA001, 0xFFFF), .long(0xA002, width), .long(0xA003, height),
      .text(0x9003, "2021:02:03 04:05:06"),
    ])
    let first = file.appendDirectory(
      [
        .text(0x010F, "Lumen"), .short(0x0112, orientation), .text(0x8298, "A. Person"),
        .bytes(0x8649, hidden, type: 1), .bytes(0x02BC, hidden, type: 1),
        .bytes(0xC7A1, hidden), .long(0x8769, detail),
      ], next: second)
    file.setFirst(first)
    return file.bytes
  }

  /// The parts of a block that a reader needs: the tags of IFD0 and the EXIF IFD, and whether IFD1 exists.
  struct Contents {
    var numbers: [Int: Int] = [:]
    var hasSecondDirectory = false
  }

  static func read(_ block: [UInt8]) -> Contents {
    var contents = Contents()
    let little = block[0] == 0x49
    func number(_ offset: Int, _ count: Int) -> Int {
      let bytes = block[offset..<offset + count]
      return (little ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    func directory(_ offset: Int) -> Int {
      let count = number(offset, 2)
      for index in 0..<count {
        let entry = offset + 2 + 12 * index
        let tag = number(entry, 2)
        let value = number(entry + 8, number(entry + 2, 2) == 3 ? 2 : 4)
        contents.numbers[tag] = value
        if tag == 0x8769 { _ = directory(value) }
      }
      return number(offset + 2 + 12 * count, 4)
    }
    contents.hasSecondDirectory = directory(number(4, 4)) != 0
    return contents
  }
}
