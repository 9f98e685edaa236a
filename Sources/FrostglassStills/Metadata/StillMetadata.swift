internal import FrostglassCore

/// The metadata of a file that are safe to save with a changed image.
///
/// Previews of the original image are removed on reading, wherever one may hide. Formats differ in the parts they
/// can hold; `leftOut(by:)` says what one cannot.
public struct StillMetadata: Sendable, Hashable {
  /// The ICC profile the samples need, or `nil` for sRGB. It is embedded on saving when it is for
  /// as many channels as the image then has.
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
  /// The timing of an image whose frames are stacked vertically; `nil` for a still.
  public var animation: Animation?
  /// True if the profile is kept only because floating-point samples are not converted on reading: formats
  /// that hold no profile get sRGB.
  package var mayConvert = false
  /// True if the file's XMP has parts that are missing or that `xmp` does not hold.
  package private(set) var lacksXMP = false
  /// The names of parts that were not read because they may show the image.
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

  /// The metadata left after stripping: only what correct colors and an animation need. Private tags of the profile
  /// are left out too.
  public var stripped: StillMetadata {
    var stripped = StillMetadata(
      iccProfile: iccProfile.flatMap { ProfileTags.needed($0) }, animation: animation)
    stripped.mayConvert = mayConvert
    return stripped
  }

  /// Reads a loaded image's fields and makes them safe.
  ///
  /// - Parameters:
  ///   - texts: the texts and tags of the file that libvips does not read.
  ///   - frames: the number of frames stacked vertically in the image.
  init(
    of picture: VipsImageHandle, _ texts: FileTexts?, profile: [UInt8]?, colorsConverted: Bool,
    frames: Int
  ) {
    iccProfile = profile
    let orientation = Orientation(picture.orientation)
    var block = picture.blob("exif-data").flatMap { ExifBlock($0) } ?? texts?.exif
    if !orientation.isUpright {
      let stored = picture.size
      block?.turn(orientation, Size(width: stored.width, height: stored.height / frames))
    }
    if colorsConverted { block?.describeSRGB() }
    exif = block?.bytes
    withheld = texts?.withheld ?? []
    iptc = (picture.blob("iptc-data") ?? texts?.iptc).flatMap(IPTC.safe)
    self.texts = (texts?.texts ?? []).filter { orientation.isUpright || !$0.isOfStoredRows }
    // libvips says 1 pixel per millimeter where a file says nothing.
    let found = picture.resolution
    resolution =
      found.horizontal == 1 && found.vertical == 1 ? nil : found.turned(orientation)
    if let packet = picture.blob("xmp-data") ?? texts?.xmp {
      xmp = safeXMP(packet, texts, orientation)
      if xmp == nil {
        withheld.append("XMP that may show the image")
        lacksXMP = true
      }
    }
    guard frames > 1 else { return }
    let delays = picture.numbers("delay") ?? []
    animation = Animation(
      // Where a file says nothing, 10 frames per second are usual.
      delays: (0..<frames).map { $0 < delays.count ? delays[$0] : 100 },
      loop: picture.number("loop") ?? 0)
  }

  /// The packet with its extension, as far as a JPEG can hold both, and made safe.
  private mutating func safeXMP(
    _ packet: [UInt8], _ texts: FileTexts?, _ orientation: Orientation
  ) -> [UInt8]? {
    if XMP.announcesVideo(packet) { withhold(FileTexts.video) }
    var found: (packet: [UInt8], lacksRegions: Bool)?
    if let extended = texts?.extendedXMP, let joined = XMP.joined(packet, extended),
      let whole = XMP.safe(joined, turned: orientation), whole.packet.count <= Self.longestXMP
    {
      if XMP.announcesVideo(extended) { withhold(FileTexts.video) }
      found = whole
    } else {
      if texts?.hasExtendedXMP == true { withhold("extended XMP") }
      lacksXMP =
        texts?.hasExtendedXMP == true || XMP.find("HasExtendedXMP", in: packet, from: 0) != nil
      found = XMP.safe(packet, turned: orientation)
    }
    if found?.lacksRegions == true {
      withhold("XMP regions that do not follow the turned image")
      lacksXMP = true
    }
    return found?.packet
  }

