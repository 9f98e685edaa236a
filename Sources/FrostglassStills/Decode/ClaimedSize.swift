internal import CVips
internal import FrostglassCore

/// A check that a file can have as many pixels as its header claims, for formats where decoding would take long to
/// find out.
///
/// libjpeg first allocates all coefficients of a progressive image: a few hundred bytes that claim 400 million
/// pixels cost as much as a photograph of that size. Decoders of PNG and TIFF stop where the data end, but they may
/// have allocated rows of 8 million pixels by then: 7 GB for a PNG of 74 bytes. The pixels of a GIF are counted by
/// its codes, see `GIFCodes`.
enum ClaimedSize {
  /// Returns true if a PNG file has enough data for the pixels that its header claims, or if that is not
  /// known.
  ///
  /// - Parameter file: all of it.
  static func isPossible(_ format: StillFormat, _ file: UnsafeRawBufferPointer) -> Bool {
    switch format {
    case .png, .apng: png(file)
    case .tiff, .jpeg, .gif, .webp, .avif, .heic, .jxl, .bmp, .ppm, .pfm: true
    }
  }

  /// Deflate makes 258 bytes of 2 bits at most.
  private static let mostByDeflate = 1032

  private static func png(_ file: UnsafeRawBufferPointer) -> Bool {
    guard file.count >= 33 else { return true }
    func number(_ place: Int, _ count: Int) -> Int {
      ByteOrder.big.number(Array(file[place..<place + count]), at: 0, bytes: count) ?? 0
    }
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][number(25, 1)] ?? 1
    let bits = Double(number(16, 4)) * Double(number(20, 4)) * Double(number(24, 1) * channels)
    return bits / 8 <= Double(file.count * mostByDeflate)
  }

  /// Returns true if there is enough data for the pixels that a directory of a TIFF claims. The bytes of all strips
  /// and tiles are summed, as they may share their data.
  static func isPossible(_ directory: TIFFDirectory) -> Bool {
    let most: Int? =
      switch directory.number(259) ?? 1 {
      case 1: 1
      // LZW: a code of 12 bits, the longest, stands for 4096 bytes at most.
      case 5: 4096 * 8 / 12 + 1
      case 8, 32946: mostByDeflate
      // PackBits: two bytes stand for 128 at most.
      case 32773: 64
      default: nil
      }
    guard let most, let width = directory.number(256), let height = directory.number(257),
      let count = directory.sum(279) ?? directory.sum(325)
    else { return true }
    // Of YCbCr, color may be at a lower resolution.
    let channels = directory.number(262) == 6 ? 1 : directory.number(277) ?? 1
    let samples = Double(width) * Double(height) * Double(channels)
    return samples * Double(directory.number(258) ?? 1) / 8 <= Double(count) * Double(most)
  }

  /// The most pixels that a byte of any honest JPEG stands for: each block of 64 has a DC difference, of one bit
  /// at least with Huffman codes.
  static let mostPixelsPerByteOfJPEG = 64 * 8

  /// The size that the image's header claims; `nil` for no JPEG, and for one with arithmetic codes, which
  /// take less than a bit for what is likely.
  static func jpeg(_ file: [UInt8]) -> Size? {
    for segment in JPEGSegments(file) {
      switch segment.marker {
      case 0xC0...0xC2:
        let sides = [3, 1].map {
          ByteOrder.big.number(file, at: segment.content.lowerBound + $0, bytes: 2) ?? 0
        }
        return Size(width: sides[0], height: sides[1])
      // Tables, and what is kept for extensions.
      case 0xC4, 0xC8, 0xCC: continue
      case 0xC3...0xCF: return nil
      default: continue
      }
    }
    return nil
  }

  /// Returns the reason for not giving a file to the library that reads it; `nil` if there is none.
  ///
  /// - Parameter file: all of it.
  fileprivate static func objection(to file: UnsafeRawBufferPointer, _ loader: StillLoader)
    -> String?
  {
    switch loader {
    case .heifload:
      return ItemReferences(file).areSound
        ? nil : "its image is made of itself, or too often of others"
    case .webpload:
      return framesOfWebP(file) <= mostFrames
        ? nil : "it has more than the \(mostFrames) frames that are taken"
    default: return nil
    }
  }

  /// libwebp looks through a list of frames for each of them.
  private static let mostFrames = 20_000

  /// Chunks of frames in a WebP; a file is `RIFF`, a length, `WEBP` and chunks of even length.
  private static func framesOfWebP(_ file: UnsafeRawBufferPointer) -> Int {
    var (frames, place) = (0, 12)
    while place + 8 <= file.count,
      let length = ByteOrder.little.number(file, at: place + 4, bytes: 4)
    {
      if file[place..<place + 4].elementsEqual("ANMF".utf8) { frames += 1 }
      place += 8 + length + length % 2
    }
    return frames
  }
}

