internal import FrostglassCore

/// What a file says beside its pixels where libvips does not look: texts of a PNG, comments of a JPEG
/// or GIF, the tags of a TIFF, the boxes of a JPEG XL.
struct FileTexts {
  private(set) var texts: [StillMetadata.Text] = []
  private(set) var exif: ExifBlock?
  private(set) var iptc: [UInt8]?
  private(set) var xmp: [UInt8]?
  /// What is there and cannot be read, in words.
  private(set) var withheld: [String] = []

  /// Reads them.
  ///
  /// - Parameter file: all of it; of what comes through a pipe, the beginning.
  init(_ format: StillFormat, _ file: some BlockOfBytes) {
    switch format {
    case .png, .apng:
      let all = PNGText.texts(in: file)
      for text in all {
        guard let name = RawProfile.name(of: text), let bytes = RawProfile.bytes(of: text) else {
          continue
        }
        switch name {
        case "iptc", "8bim": iptc = iptc ?? bytes
        case "exif", "app1": exif = exif ?? ExifBlock(bytes)
        default: break
        }
      }
      texts = all.filter { RawProfile.name(of: $0) == nil && $0.isSafe }
    case .jpeg:
      texts = Self.comments(jpeg: file)
      if Self.hasGainMap(jpeg: file) { withheld = [Self.gainMap] }
    case .gif: texts = Self.comments(gif: file)
    case .tiff: exif = ExifBlock(tiff: file)
    case .jxl:
      readBoxes(file)
      if JPEGXLHeader(file)?.isAnimation == true {
        withheld.append("every frame of the animation but the first")
      }
    case .avif, .heic:
      if Self.hasGainMap(boxes: file) { withheld = [Self.gainMap] }
    case .webp, .bmp, .ppm, .pfm: break
    }
  }

  /// A second, smaller picture that says how much brighter the first one is on a display that can do
  /// that. It would not fit a changed picture.
  private static let gainMap = "HDR gain map"

  /// Whether a segment before the picture announces one: as ISO 21496-1, Adobe's XMP or Apple's says.
  private static func hasGainMap(jpeg file: some BlockOfBytes) -> Bool {
    let marks = [
      "urn:iso:std:iso:ts:21496:-1", "ns.adobe.com/hdr-gain-map/", "ns.apple.com/HDRGainMap/",
    ]
    .map { Array($0.utf8) }
    return segments(file).contains { segment in
      (0xE1...0xE2).contains(segment.marker)
        && marks.contains { Self.contains($0, in: file[segment.content]) }
    }
  }

  /// Whether a picture beside the first is called one, by Apple, or as ISO 21496-1 has it.
  private static func hasGainMap(boxes file: some BlockOfBytes) -> Bool {
    guard
      let meta = BoxReader(file: file).boxes(in: 0..<file.count).first(where: { $0.name == "meta" }
      ),
      meta.content.count <= longestBox
    else { return false }
    return ["urn:com:apple:photo:2020:aux:hdrgainmap", "tmap"].contains {
      contains(Array($0.utf8), in: file[meta.content])
    }
  }

  private static func contains(_ word: [UInt8], in bytes: some RandomAccessCollection<UInt8>)
    -> Bool
  {
    var rest = bytes[...]
    while let start = rest.firstIndex(of: word[0]) {
      if rest[start...].starts(with: word) { return true }
      rest = rest[rest.index(after: start)...]
    }
    return false
  }

  /// Comments that were read already.
  init(comments: [[UInt8]]) { texts = comments.flatMap(Self.comment) }

  /// Of a JPEG XL in boxes; a bare one has nothing.
  private mutating func readBoxes(_ file: some BlockOfBytes) {
    guard file.starts(with: [0, 0, 0, 12]) else { return }
    for (name, content) in BoxReader(file: file).boxes(in: 0..<file.count)
    where content.count <= Self.longestBox {
      switch name {
      // Where the block begins, in 4 bytes, is before it.
      case "Exif" where content.count > 4:
        let start = ByteOrder.big.number(file, at: content.lowerBound, bytes: 4) ?? 0
        guard exif == nil, start < content.count - 4 else { continue }
        exif = ExifBlock(Array(file[content.lowerBound + 4 + start..<content.upperBound]))
      case "xml ": xmp = xmp ?? Array(file[content])
      case "brob":
        let kind = String(decoding: file[content].prefix(4), as: UTF8.self)
        if kind == "Exif" { withheld.append("EXIF that is compressed") }
        if kind == "xml " { withheld.append("XMP that is compressed") }
      default: break
      }
    }
  }

  /// Bytes of a box of metadata that are read.
  private static let longestBox = 16 << 20

  private static func comment(_ bytes: [UInt8]) -> [StillMetadata.Text] {
    let trimmed = Array(bytes.prefix { $0 != 0 })
    let text =
      String(validating: trimmed, as: UTF8.self)
      ?? String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
    let comment = StillMetadata.Text(StillMetadata.Text.comment, text)
    return text.isEmpty || !comment.isSafe ? [] : [comment]
  }

