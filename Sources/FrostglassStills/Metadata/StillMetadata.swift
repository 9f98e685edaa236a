internal import FrostglassCore

/// What a file says beside its pixels, as far as it is safe to save with a changed picture.
///
/// Previews of the original picture are removed on reading, wherever one may hide. Which parts a
/// format can hold differs; `leftOut(by:)` says what it cannot.
public struct StillMetadata: Sendable, Hashable {
  /// The ICC profile the samples need, or `nil` for sRGB. It is embedded on saving when it is for
  /// as many channels as the picture then has.
  public var iccProfile: [UInt8]?
  /// The EXIF block, beginning with `Exif` and two zeros or with its TIFF header. On saving it is
  /// made safe, and orientation and sizes are set right.
  public var exif: [UInt8]?
  /// The XMP packet, UTF-8.
  public var xmp: [UInt8]?
  /// Plain IPTC records.
  public var iptc: [UInt8]?
  /// Texts by keyword, as a PNG has them; comments of a JPEG or GIF among them.
  public var texts: [Text]
  /// Pixels per millimeter, or `nil` for the usual 72 per inch.
  public var resolution: Resolution?
  /// Of a picture that holds its frames one below the other; `nil` for a still.
  public var animation: Animation?
  /// What was not read because it may show the picture, in words.
  private var withheld: [String] = []

  /// Metadata; nothing where nothing is given.
  public init(
    iccProfile: [UInt8]? = nil, exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil,
    texts: [Text] = [], resolution: Resolution? = nil, animation: Animation? = nil
  ) {
    self.animation = animation
    self.iccProfile = iccProfile
    self.exif = exif
    self.xmp = xmp
    self.iptc = iptc
    self.texts = texts
    self.resolution = resolution
  }

  /// The profile, where it is for as many channels.
  func profile(for layout: PixelFormat.Layout) -> [UInt8]? {
    iccProfile.flatMap { Self.channels(of: $0) == (layout == .gray ? 1 : 3) ? $0 : nil }
  }

  /// What is left when a person asks to strip: only what right colors and an animation need.
  public var stripped: StillMetadata {
    StillMetadata(iccProfile: iccProfile, animation: animation)
  }

  /// Reads a loaded picture's fields and makes them safe.
  ///
  /// - Parameters:
  ///   - texts: what else stands in the file.
  ///   - frames: how many the picture holds below each other.
  init(
    of picture: VipsPicture, _ texts: FileTexts?, profile: [UInt8]?, colorsConverted: Bool,
    frames: Int
  ) {
    iccProfile = profile
    var block = picture.blob("exif-data").flatMap { ExifBlock($0) } ?? texts?.exif
    if colorsConverted { block?.describeSRGB() }
    exif = block?.bytes
    let packet = picture.blob("xmp-data") ?? texts?.xmp
    xmp = packet.flatMap(XMP.safe)
    withheld = texts?.withheld ?? []
    if packet != nil, xmp == nil { withheld.append("XMP that may show the picture") }
    iptc = (picture.blob("iptc-data") ?? texts?.iptc).flatMap(IPTC.safe)
    self.texts = texts?.texts ?? []
    // libvips says 1 pixel per millimeter where a file says nothing.
    let found = picture.resolution
    resolution = found.horizontal == 1 && found.vertical == 1 ? nil : found
    guard frames > 1 else { return }
    let delays = picture.numbers("delay") ?? []
    animation = Animation(
      // Where a file says nothing, 10 frames per second are usual.
      delays: (0..<frames).map { $0 < delays.count ? delays[$0] : 100 },
      loop: picture.number("loop") ?? 0)
  }

  /// Puts everything into the fields that libvips' savers write.
  func apply(to picture: VipsPicture, layout: PixelFormat.Layout, as format: StillFormat) {
    if let profile = profile(for: layout) { picture.setBlob("icc-profile-data", profile) }
    if format != .tiff, var block = exif.flatMap({ ExifBlock($0) }) {
      block.describe(frameSize(in: picture.size))
      picture.setBlob("exif-data", block.bytes)
    }
    if let animation {
      picture.setNumber("page-height", frameSize(in: picture.size).height)
      picture.setNumbers("delay", animation.delays)
      picture.setNumber("loop", animation.loop)
    }
    if let xmp = xmp.flatMap(XMP.safe) { picture.setBlob("xmp-data", xmp) }
    if let iptc = iptc.flatMap(IPTC.safe) {
      picture.setBlob("iptc-data", format == .jpeg ? IPTC.wrapped(iptc) : IPTC.padded(iptc))
    }
  }

