internal import FrostglassCore

/// Puts into an encoded file what the savers of libvips do not write: texts, and EXIF into TIFF.
/// It also mends the EXIF that they write into WebP.
struct FileAppendix {
  private let metadata: StillMetadata
  private let size: Size

  /// - Parameters:
  ///   - metadata: as fitted to the format.
  ///   - size: the image's.
  init(_ metadata: StillMetadata, _ size: Size) {
    self.metadata = metadata
    self.size = size
  }

  /// Adds it to a file of a format, as far as the file is what it should be.
  func add(to file: EncodedBytes, as format: StillFormat) {
    switch format {
    case .png, .apng: addChunks(to: file)
    case .jpeg: addComments(toJPEG: file)
    case .gif: addComments(toGIF: file)
    case .tiff: addDirectory(to: file)
    case .jxl: addBoxes(to: file)
    case .webp:
      mendEXIF(ofWebP: file)
      if let animation = metadata.animation { WebPDelays(delays: animation.delays).mend(file) }
    case .avif, .heic, .bmp, .ppm, .pfm: break
    }
  }

  private var comments: [[UInt8]] {
    metadata.texts.filter { $0.keyword == StillMetadata.Text.comment }.map { Array($0.text.utf8) }
  }

  /// Before the chunk that ends the file, in the place of EXIF: libpng 1.6.39 writes what stands before
  /// the image behind it again.
  private func addChunks(to file: EncodedBytes) {
    var texts = metadata.texts
    if let iptc = metadata.iptc { texts.append(RawProfile.text("iptc", IPTC.resource(iptc))) }
    let end = file.count - 12
    guard end > 8, file.bytes(end + 4..<end + 8).elementsEqual("IEND".utf8) else { return }
    let start = end - (Self.exifBeforeImage(file).map { repeated($0, before: end, file) } ?? 0)
    guard !texts.isEmpty || start < end else { return }
    file.replace(start..<end, with: texts.flatMap(PNGText.chunk))
  }

  /// Returns the number of bytes of a chunk if it is repeated right before `end`; otherwise 0.
  private func repeated(_ chunk: [UInt8], before end: Int, _ file: EncodedBytes) -> Int {
    let start = end - chunk.count
    return start > 8 && file.bytes(start..<end) == chunk ? chunk.count : 0
  }

  /// The chunk of EXIF in front of a PNG's image.
  private static func exifBeforeImage(_ file: EncodedBytes) -> [UInt8]? {
    var place = PNGChunk.signature.count
    while place + 12 <= file.count {
      let head = file.bytes(place..<place + 8)
      let kind = String(decoding: head[4...], as: UTF8.self)
      guard let length = ByteOrder.big.number(head, at: 0, bytes: 4), kind != "IDAT",
        place + 12 + length <= file.count
      else { return nil }
      if kind == "eXIf" { return file.bytes(place..<place + 12 + length) }
      place += 12 + length
    }
    return nil
  }

  /// Behind the segments that programs put first.
  private func addComments(toJPEG file: EncodedBytes) {
    guard !comments.isEmpty else { return }
    var place = 2
    while place + 4 <= file.count {
      let head = file.bytes(place..<place + 4)
      guard head[0] == 0xFF, (0xE0...0xEF).contains(head[1]) else { break }
      place += 2 + (Int(head[2]) << 8 | Int(head[3]))
    }
    let segments = comments.flatMap { comment -> [UInt8] in
      [0xFF, 0xFE] + ByteOrder.big.bytes(comment.count + 2, 2) + comment
    }
    file.replace(place..<place, with: segments)
  }

  /// Behind the header and its colors, where readers look that do not go on to the last image.
  private func addComments(toGIF file: EncodedBytes) {
    guard !comments.isEmpty, file.count > 13 else { return }
    let place = 13 + GIF.colorBytes(file.bytes(10..<11)[0])
    guard place < file.count else { return }
    let blocks = comments.flatMap { comment -> [UInt8] in
      let parts = stride(from: 0, to: comment.count, by: 255).flatMap { start in
        let part = comment[start..<min(start + 255, comment.count)]
        return [UInt8(part.count)] + part
      }
      return [0x21, GIF.comment] + parts + [0]
    }
    file.replace(place..<place, with: blocks)
  }

