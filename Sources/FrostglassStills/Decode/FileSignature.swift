/// How accepted files begin, to tell a broken one from one that is something else.
enum FileSignature {
  /// Whether the first 12 bytes announce a format that is read here.
  static func isKnown(_ bytes: [UInt8]) -> Bool {
    let starts: [[UInt8]] = [
      [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("GIF8".utf8), Array("II*\0".utf8),
      Array("MM\0*".utf8),
    ]
    if starts.contains(where: bytes.starts(with:)) { return true }
    if bytes.starts(with: "RIFF".utf8) { return bytes.dropFirst(8).elementsEqual("WEBP".utf8) }
    let brand = String(decoding: bytes.dropFirst(8), as: UTF8.self)
    return bytes.dropFirst(4).starts(with: "ftyp".utf8)
      && ["avif", "avis", "heic", "heix", "mif1", "msf1"].contains(brand)
  }
}
