/// PNG files put together by hand.
enum PNGFile {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + data
    return bigEndian32(data.count) + body + bigEndian32(Int(checksum(body)))
  }

  static func header(width: Int, height: Int, bits: UInt8 = 8, color: UInt8 = 2) -> [UInt8] {
    chunk("IHDR", bigEndian32(width) + bigEndian32(height) + [bits, color, 0, 0, 0])
  }

  /// The offset and size of a chunk's data.
  static func find(_ kind: String, in file: [UInt8]) -> Range<Int>? {
    var offset = signature.count
    while offset + 12 <= file.count {
      let count = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      if file[offset + 4..<offset + 8].elementsEqual(kind.utf8) {
        return offset + 8..<offset + 8 + count
      }
      offset += 12 + count
    }
    return nil
  }

  /// The chunks of a file.
  static func chunks(_ file: [UInt8]) -> [(name: String, data: ArraySlice<UInt8>)] {
    var found: [(String, ArraySlice<UInt8>)] = []
    var offset = signature.count
    while offset + 12 <= file.count {
      let count = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
      found.append((name, file[offset + 8..<offset + 8 + count]))
      offset += 12 + count
    }
    return found
  }

  static func bigEndian32(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
  }
}
