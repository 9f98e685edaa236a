/// A part of a PNG file: a length, a name of four letters, what is in it, and a checksum.
struct PNGChunk {
  let kind: String
  /// Where what is in it is in the file.
  let content: Range<Int>
  /// Where all of it is.
  var whole: Range<Int> { content.lowerBound - 8..<content.upperBound + 4 }

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Goes through the chunks that are there whole until `isWanted` ends it.
  ///
  /// - Returns: whether it was ended, and not by the end of the file.
  @discardableResult static func each(
    _ file: some BlockOfBytes, _ goesOn: (PNGChunk) -> Bool
  ) -> Bool {
    var place = signature.count
    while let length = ByteOrder.big.number(file, at: place, bytes: 4),
      length <= Int(Int32.max), place + 12 + length <= file.count
    {
      let kind = String(decoding: Array(file[place + 4..<place + 8]), as: UTF8.self)
      let chunk = PNGChunk(kind: kind, content: place + 8..<place + 8 + length)
      guard goesOn(chunk) else { return true }
      place += 12 + length
    }
    return false
  }

  /// Whether its checksum fits.
  func isIntact(in file: some BlockOfBytes) -> Bool {
    let sum = ByteOrder.big.number(file, at: content.upperBound, bytes: 4)
    return sum == Int(Self.checksum(file[content.lowerBound - 4..<content.upperBound]))
  }

  /// A chunk as it stands in a file.
  static func bytes(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + content
    return ByteOrder.big.bytes(content.count, 4) + body
      + ByteOrder.big.bytes(Int(checksum(body)), 4)
  }

  /// CRC-32 as PNG has it.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      remainders[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8
    }
  }

  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }
}