  /// The size of a frame, of a picture with all of them below each other.
  func frameSize(in picture: Size) -> Size {
    Size(width: picture.width, height: picture.height / (animation?.frames ?? 1))
  }

  /// What a file of a format has no place for, in words such as `IPTC`; and what is kept from all files, as
  /// it may show the picture.
  public func leftOut(by format: StillFormat) -> [String] { fitted(to: format).leftOut }

  /// What a segment of a JPEG holds at most.
  private static let longestSegment = 65533

  /// As much of it as a format has a place for, in that place.
  func fitted(to format: StillFormat) -> (kept: StillMetadata, leftOut: [String]) {
    var kept = self
    var leftOut = withheld
    func leave<Value>(_ path: WritableKeyPath<StillMetadata, Value?>, _ name: String) {
      if kept[keyPath: path] != nil { leftOut.append(name) }
      kept[keyPath: path] = nil
    }
    // Of PPM and PFM no program reads more than the first words.
    if format.isOfRows {
      leave(\.exif, "EXIF")
      leave(\.xmp, "XMP")
      leave(\.iptc, "IPTC")
      if format != .bmp { kept.resolution = nil }
    } else if format != .png, format != .apng, format != .gif {
      kept.moveTexts(toExifOf: format)
    }
    // What libvips writes into a JPEG, without what its own tags take of that; and what it takes for others.
    let longestEXIF = format == .jpeg ? 65000 : 4 << 20
    if let exif = kept.exif, exif.count > longestEXIF, var block = ExifBlock(exif),
      block.shorten(to: longestEXIF)
    {
      kept.exif = block.bytes
      leftOut.append("longest EXIF tags")
    }
    switch format {
    case .jpeg:
      if (kept.xmp?.count ?? 0) > Self.longestSegment - 31 { leave(\.xmp, "XMP") }
      if (kept.iptc.map { IPTC.wrapped($0).count } ?? 0) > 65529 { leave(\.iptc, "IPTC") }
    case .webp, .avif, .heic, .jxl: leave(\.iptc, "IPTC")
    case .gif:
      if kept.exif.flatMap({ ExifBlock($0) })?.saysMoreThanStorage == false { kept.exif = nil }
      leave(\.exif, "EXIF")
      leave(\.xmp, "XMP")
      leave(\.iptc, "IPTC")
    case .png, .apng, .tiff, .bmp, .ppm, .pfm: break
    }
    let holdsComments = format == .jpeg || format == .gif
    func isLost(_ text: Text) -> Bool {
      guard format != .png, format != .apng else { return false }
      return !holdsComments || text.keyword != Text.comment
        || format == .jpeg && text.text.utf8.count > Self.longestSegment
    }
    for name in kept.texts.filter(isLost).map({ "text \($0.keyword)" })
    where !leftOut.contains(name) {
      leftOut.append(name)
    }
    kept.texts.removeAll(where: isLost)
    return (kept, leftOut)
  }

  /// Whether something of it goes into a file of a format that the savers of libvips do not write,
  /// or write in a wrong way.
  func needsAppendix(in format: StillFormat) -> Bool {
    switch format {
    case .png, .apng: !texts.isEmpty || iptc != nil
    case .jpeg, .gif: !texts.isEmpty
    case .tiff: exif != nil
    case .jxl: exif != nil || xmp != nil
    // libvips makes up EXIF for what else there is.
    case .webp: true
    case .avif, .heic, .bmp, .ppm, .pfm: false
    }
  }

  /// Texts for which EXIF has tags go there.
  private mutating func moveTexts(toExifOf format: StillFormat) {
    guard !texts.isEmpty else { return }
    var block = exif.flatMap { ExifBlock($0) } ?? ExifBlock()
    let rest = block.take(texts, withComments: format != .jpeg)
    guard rest.count < texts.count else { return }
    texts = rest
    exif = block.bytes
  }

