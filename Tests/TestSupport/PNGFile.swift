/// PNG files put together by hand.
package enum PNGFile {
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  package static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + data
    return bigEndian32(data.count) + body + bigEndian32(Int(checksum(body)))
  }

  package static func header(
    width: Int, height: Int, bits: UInt8 = 8, color: UInt8 = 2, isInterlaced: Bool = false
  ) -> [UInt8] {
    chunk(
      "IHDR", bigEndian32(width) + bigEndian32(height) + [bits, color, 0, 0, isInterlaced ? 1 : 0])
  }

  /// The offset and size of a chunk's data.
  package static func find(_ kind: String, in file: [UInt8]) -> Range<Int>? {
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
  package static func chunks(_ file: [UInt8]) -> [(name: String, data: ArraySlice<UInt8>)] {
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

  package static func bigEndian32(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes { sum = remainders[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8 }
    return ~sum
  }
}
