extension StillFormat {
  /// Finds the format that the first 12 bytes of a file announce; `nil` for what is not read here.
  ///
  /// Whether the rest is as announced is another question: a broken file is told from one that is
  /// something else.
  package init?(signature bytes: [UInt8]) {
    let starts: [([UInt8], StillFormat)] = [
      ([0xFF, 0xD8, 0xFF], .jpeg), ([0x89, 0x50, 0x4E, 0x47], .png), (Array("GIF8".utf8), .gif),
      (Array("II*\0".utf8), .tiff), (Array("MM\0*".utf8), .tiff),
      // With offsets of 64 bits.
      (Array("II+\0".utf8), .tiff), (Array("MM\0+".utf8), .tiff),
    ]
    if let known = starts.first(where: { bytes.starts(with: $0.0) }) {
      self = known.1
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
}