  /// The segments before the picture.
  private static func comments(jpeg file: some BlockOfBytes) -> [StillMetadata.Text] {
    segments(file).filter { $0.marker == 0xFE }.flatMap { comment(Array(file[$0.content])) }
  }

  private static func segments(
    _ file: some BlockOfBytes
  ) -> [(marker: UInt8, content: Range<Int>)] {
    var found: [(UInt8, Range<Int>)] = []
    var place = 2
    while place + 4 <= file.count, file[place] == 0xFF {
      let marker = file[place + 1]
      guard marker != 0xFF else {
        place += 1
        continue
      }
      guard marker != 0xDA, marker != 0xD9,
        let length = ByteOrder.big.number(file, at: place + 2, bytes: 2), length >= 2,
        place + 2 + length <= file.count
      else { break }
      found.append((marker, place + 4..<place + 2 + length))
      place += 2 + length
    }
    return found
  }

  /// The extensions between a GIF's pictures.
  private static func comments(gif file: some BlockOfBytes) -> [StillMetadata.Text] {
    func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    guard file.count > 13 else { return [] }
    var found: [StillMetadata.Text] = []
    var place = 13 + colors(file[10])
    while place + 9 < file.count, file[place] == 0x2C || file[place] == 0x21 {
      let isComment = file[place] == 0x21 && file[place + 1] == 0xFE
      place += file[place] == 0x2C ? 11 + colors(file[place + 9]) : 2
      var text: [UInt8] = []
      while place < file.count, file[place] != 0 {
        let end = min(place + 1 + Int(file[place]), file.count)
        if isComment { text += file[place + 1..<end] }
        place += 1 + Int(file[place])
      }
      place += 1
      if isComment { found += comment(text) }
    }
    return found
  }
}

/// Bytes from 0 on: an array, or a file that is mapped into memory.
protocol BlockOfBytes: RandomAccessCollection<UInt8> where Index == Int {}
extension Array: BlockOfBytes where Element == UInt8 {}
extension UnsafeRawBufferPointer: BlockOfBytes {}

extension StillMetadata.Text {
  /// Letters that a text has at most, and without a space in between: more may be a picture, or the
  /// drawing that a picture was made from.
  private static let (longest, longestWord) = (1 << 16, 512)

  /// Whether it is a text for people, by the looks of it.
  var isSafe: Bool {
    guard !keyword.hasPrefix("Thumb::"), keyword != "XML:com.adobe.xmp",
      text.utf8.count <= Self.longest, !text.utf8.contains(0)
    else { return false }
    return text.utf8.split { $0 <= 0x20 }.allSatisfy { $0.count <= Self.longestWord }
  }
}

/// Puts into an encoded file what the savers of libvips do not write: texts, and EXIF into TIFF.
struct FileAppendix {
  private let metadata: StillMetadata
  private let size: Size

  /// - Parameters:
  ///   - metadata: as fitted to the format.
  ///   - size: the picture's.
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
    case .webp, .avif, .heic, .bmp, .ppm, .pfm: break
    }
  }

  private var comments: [[UInt8]] {
    metadata.texts.filter { $0.keyword == StillMetadata.Text.comment }.map { Array($0.text.utf8) }
  }

  /// Before the chunk that ends the file.
  private func addChunks(to file: EncodedBytes) {
    var texts = metadata.texts
    if let iptc = metadata.iptc { texts.append(RawProfile.text("iptc", IPTC.resource(iptc))) }
    let end = file.count - 12
    guard !texts.isEmpty, end > 8,
      file.bytes(end + 4..<end + 8).elementsEqual("IEND".utf8)
    else { return }
    file.replace(end..<end, with: texts.flatMap(PNGText.chunk))
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

  /// Behind the header and its colors, where readers look that do not go on to the last picture.
  private func addComments(toGIF file: EncodedBytes) {
    guard !comments.isEmpty, file.count > 13 else { return }
    let flags = file.bytes(10..<11)[0]
    let place = 13 + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
    guard place < file.count else { return }
    let blocks = comments.flatMap { comment -> [UInt8] in
      let parts = stride(from: 0, to: comment.count, by: 255).flatMap { start in
        let part = comment[start..<min(start + 255, comment.count)]
        return [UInt8(part.count)] + part
      }
      return [0x21, 0xFE] + parts + [0]
    }
    file.replace(place..<place, with: blocks)
  }

  /// In front of the picture; a bare one gets a box of its own.
  private func addBoxes(to file: EncodedBytes) {
    var boxes: [UInt8] = []
    if var exif = metadata.exif.flatMap({ ExifBlock($0) }) {
      exif.describe(size)
      // It begins right behind this number, which `Exif` and two zeros are not part of.
      boxes += Self.box("Exif", [0, 0, 0, 0] + exif.bytes.dropFirst(6))
    }
    if let xmp = metadata.xmp.flatMap(XMP.safe) { boxes += Self.box("xml ", xmp) }
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

  /// What a JPEG XL in boxes begins with.
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