  /// Color channels a profile is for, from its header: 1, 3 or `nil`.
  private static func channels(of profile: [UInt8]) -> Int? {
    guard profile.count >= 128 else { return nil }
    return switch String(decoding: profile[16..<20], as: UTF8.self) {
    case "GRAY": 1
    case "RGB ": 3
    default: nil
    }
  }
}

extension StillMetadata {
  /// A text in a file, for people.
  public struct Text: Sendable, Hashable {
    /// What it is, such as `Title` or `Copyright`; 79 Latin letters at most.
    public var keyword: String
    /// The text.
    public var text: String

    /// A text with its keyword.
    public init(_ keyword: String, _ text: String) {
      self.keyword = keyword
      self.text = text
    }

    /// The keyword of comments.
    public static let comment = "Comment"
  }
}

extension StillMetadata {
  /// How many pixels lie on a millimeter when printed.
  public struct Resolution: Sendable, Hashable {
    /// Pixels per millimeter along a row; above 0.
    public var horizontal: Double
    /// Pixels per millimeter down a column; above 0.
    public var vertical: Double

    /// Pixels per millimeter along each axis.
    public init(horizontal: Double, vertical: Double) {
      self.horizontal = horizontal
      self.vertical = vertical
    }

    /// 72 pixels per inch, written where nothing is known.
    public static let usual = Resolution(horizontal: 72 / 25.4, vertical: 72 / 25.4)
  }
}

extension StillMetadata {
  /// How frames follow each other.
  public struct Animation: Sendable, Hashable {
    /// How long each frame is shown, in milliseconds; as many as there are frames.
    public var delays: [Int]
    /// How often all are shown; 0 is for ever.
    public var loop: Int

    /// - Parameter delays: in milliseconds, one per frame and at least one.
    public init(delays: [Int], loop: Int = 0) {
      precondition(!delays.isEmpty, "an animation has at least one frame")
      self.delays = delays
      self.loop = loop
    }

    /// How many frames there are.
    public var frames: Int { delays.count }
  }
}

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
    case .gif: texts = GIF.comments(file).prefix(Self.mostComments).flatMap(Self.comment)
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
    return JPEGSegments(file).contains { segment in
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

  /// As many comments are taken of a file.
  private static let mostComments = 64

  /// The segments before the picture.
  private static func comments(jpeg file: some BlockOfBytes) -> [StillMetadata.Text] {
    JPEGSegments(file).filter { $0.marker == 0xFE }.prefix(mostComments).flatMap {
      comment(Array(file[$0.content]))
    }
  }
}

/// The segments that stand before the data of a JPEG's picture, in order.
struct JPEGSegments<File: BlockOfBytes>: Sequence, IteratorProtocol {
  /// One of them.
  struct Segment {
    let marker: UInt8
    /// Behind the marker and the length.
    let content: Range<Int>
  }

  private let file: File
  private var place = 2

  /// - Parameter file: all of it, or its beginning.
  init(_ file: File) { self.file = file }

  mutating func next() -> Segment? {
    while place + 4 <= file.count, file[place] == 0xFF {
      let marker = file[place + 1]
      switch marker {
      // A byte to fill up.
      case 0xFF: place += 1
      // Markers without a segment.
      case 0x01, 0xD0...0xD8: place += 2
      // The picture's data, or the end.
      case 0xD9, 0xDA: return nil
      default:
        guard let length = ByteOrder.big.number(file, at: place + 2, bytes: 2), length >= 2,
          place + 2 + length <= file.count
        else { return nil }
        defer { place += 2 + length }
        return Segment(marker: marker, content: place + 4..<place + 2 + length)
      }
    }
    return nil
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
  fileprivate var isSafe: Bool {
    guard !keyword.hasPrefix("Thumb::"), keyword != "XML:com.adobe.xmp",
      text.utf8.count <= Self.longest, !text.utf8.contains(0)
    else { return false }
    return text.utf8.split { $0 <= 0x20 }.allSatisfy { $0.count <= Self.longestWord }
  }
}
