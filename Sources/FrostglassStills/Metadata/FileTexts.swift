internal import CVips
internal import FrostglassCore

/// The texts and tags of a file that libvips does not read: texts of a PNG, comments of a JPEG or GIF, the tags of
/// a TIFF, the boxes of a JPEG XL.
struct FileTexts {
  private(set) var texts: [StillMetadata.Text] = []
  private(set) var exif: ExifBlock?
  private(set) var iptc: [UInt8]?
  private(set) var xmp: [UInt8]?
  /// True if a JPEG has more of its XMP in segments of their own.
  private(set) var hasExtendedXMP = false
  /// The content of those segments together, if it is complete and not too long.
  private(set) var extendedXMP: [UInt8]?
  /// The names of parts that are present and cannot be read.
  private(set) var withheld: [String] = []
  /// The content that a file may have lost after its last byte, as a predicate; `nil` if its end is present.
  private(set) var doubt: String?

  /// Reads them.
  ///
  /// - Parameters:
  ///   - file: all of it.
  ///   - tiff: the pages of a TIFF.
  init(_ format: StillFormat, _ file: some BlockOfBytes, _ tiff: TIFFPages?) {
    switch format {
    case .png, .apng:
      readChunks(file)
    case .jpeg:
      texts = Self.comments(jpeg: file)
      if Self.hasGainMap(jpeg: file) { withheld = [Self.gainMap] }
      if Self.endsWithVideo(jpeg: file) { withheld.append(Self.video) }
      hasExtendedXMP = JPEGSegments(file).contains {
        $0.marker == 0xE1 && $0.isExtendedXMP(in: file)
      }
      extendedXMP = hasExtendedXMP ? ExtendedXMP.joined(file) : nil
    case .gif:
      texts = GIF.comments(file).prefix(Self.mostComments).flatMap(Self.comment)
      if !GIF.hasEnd(file) { doubt = "lacks its end; frames may be missing" }
    case .tiff:
      exif = tiff?.tags.lazy.compactMap { ExifBlock(tiff: file, at: $0) }.first
      xmp = tiff?.xmp
    case .jxl:
      readBoxes(file)
      if JPEGXLHeader(file)?.isAnimation == true {
        withheld.append("every frame of the animation but the first")
      }
    case .avif, .heic:
      if Self.hasGainMap(boxes: file) { withheld = [Self.gainMap] }
      if BoxReader(file: file).boxes(in: 0..<file.count).contains(where: { $0.name == "mpvd" }) {
        withheld.append(Self.video)
      }
    case .webp, .bmp, .ppm, .pfm: break
    }
  }

  /// The name of the video after the image of a motion photo.
  static let video = "video of the motion photo"

  /// Reads the texts of a PNG, and what stands behind its image, where libpng is not asked.
  private mutating func readChunks(_ file: some BlockOfBytes) {
    let found = PNGText.texts(in: file)
    for text in found.texts {
      if text.keyword == PNGText.xmp { xmp = xmp ?? Array(text.text.utf8) }
      guard let name = RawProfile.name(of: text), let bytes = RawProfile.bytes(of: text) else {
        continue
      }
      switch name {
      case "iptc", "8bim": iptc = iptc ?? bytes
      case "exif": exif = exif ?? ExifBlock(bytes)
      case "xmp": xmp = xmp ?? bytes
      case "app1":
        if bytes.starts(with: ExtendedXMP.standard) {
          xmp = xmp ?? Array(bytes.dropFirst(ExtendedXMP.standard.count))
        } else {
          exif = exif ?? ExifBlock(bytes)
        }
      default: break
      }
    }
    texts = found.texts.filter { RawProfile.name(of: $0) == nil && $0.isSafe }
    if found.areCut { withheld.append("texts that are too many or too long") }
    let hasEnd = PNGChunk.each(file) { chunk in
      guard chunk.kind == "eXIf", chunk.content.count <= Self.longestBox,
        chunk.isIntact(in: file), let block = ExifBlock(Array(file[chunk.content]))
      else { return chunk.kind != "IEND" }
      exif = block
      return false
    }
    if !hasEnd { doubt = "lacks its end; an orientation behind its pixels may be missing" }
  }

  /// A second, smaller image that says how much brighter the first one is on a display that can do
  /// that. It would not fit a changed image.
  private static let gainMap = "HDR gain map"

  /// Returns true if a segment before the image announces a gain map: by ISO 21496-1, Adobe's XMP or Apple's.
  private static func hasGainMap(jpeg file: some BlockOfBytes) -> Bool {
    let marks = [
      "urn:iso:std:iso:ts:21496:-1", "ns.adobe.com/hdr-gain-map/", "ns.apple.com/HDRGainMap/",
    ]
    .map { Array($0.utf8) }
    return JPEGSegments(file).contains { segment in
      (0xE1...0xE2).contains(segment.marker)
        && marks.contains { Self.contains($0, in: file[segment.content]) }
    }
  }

  /// Returns true if another image is called a gain map, by Apple or by ISO 21496-1.
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

