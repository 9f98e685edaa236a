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
