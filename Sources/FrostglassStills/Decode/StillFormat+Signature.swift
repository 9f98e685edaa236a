extension StillFormat {
  /// Bytes that a format is known by.
  package static let signatureLength = 18

  /// Finds the format that the first bytes of a file announce, `signatureLength` or more; `nil` for what
  /// is not read here.
  ///
  /// Whether the rest is as announced is another question: a broken file is told from one that is
  /// something else.
  package init?(signature bytes: [UInt8]) {
    let starts: [([UInt8], StillFormat)] = [
      ([0xFF, 0xD8, 0xFF], .jpeg), ([0x89, 0x50, 0x4E, 0x47], .png), (Array("GIF8".utf8), .gif),
      (Array("II*\0".utf8), .tiff), (Array("MM\0*".utf8), .tiff),
      // With offsets of 64 bits.
      (Array("II+\0".utf8), .tiff), (Array("MM\0+".utf8), .tiff),
      // Bare, and in boxes.
      ([0xFF, 0x0A], .jxl), ([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 10], .jxl),
    ]
    if let known = starts.first(where: { bytes.starts(with: $0.0) }) {
      // As they are written here: others may have more before it, which takes a longer look.
      let isAnimated = known.1 == .png && bytes.dropFirst(37).starts(with: "acTL".utf8)
      self = isAnimated ? .apng : known.1
      return
    }
    if let rows = Self.ofRows(bytes) {
      self = rows
      return
    }
    let brand = bytes.dropFirst(8).prefix(4)
    if bytes.starts(with: "RIFF".utf8), brand.elementsEqual("WEBP".utf8) {
      self = .webp
      return
    }
    guard bytes.dropFirst(4).starts(with: "ftyp".utf8) else { return nil }
    switch String(decoding: brand, as: UTF8.self) {
    case "avif", "avis": self = .avif
    case "heic", "heix", "mif1", "msf1": self = .heic
    default: return nil
    }
  }

  /// Two letters alone are too few to know a format by.
  private static func ofRows(_ bytes: [UInt8]) -> StillFormat? {
    guard bytes.count >= 3 else { return nil }
    let isSpace = bytes[2] == 32 || (9...13).contains(bytes[2]) || bytes[2] == UInt8(ascii: "#")
    switch String(decoding: bytes.prefix(2), as: UTF8.self) {
    case "P1", "P2", "P3", "P4", "P5", "P6": return isSpace ? .ppm : nil
    case "PF", "Pf": return isSpace ? .pfm : nil
    case "BM":
      // The length of the header that follows: those of Windows and OS/2.
      let known = [12, 16, 40, 52, 56, 64, 108, 124]
      let length = ByteOrder.little.number(bytes, at: 14, bytes: 4) ?? 0
      return known.contains(length) ? .bmp : nil
    default: return nil
    }
  }
}