  /// Leaves out what lies where in the image, and how large that is: for one that gets another size.
  package mutating func leaveOutPlaces() {
    if var block = exif.flatMap({ ExifBlock($0) }) {
      block.leaveOutSubject()
      exif = block.bytes
    }
    if let packet = xmp {
      let rest = XMPTurn.resized(packet)
      xmp = rest?.packet
      if rest?.lacksRegions ?? true { withhold("XMP regions that do not follow another size") }
    }
    texts.removeAll(where: \.isOfStoredRows)
  }

  private mutating func withhold(_ what: String) {
    if !withheld.contains(what) { withheld.append(what) }
  }

  /// Puts everything into the fields that libvips' savers write.
  func apply(to picture: VipsImageHandle, layout: PixelFormat.Layout, as format: StillFormat) {
    if let profile = profile(for: layout), CodePoints(of: profile, in: format) == nil {
      picture.setBlob("icc-profile-data", profile)
    }
    if format != .tiff, var block = exif.flatMap({ ExifBlock($0) }) {
      block.describe(frameSize(in: picture.size))
      picture.setBlob("exif-data", block.bytes)
    }
    if let animation {
      picture.setNumber("page-height", frameSize(in: picture.size).height)
      picture.setNumbers("delay", animation.delays)
      picture.setNumber("loop", animation.loop)
    }
    if let xmp = xmp.flatMap({ XMP.safe($0) }) { picture.setBlob("xmp-data", xmp) }
    if let iptc = iptc.flatMap(IPTC.safe) {
      picture.setBlob("iptc-data", format == .jpeg ? IPTC.wrapped(iptc) : IPTC.padded(iptc))
    }
  }

  /// The size of a frame, of an image with all of them below each other.
  func frameSize(in picture: Size) -> Size {
    Size(width: picture.width, height: picture.height / (animation?.frames ?? 1))
  }

  /// Returns the parts that a format cannot hold, in words such as `IPTC`, and the parts left out of all files
  /// because they may show the image.
  public func leftOut(by format: StillFormat) -> [String] { fitted(to: format).leftOut }

  /// The longest content of a JPEG segment.
  private static let longestSegment = 65533
  /// The longest XMP packet in it.
  private static let longestXMP = longestSegment - 31

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
      if (kept.xmp?.count ?? 0) > Self.longestXMP { leave(\.xmp, "XMP") }
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

  /// Returns true if a part of it is written after libvips' savers, which write it wrongly or not at all in this
  /// format.
  func needsAppendix(in format: StillFormat) -> Bool {
    switch format {
    case .png, .apng: true
    case .jpeg, .gif: !texts.isEmpty
    case .tiff: exif != nil
    case .jxl: exif != nil || xmp != nil
    // libvips makes up EXIF for what else there is, and libpng writes that twice.
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
}

extension StillMetadata {
  /// A text in a file, for people.
  public struct Text: Sendable, Hashable {
    /// The keyword, such as `Title` or `Copyright`; 79 Latin letters at most.
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
  /// The number of pixels per millimeter when printed.
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

    /// The same for an image after it is turned upright.
    func turned(_ orientation: Orientation) -> Resolution {
      orientation.isTransposed
        ? Resolution(horizontal: vertical, vertical: horizontal) : self
    }

    /// 72 pixels per inch, written where nothing is known.
    public static let usual = Resolution(horizontal: 72 / 25.4, vertical: 72 / 25.4)
  }
}

extension StillMetadata {
  /// The timing of frames.
  public struct Animation: Sendable, Hashable {
    /// The duration of each frame, in milliseconds; as many as there are frames.
    public var delays: [Int]
    /// The number of times all are shown; 0 is for ever.
    public var loop: Int

    /// - Parameter delays: in milliseconds, one per frame and at least one.
    public init(delays: [Int], loop: Int = 0) {
      precondition(!delays.isEmpty, "an animation has at least one frame")
      self.delays = delays
      self.loop = loop
    }

    /// The number of frames.
    public var frames: Int { delays.count }
  }
}
