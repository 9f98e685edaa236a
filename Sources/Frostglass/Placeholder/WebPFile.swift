/// The parts of a WebP file.
enum WebPFile {
  /// The file without an EXIF block, smaller by 200 bytes: libvips 8.14 makes one up even where it is
  /// asked to strip.
  ///
  /// Source of the format: the WebP Container Specification. A file is `RIFF`, a length, `WEBP` and
  /// chunks; one without extras has a single chunk.
  static func withoutExif(_ file: [UInt8]) -> [UInt8] {
    guard file.count > 12, file.starts(with: "RIFF".utf8) else { return file }
    var kept: [ArraySlice<UInt8>] = []
    var start = 12
    while start + 8 <= file.count {
      let length = word(file, start + 4)
      let end = min(start + 8 + length + length % 2, file.count)
      let chunk = file[start..<end]
      if !chunk.starts(with: "EXIF".utf8) { kept.append(chunk) }
      start = end
    }
    // Without extras the header that announces them goes, too.
    if kept.count == 2, kept[0].starts(with: "VP8X".utf8) { kept.removeFirst() }
    let body = Array("WEBP".utf8) + kept.flatMap { withoutExifFlag($0) }
    return Array("RIFF".utf8) + bytes(body.count) + body
  }

  /// Bit 3 of the extended header says that there is EXIF.
  private static func withoutExifFlag(_ chunk: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard chunk.starts(with: "VP8X".utf8), chunk.count > 8 else { return chunk }
    var header = chunk
    header[header.startIndex + 8] &= ~8
    return header
  }

  private static func word(_ file: [UInt8], _ offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
  }

  private static func bytes(_ word: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}

/// Bytes as text, RFC 4648.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        let sign = alphabet[bits >> (18 - 6 * place) & 63]
        text.append(place <= group.count ? sign : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
