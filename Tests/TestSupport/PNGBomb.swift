/// A small PNG file that is whole and becomes very large.
public enum PNGBomb {
  /// A black 1-bit image.
  public static func file(width: Int, height: Int) -> [UInt8] {
    let raw = ((width + 7) / 8 + 1) * height
    return PNGFile.signature + PNGFile.header(width: width, height: height, bits: 1, color: 0)
      + PNGFile.chunk("IDAT", zlibZeros(raw)) + PNGFile.chunk("IEND", [])
  }

  /// A black image with 8 bits of red, green and blue whose data go on behind its last row.
  public static func endless(width: Int, height: Int, zeros: Int, isInterlaced: Bool = false)
    -> [UInt8]
  {
    PNGFile.signature
      + PNGFile.header(width: width, height: height, isInterlaced: isInterlaced)
      + PNGFile.chunk("IDAT", zlibZeros(zeros)) + PNGFile.chunk("IEND", [])
  }

  /// `count` zeros as a zlib stream.
  ///
  /// A zero, copies of 258 bytes from distance 1, and single zeros. In the fixed Huffman code (RFC 1951, 3.2.6)
  /// such a copy takes 13 bits, 11000101 00000, and a zero is 00110000.
  public static func zlibZeros(_ count: Int) -> [UInt8] {
    var bits = Bits()
    bits.append("110")  // last block, fixed code; least significant bit of the type first
    bits.append("00110000")
    for _ in 0..<(count - 1) / 258 { bits.append("1100010100000") }
    for _ in 0..<(count - 1) % 258 { bits.append("00110000") }
    bits.append("0000000")
    // Adler-32 of n zeros: the low sum stays 1, the high sum counts them.
    let sum = (count) % 65521 << 16 | 1
    return [0x78, 0x01] + bits.bytes + PNGFile.bigEndian32(sum)
  }

  /// Bits packed from the least significant of each byte on.
  private struct Bits {
    var bytes: [UInt8] = []
    private var used = 8

    mutating func append(_ code: StaticString) {
      code.withUTF8Buffer { digits in
        for digit in digits {
          if used == 8 {
            bytes.append(0)
            used = 0
          }
          bytes[bytes.count - 1] |= (digit & 1) << UInt8(used)
          used += 1
        }
      }
    }
  }
}
