internal import FrostglassCore

/// A tag of an EXIF directory, with its value in the byte order of its block.
struct ExifEntry {
  /// Values that are written anew.
  enum Value {
    case short(Int)
    case shorts([Int])
    case long(Int)
    case text(String)
    /// A text with its alphabet in front.
    case comment(String)
  }

  let tag: Int
  /// The type of `data`, 1…12 as TIFF numbers its types.
  let type: Int
  let count: Int
  let data: [UInt8]

  init(_ tag: Int, _ value: Value, _ order: ByteOrder) {
    self.tag = tag
    switch value {
    case .short(let number): (type, count, data) = (3, 1, order.bytes(number, 2))
    case .shorts(let numbers):
      (type, count, data) = (3, numbers.count, numbers.flatMap { order.bytes($0, 2) })
    case .long(let number): (type, count, data) = (4, 1, order.bytes(number, 4))
    case .text(let text): (type, count, data) = (2, text.utf8.count + 1, Array(text.utf8) + [0])
    case .comment(let text):
      let isASCII = text.utf8.allSatisfy { $0 < 128 }
      let alphabet = Array("ASCII".utf8) + [0, 0, 0]
      let bytes = (isASCII ? alphabet : [UInt8](repeating: 0, count: 8)) + Array(text.utf8)
      (type, count, data) = (7, bytes.count, bytes)
    }
  }

  private init(tag: Int, type: Int, count: Int, data: [UInt8]) {
    (self.tag, self.type, self.count, self.data) = (tag, type, count, data)
  }

  /// Returns the bytes that an entry takes. Data longer than 4 bytes are stored after the directory.
  static func bytes(ofData count: Int) -> Int { 12 + (count > 4 ? (count + 1) / 2 * 2 : 0) }

  /// Its values, where those are shorts or longs.
  func numbers(_ order: ByteOrder) -> [Int]? {
    guard type == 3 || type == 4 else { return nil }
    let unit = type == 3 ? 2 : 4
    return (0..<min(count, 16)).compactMap { order.number(data, at: $0 * unit, bytes: unit) }
  }

  /// True if its type exists in EXIF and classic TIFF.
  var isClassic: Bool { type <= 12 }

  /// The same with the bytes of its numbers turned.
  var inOtherOrder: ExifEntry {
    let unit = [3: 2, 4: 4, 5: 4, 8: 2, 9: 4, 10: 4, 11: 4, 12: 8][type] ?? 1
    let turned = stride(from: 0, to: data.count - unit + 1, by: unit).flatMap {
      data[$0..<$0 + unit].reversed()
    }
    return ExifEntry(tag: tag, type: type, count: count, data: turned)
  }

  /// Bytes of a directory's values together, in a file that is no EXIF block.
  private static let mostBytes = 16 << 20

  /// Reads the entry at an offset; `nil` where it is broken or reaches out of the block.
  private init?(
    _ block: some BlockOfBytes, at offset: Int, _ order: ByteOrder, _ layout: DirectoryLayout
  ) {
    guard let tag = order.number(block, at: offset, bytes: 2),
      let type = order.number(block, at: offset + 2, bytes: 2),
      let count = order.number(block, at: offset + 4, bytes: layout.field),
      let unit = Self.bytesPerValue[type], count >= 1, count <= block.count
    else { return nil }
    let length = count * unit
    let own = offset + 4 + layout.field
    let place = length <= layout.field ? own : order.number(block, at: own, bytes: layout.field)
    guard let place, place >= 0, place <= block.count - length, length <= Self.mostBytes else {
      return nil
    }
    self.init(tag: tag, type: type, count: count, data: Array(block[place..<place + length]))
  }

  /// All sound entries of the directory at an offset, each tag once.
  static func directory(
    of block: some BlockOfBytes, at offset: Int, _ order: ByteOrder, _ layout: DirectoryLayout
  ) -> [ExifEntry] {
    guard let count = order.number(block, at: offset, bytes: layout.count),
      (0...0xFFFF).contains(count)
    else { return [] }
    var seen: Set<Int> = []
    var entries: [ExifEntry] = []
    // Values may overlap in a hostile block; valid ones together are no longer than the block.
    var room = min(block.count, mostBytes)
    for index in 0..<count {
      let place = offset + layout.count + layout.entry * index
      guard let entry = ExifEntry(block, at: place, order, layout),
        entry.data.count <= room, seen.insert(entry.tag).inserted
      else { continue }
      room -= entry.data.count
      entries.append(entry)
    }
    return entries
  }

  /// By TIFF's type numbers: byte, text, short, long, rational, and their signed kin; pointers, and
  /// longs of 64 bits.
  private static let bytesPerValue = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8,
  ]
}

/// The number of bytes of each number in a directory.
struct DirectoryLayout {
  /// The number of entries.
  var count = 2
  var entry = 12
  /// A count of values, and a value or an offset.
  var field = 4

  /// The layout of big TIFF.
  static let big = DirectoryLayout(count: 8, entry: 20, field: 8)
}

/// The numbers of the EXIF tags that are looked at one by one.
enum ExifTag {
  static let orientation = 0x0112
  /// Points at the directory of how the image was taken.
  static let detail = 0x8769
  /// Points at the GPS directory.
  static let position = 0x8825
  /// Points at the directory that says how to exchange files, inside that of `detail`.
  static let exchange = 0xA005
  static let exchangeIndex = 0x0001
  static let colorSpace = 0xA001
  static let width = 0xA002
  static let height = 0xA003
  /// Center of the subject in pixels, with its diameter or its width and height.
  static let subjectArea = 0x9214
  /// Center of the subject in pixels.
  static let subjectLocation = 0xA214
  /// Both resolutions, and their unit.
  static let resolution = [0x011A, 0x011B, 0x0128]
  /// The tag for a comment, inside the directory of `detail`.
  static let comment = 0x9286
  /// Orientation, resolution, places of colors and of components, sizes, and versions of formats.
  static let storage: Set<Int> = [
    orientation, 0x011A, 0x011B, 0x0128, 0x0213, 0x9000, 0x9101, 0xA000, colorSpace, width, height,
  ]
  /// Tags for what a PNG has under these keywords.
  static let texts = [
    "Description": 0x010E, "Software": 0x0131, "Author": 0x013B, "Copyright": 0x8298,
  ]
}

/// The order of bytes in a TIFF structure.
enum ByteOrder {
  case little
  case big

  /// Reads the mark in the first two bytes: `II` or `MM`.
  init?(mark block: [UInt8]) {
    switch String(decoding: block.prefix(2), as: UTF8.self) {
    case "II": self = .little
    case "MM": self = .big
    default: return nil
    }
  }

  var mark: [UInt8] { Array((self == .little ? "II" : "MM").utf8) }

  /// An unsigned number, or `nil` where it would reach out of the block.
  func number(_ block: some BlockOfBytes, at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= block.count - count else { return nil }
    let bytes = block[offset..<offset + count]
    return self == .big
      ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The lowest bytes of a number.
  func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return self == .little ? little : little.reversed()
  }
}

/// Bytes from 0 on: an array, or a file that is mapped into memory.
protocol BlockOfBytes: RandomAccessCollection<UInt8> where Index == Int {}
extension Array: BlockOfBytes where Element == UInt8 {}
extension UnsafeRawBufferPointer: BlockOfBytes {}
