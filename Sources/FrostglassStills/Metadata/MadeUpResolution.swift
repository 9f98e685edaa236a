internal import FrostglassCore

/// Takes out of an encoded file the resolution that libvips writes whether there is one or not, with the rest of
/// the EXIF that it makes up for that. AVIF and HEIC keep theirs, in which other parts of the file point at places
/// behind it; a TIFF has to have one.
enum MadeUpResolution {
  /// The chunk before the picture's data.
  static func remove(fromPNG file: EncodedBytes) {
    var place = PNGChunk.signature.count
    while place + 12 <= file.count {
      let head = file.bytes(place..<place + 8)
      guard let length = ByteOrder.big.number(head, at: 0, bytes: 4) else { return }
      let name = String(decoding: head[4...], as: UTF8.self)
      if name == "pHYs" { file.replace(place..<place + 12 + length, with: []) }
      guard name != "pHYs", name != "IDAT" else { return }
      place += 12 + length
    }
  }

  /// The segment, in whose place the metadata's own comes.
  ///
  /// - Parameter exif: the metadata's, with `Exif` and two zeros; `nil` for none.
  static func remove(fromJPEG file: EncodedBytes, _ exif: [UInt8]?) {
    var place = 2
    while place + 10 <= file.count {
      let head = file.bytes(place..<place + 10)
      guard head[0] == 0xFF, (0xE0...0xEF).contains(head[1]) else { return }
      let end = place + 2 + (Int(head[2]) << 8 | Int(head[3]))
      if head[1] == 0xE1, head[4...].elementsEqual("Exif\0\0".utf8) {
        let segment = exif.map { [0xFF, 0xE1] + ByteOrder.big.bytes($0.count + 2, 2) + $0 }
        return file.replace(place..<end, with: segment ?? [])
      }
      place = end
    }
  }

  /// The chunk, in whose place the metadata's own comes; without that, the file's header says that there is none.
  ///
  /// - Parameter exif: as for JPEG.
  static func remove(fromWebP file: EncodedBytes, _ exif: [UInt8]?) {
    guard file.count > 30, file.bytes(8..<16).elementsEqual("WEBPVP8X".utf8),
      let whole = ByteOrder.little.number(file.bytes(4..<8), at: 0, bytes: 4)
    else { return }
    var place = 12
    while place + 8 <= file.count {
      let head = file.bytes(place..<place + 8)
      guard let length = ByteOrder.little.number(head, at: 4, bytes: 4) else { return }
      // What is odd is filled up.
      let end = place + 8 + length + length % 2
      guard head.starts(with: "EXIF".utf8), end <= file.count else {
        place = end
        continue
      }
      var chunk: [UInt8] = []
      if let bare = exif?.dropFirst(6) {
        chunk = Array("EXIF".utf8) + ByteOrder.little.bytes(bare.count, 4) + bare
        if bare.count % 2 == 1 { chunk.append(0) }
      } else {
        file.replace(20..<21, with: [file.bytes(20..<21)[0] & ~0x08])
      }
      file.replace(4..<8, with: ByteOrder.little.bytes(whole - (end - place) + chunk.count, 4))
      return file.replace(place..<end, with: chunk)
    }
  }
}
