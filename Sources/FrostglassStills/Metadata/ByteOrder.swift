internal import FrostglassCore

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
