/// One tag of an EXIF directory with its value in the byte order of its block.
struct ExifEntry {
  /// Values that are written anew.
  enum Value {
    case short(Int)
    case long(Int)
    case text(String)
  }

  let tag: Int
  /// What `data` consists of, 1…12 as TIFF numbers its types.
  let type: Int
  let count: Int
  let data: [UInt8]

  init(_ tag: Int, _ value: Value, _ order: ByteOrder) {
    self.tag = tag
    switch value {
    case .short(let number): (type, count, data) = (3, 1, order.bytes(number, 2))
    case .long(let number): (type, count, data) = (4, 1, order.bytes(number, 4))
    case .text(let text): (type, count, data) = (2, text.utf8.count + 1, Array(text.utf8) + [0])
    }
  }

  /// Reads the entry at an offset; `nil` where it is broken or reaches out of the block.
  private init?(_ block: [UInt8], at offset: Int, _ order: ByteOrder) {
    guard let tag = order.number(block, at: offset, bytes: 2),
      let type = order.number(block, at: offset + 2, bytes: 2),
      let count = order.number(block, at: offset + 4, bytes: 4),
      let unit = Self.bytesPerValue[type], count >= 1, count <= block.count
    else { return nil }
    let length = count * unit
    let place = length <= 4 ? offset + 8 : order.number(block, at: offset + 8, bytes: 4)
    guard let place, place + length <= block.count else { return nil }
    self.tag = tag
    self.type = type
    self.count = count
    data = Array(block[place..<place + length])
  }

  /// All sound entries of the directory at an offset, each tag once.
  static func directory(of block: [UInt8], at offset: Int, _ order: ByteOrder) -> [ExifEntry] {
    guard let count = order.number(block, at: offset, bytes: 2) else { return [] }
    var seen: Set<Int> = []
    var entries: [ExifEntry] = []
    // Values may overlap in a hostile block; sound ones together are no longer than the block.
    var room = block.count
    for index in 0..<count {
      guard let entry = ExifEntry(block, at: offset + 2 + 12 * index, order),
        entry.data.count <= room, seen.insert(entry.tag).inserted
      else { continue }
      room -= entry.data.count
      entries.append(entry)
    }
    return entries
  }

  /// By TIFF's type numbers: byte, text, short, long, rational, and their signed kin.
  private static let bytesPerValue = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8,
  ]
}
