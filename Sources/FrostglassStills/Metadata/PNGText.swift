internal import CVips
internal import FrostglassCore

/// A part of a PNG file: a length, a name of four letters, what is in it, and a checksum.
struct PNGChunk {
  let kind: String
  /// The range of its content in the file.
  let content: Range<Int>
  /// The range of the whole chunk.
  var whole: Range<Int> { content.lowerBound - 8..<content.upperBound + 4 }

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Visits complete chunks until `goesOn` returns false.
  ///
  /// - Returns: true if `goesOn` ended it, and not the end of the file.
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

  /// Decompresses a zlib stream; `nil` if it is damaged or longer than `most` bytes.
  static func inflated(_ data: ArraySlice<UInt8>, atMost most: Int) -> [UInt8]? {
    var count = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, initialized in
      count = data.withUnsafeBytes {
        Int(fg_inflate($0.baseAddress, $0.count, buffer.baseAddress, buffer.count))
      }
      initialized = max(count, 0)
    }
    return count < 0 ? nil : bytes
  }

  /// Returns true if its checksum is correct.
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

/// Texts in the chunks of a PNG.
enum PNGText {
  /// Texts that are read of a file, and bytes of each.
  private static let (most, longest) = (64, 1 << 18)

  /// The keyword of an XMP packet.
  static let xmp = "XML:com.adobe.xmp"

  /// Reads as many as are taken, with the packets that other programs keep in such texts.
  ///
  /// - Parameter file: all of it, or as much as there is.
  /// - Returns: the texts, and whether there are others, which are too many or too long.
  static func texts(
    in file: some BlockOfBytes
  ) -> (texts: [StillMetadata.Text], areCut: Bool) {
    var found: [StillMetadata.Text] = []
    // Also those that cannot be read take their time.
    var (tried, areCut) = (0, false)
    PNGChunk.each(file) { chunk in
      guard kinds.contains(chunk.kind) else { return chunk.kind != "IEND" }
      tried += 1
      if tried > most || chunk.content.count > longest {
        areCut = true
      } else if let text = text(chunk.kind, Array(file[chunk.content])) {
        found.append(text)
      }
      return tried <= most
    }
    return (found, areCut)
  }

  /// The names of chunks with texts.
  static let kinds: Set<String> = ["tEXt", "zTXt", "iTXt"]

  private static func text(_ kind: String, _ data: [UInt8]) -> StillMetadata.Text? {
    guard let end = data.firstIndex(of: 0), (1...79).contains(end),
      data[..<end].allSatisfy({ (0x20...0x7E).contains($0) || $0 > 0xA0 })
    else { return nil }
    let keyword = latin(data[..<end])
    let rest = data[(end + 1)...]
    switch kind {
    case "tEXt": return StillMetadata.Text(keyword, latin(rest))
    case "zTXt":
      return PNGChunk.inflated(rest.dropFirst(), atMost: longest).map {
        StillMetadata.Text(keyword, latin($0[...]))
      }
    default:
      // Whether it is compressed, how, a language, and the keyword in that language.
      let parts = rest.dropFirst(2).split(
        separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      guard rest.count >= 2, parts.count == 3 else { return nil }
      let isCompressed = rest[rest.startIndex] == 1
      guard let text = isCompressed ? PNGChunk.inflated(parts[2], atMost: longest) : Array(parts[2])
      else { return nil }
      return String(validating: text, as: UTF8.self).map { StillMetadata.Text(keyword, $0) }
    }
  }

  private static func latin(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// A text as a chunk: of Latin letters, or of UTF-8 where those are not enough.
  static func chunk(_ text: StillMetadata.Text) -> [UInt8] {
    let keyword = text.keyword.unicodeScalars.map { UInt8(clamping: $0.value) }
    let scalars = text.text.unicodeScalars
    let isLatin = scalars.allSatisfy {
      $0 == "\n" || (0x20...0x7E).contains($0.value) || (0xA0...0xFF).contains($0.value)
    }
    return isLatin
      ? PNGChunk.bytes("tEXt", keyword + [0] + scalars.map { UInt8(clamping: $0.value) })
      : PNGChunk.bytes("iTXt", keyword + [0, 0, 0, 0, 0] + Array(text.text.utf8))
  }
}

/// Packets of other formats in texts of a PNG, as ImageMagick began it and others read and write them:
/// a name, a number of bytes, and these in hexadecimal digits.
enum RawProfile {
  private static let keyword = "Raw profile type "

  /// The name of the packet that a text is, such as `iptc`; `nil` for other texts.
  static func name(of text: StillMetadata.Text) -> String? {
    text.keyword.hasPrefix(keyword)
      ? String(text.keyword.dropFirst(keyword.count)).lowercased() : nil
  }

  /// The packet in a text; `nil` where it is broken.
  static func bytes(of text: StillMetadata.Text) -> [UInt8]? {
    let lines = text.text.split(separator: "\n")
    guard lines.count >= 3, let count = Int(lines[1].filter { $0 != " " }) else { return nil }
    let digits = lines[2...].joined().utf8.compactMap {
      Character(Unicode.Scalar($0)).hexDigitValue
    }
    guard digits.count.isMultiple(of: 2), digits.count / 2 == count else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { place in
      let byte: Int = digits[place] << 4 | digits[place + 1]
      return UInt8(byte)
    }
  }

  /// A packet as a text.
  static func text(_ name: String, _ bytes: [UInt8]) -> StillMetadata.Text {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\n\(name)\n\(padded(bytes.count))".utf8)
    for (index, byte) in bytes.enumerated() {
      if index % 36 == 0 { text.append(UInt8(ascii: "\n")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return StillMetadata.Text(keyword + name, String(decoding: text, as: UTF8.self) + "\n")
  }

  private static func padded(_ count: Int) -> String {
    String(repeating: " ", count: max(0, 8 - "\(count)".count)) + "\(count)"
  }
}