  /// Takes `Exif` and two zeros away, which stand before the block in JPEG alone, and has it say how large a
  /// frame is: libvips says it of all frames below each other.
  private func mendEXIF(ofWebP file: EncodedBytes) {
    let lead = Array("Exif\0\0".utf8)
    guard file.count > 12, file.bytes(8..<12).elementsEqual("WEBP".utf8),
      let whole = ByteOrder.little.number(file.bytes(4..<8), at: 0, bytes: 4), whole > lead.count
    else { return }
    var place = 12
    while place + 8 + lead.count <= file.count {
      let head = file.bytes(place..<place + 8 + lead.count)
      guard let length = ByteOrder.little.number(head, at: 4, bytes: 4) else { return }
      if head.starts(with: "EXIF".utf8) {
        let end = place + 8 + length
        guard length > lead.count, head.dropFirst(8).elementsEqual(lead), end <= file.count
        else { return }
        var block = Array(file.bytes(place + 8..<end).dropFirst(lead.count))
        if metadata.animation != nil, var said = ExifBlock(block) {
          said.describe(metadata.frameSize(in: size))
          block = Array(said.bytes.dropFirst(lead.count))
        }
        let chunk =
          ByteOrder.little.bytes(block.count, 4) + block + (block.count % 2 == 1 ? [0] : [])
        let old = place + 4..<min(end + length % 2, file.count)
        file.replace(4..<8, with: ByteOrder.little.bytes(whole - old.count + chunk.count, 4))
        file.replace(old, with: chunk)
        return
      }
      // What is odd is filled up.
      place += 8 + length + length % 2
    }
  }

  /// In front of the image; a bare one gets a box of its own.
  private func addBoxes(to file: EncodedBytes) {
    var boxes: [UInt8] = []
    if var exif = metadata.exif.flatMap({ ExifBlock($0) }) {
      exif.describe(size)
      // It begins right behind this number, which `Exif` and two zeros are not part of.
      boxes += Self.box("Exif", [0, 0, 0, 0] + exif.bytes.dropFirst(6))
    }
    if let xmp = metadata.xmp.flatMap({ XMP.safe($0) }) { boxes += Self.box("xml ", xmp) }
    guard !boxes.isEmpty, file.count > 12 else { return }
    let start = file.bytes(0..<12)
    if start.starts(with: [0xFF, 0x0A]) {
      // 0 is a length to the end of the file.
      let length = file.count + 8 > Int(UInt32.max) ? 0 : file.count + 8
      let head = ByteOrder.big.bytes(length, 4) + Array("jxlc".utf8)
      file.replace(0..<0, with: Self.jxlStart + boxes + head)
      return
    }
    // Behind the boxes that have to come first: the signature, the kind of file, and its level.
    guard start == Array(Self.jxlStart.prefix(12)), file.count > 41 else { return }
    let hasLevel = file.bytes(36..<40) == Array("jxll".utf8)
    let place = hasLevel ? 41 : 32
    file.replace(place..<place, with: boxes)
  }

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    ByteOrder.big.bytes(content.count + 8, 4) + Array(name.utf8) + content
  }

  /// The first bytes of a JPEG XL in boxes.
  private static let jxlStart: [UInt8] =
    box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
    + box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))

  /// A new first directory behind everything, with what the old one says and the tags of the EXIF block.
  private func addDirectory(to file: EncodedBytes) {
    let head = file.bytes(0..<min(8, file.count))
    guard var exif = metadata.exif.flatMap({ ExifBlock($0) }), head.count == 8,
      let order = ByteOrder(mark: head), order.number(head, at: 2, bytes: 2) == 42,
      let first = order.number(head, at: 4, bytes: 4), first + 2 <= file.count,
      let count = order.number(file.bytes(first..<first + 2), at: 0, bytes: 2),
      first + 2 + 12 * count + 4 <= file.count
    else { return }
    exif.describe(size)
    let entries = file.bytes(first + 2..<first + 2 + 12 * count)
    let padding = file.count % 2
    let start = file.count + padding
    let added = exif.directory(with: entries, order, at: start)
    guard start + added.count <= Int(UInt32.max) else { return }
    file.replace(file.count..<file.count, with: [UInt8](repeating: 0, count: padding) + added)
    file.replace(4..<8, with: order.bytes(start, 4))
  }
}