  /// True if the file's last bytes list a video, as Samsung's motion photos do.
  private static func endsWithVideo(jpeg file: some BlockOfBytes) -> Bool {
    let order = ByteOrder.little
    guard file.suffix(4).elementsEqual("SEFT".utf8),
      let length = order.number(file, at: file.count - 8, bytes: 4), length <= 4096
    else { return false }
    let start = file.count - 8 - length
    guard let count = order.number(file, at: start + 8, bytes: 4), count <= 256 else {
      return false
    }
    return (0..<count).contains {
      order.number(file, at: start + 14 + 12 * $0, bytes: 2) == 0x0A30
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

  /// Reads the boxes of a JPEG XL. A bare codestream has none.
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

  /// As many comments are taken of a file.
  private static let mostComments = 64

  /// The segments before the image.
  private static func comments(jpeg file: some BlockOfBytes) -> [StillMetadata.Text] {
    JPEGSegments(file).filter { $0.marker == 0xFE }.prefix(mostComments).flatMap {
      comment(Array(file[$0.content]))
    }
  }
}

extension StillMetadata.Text {
  /// Letters that a text has at most, and without a space in between: more may be an image, or the
  /// drawing that an image was made from.
  private static let (longest, longestWord) = (1 << 16, 512)

  /// True if it looks like a text for people.
  fileprivate var isSafe: Bool {
    guard !keyword.hasPrefix("Thumb::"), keyword != PNGText.xmp,
      text.utf8.count <= Self.longest, !text.utf8.contains(0)
    else { return false }
    return text.utf8.split { $0 <= 0x20 }.allSatisfy { $0.count <= Self.longestWord }
  }

  /// True if it says how the stored rows are to be turned, or how many there are: ImageMagick writes EXIF
  /// as texts, too.
  var isOfStoredRows: Bool {
    let parts = keyword.lowercased().split(separator: ":")
    guard parts.count == 2, parts[0] == "exif" || parts[0] == "tiff" else { return false }
    return [
      "orientation", "imagewidth", "imagelength", "imageheight", "pixelxdimension",
      "pixelydimension", "exifimagewidth", "exifimagelength", "exifimageheight", "subjectarea",
      "subjectlocation",
    ].contains(parts[1])
  }
}

extension ByteSource {
  /// Reads metadata that libvips does not; a pipe is read to its end.
  func texts(_ format: StillFormat, _ tiff: TIFFPages?) -> FileTexts? {
    withContents { FileTexts(format, $0, tiff) }
  }
}

/// The news metadata of the IPTC, alone or inside Photoshop's resource blocks.
enum IPTC {
  private static let photoshop = Array("Photoshop 3.0\0".utf8)
  private static let block = Array("8BIM".utf8)

  /// The plain IPTC records of a file's block, without the ones that hold a preview image.
  ///
  /// Of Photoshop's resources only the IPTC record is taken; others hold thumbnails. `nil` where
  /// nothing remains.
  static func safe(_ bytes: [UInt8]) -> [UInt8]? {
    let records: ArraySlice<UInt8>
    if bytes.starts(with: photoshop) {
      records = resource(0x0404, in: bytes.dropFirst(photoshop.count))
    } else if bytes.starts(with: block) {
      records = resource(0x0404, in: bytes[...])
    } else {
      records = bytes[...]
    }
    let kept = withoutPreviews(records)
    return kept.isEmpty ? nil : kept
  }

  /// Wraps plain records the way JPEG files carry them.
  static func wrapped(_ records: [UInt8]) -> [UInt8] { photoshop + resource(records) }

  /// Plain records as one of Photoshop's resources.
  static func resource(_ records: [UInt8]) -> [UInt8] {
    let count = records.count
    let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    return block + [0x04, 0x04, 0, 0] + size + records + (count % 2 == 1 ? [0] : [])
  }

  /// Lengthens plain records with zeros, which readers skip, so that they arrive whole in a TIFF.
  ///
  /// libvips 8.14 tells libtiff the number of 4-byte words, and libtiff 4.5 takes it for bytes:
  /// three quarters would be lost.
  static func padded(_ records: [UInt8]) -> [UInt8] {
    records + [UInt8](repeating: 0, count: 3 * records.count)
  }

  /// The data of one Photoshop resource: signature, number, padded name, length, padded data.
  private static func resource(_ wanted: Int, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while rest.count >= 12, rest.starts(with: block) {
      let number = bigEndian(rest.dropFirst(4).prefix(2))
      let name = Int(rest[rest.startIndex + 6])
      let head = 6 + (name + 2) / 2 * 2
      let count = bigEndian(rest.dropFirst(head).prefix(4))
      let data = rest.dropFirst(head + 4).prefix(count)
      if number == wanted { return data }
      rest = rest.dropFirst(head + 4 + (count + 1) / 2 * 2)
    }
    return []
  }

  /// Copies data sets up to the first broken one, except those that hold an object or its preview:
  /// 2:200 to 2:202 and records 7 to 9.
  private static func withoutPreviews(_ records: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var rest = records
    while rest.count >= 5, rest.first == 0x1C {
      let head = Array(rest.prefix(5))
      let count = bigEndian(head[3...])
      guard count < 0x8000, rest.count >= 5 + count else { break }
      let preview = head[1] >= 7 || (head[1] == 2 && (200...202).contains(head[2]))
      if !preview { kept += rest.prefix(5 + count) }
      rest = rest.dropFirst(5 + count)
    }
    return kept
  }

  private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}

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
        Int(fgk_inflate($0.baseAddress, $0.count, buffer.baseAddress, buffer.count))
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