extension ByteSource {
  /// Refuses what would keep a library busy without end before it sees it, and what is of a kind that it
  /// does not read.
  ///
  /// - Throws: `DecodeError.damaged` or `DecodeError.unsupportedKind`.
  func demandHarmless(to loader: StillLoader, name: String) throws(DecodeError) {
    if loader == .jpegload, let found = withContents({ JPEGSegments.unknownKind($0) }) {
      throw .unsupportedKind(name: name, found: found)
    }
    if loader == .pngload {
      try withContents { file -> Result<Void, DecodeError>? in
        Result { () throws(DecodeError) in try PNGHead.check(file, name: name) }
      }?.get()
    }
    guard loader == .heifload || loader == .webpload,
      let reason = withContents({ ClaimedSize.objection(to: $0, loader) })
    else { return }
    throw .damaged(name: name, reason: reason)
  }
}

/// The chunks of a PNG before its image, which libpng reads at once: it takes memory for as much as a
/// chunk claims to have, and expands up to 1000 texts of 8 MB.
enum PNGHead {
  /// Bytes that texts may have in all, expanded.
  static let mostText = 32 << 20
  /// Bytes that chunks which libpng keeps may have in all, as they are stored.
  static let mostStored = 64 << 20
  /// Bytes to which libpng expands a chunk at most.
  private static let mostExpanded = 8_000_000

  /// Refuses what would take much more memory and time than an image does.
  ///
  /// - Parameter file: all of it.
  static func check(_ file: UnsafeRawBufferPointer, name: String) throws(DecodeError) {
    var place = PNGChunk.signature.count
    var (stored, text) = (0, 0)
    var room: [UInt8] = []
    while let length = ByteOrder.big.number(file, at: place, bytes: 4), place + 8 <= file.count {
      let kind = String(decoding: file[place + 4..<place + 8], as: UTF8.self)
      if kind == "IDAT" || kind == "IEND" { return }
      if kind == "CgBI" {
        throw .unsupportedKind(name: name, found: "a PNG in the form of Apple's devices (CgBI)")
      }
      let content = place + 8..<place + 8 + length
      guard content.upperBound + 4 <= file.count else {
        throw .damaged(name: name, reason: "its chunk \(kind.plain) of \(length) bytes is cut off")
      }
      if PNGText.kinds.contains(kind) || ["iCCP", "eXIf", "sPLT"].contains(kind) {
        stored += length
      }
      if PNGText.kinds.contains(kind) { text += expanded(kind, file[content], &room) }
      let (found, most) = text > mostText ? (text, mostText) : (stored, mostStored)
      guard found <= most else {
        throw .unsupportedKind(
          name: name,
          found: "a PNG with \(ByteCount(found)) of texts and other data before its image, more "
            + "than the \(ByteCount(most)) that are taken")
      }
      place = content.upperBound + 4
    }
  }

  /// Returns the number of bytes in a text after libpng has expanded it.
  private static func expanded(
    _ kind: String, _ content: Slice<UnsafeRawBufferPointer>, _ room: inout [UInt8]
  ) -> Int {
    guard kind != "tEXt", let end = content.firstIndex(of: 0) else { return content.count }
    var rest = content[content.index(after: end)...]
    if kind == "zTXt" {
      rest = rest.dropFirst()
    } else {
      guard rest.first == 1 else { return content.count }
      rest = rest.dropFirst(2)
      for _ in 0..<2 {
        guard let end = rest.firstIndex(of: 0) else { return content.count }
        rest = rest[rest.index(after: end)...]
      }
    }
    if room.isEmpty { room = [UInt8](repeating: 0, count: mostExpanded) }
    let data = UnsafeRawBufferPointer(rebasing: rest)
    let count = room.withUnsafeMutableBytes {
      fgk_inflate(data.baseAddress, data.count, $0.baseAddress, $0.count)
    }
    // What is broken or longer was expanded all the same, up to there.
    return content.count + (count < 0 ? mostExpanded : Int(count))
  }
}

extension String {
  /// The letters of it that are plain ones.
  fileprivate var plain: String { filter { $0.isASCII && ($0.isLetter || $0.isNumber) } }
}
