internal import CVips
internal import FrostglassCore
internal import Glibc

/// A source of an encoded image.
public enum StillSource: Sendable, Hashable {
  /// A file, or anything else that can be read at this path.
  case file(String)
  /// The process's standard input, read once from its current position.
  case standardInput
  /// A whole encoded image in memory.
  case bytes([UInt8])

  /// The name in messages: the path, `standard input` or `the given bytes`.
  public var name: String {
    switch self {
    case .file(let path): path
    case .standardInput: "standard input"
    case .bytes: "the given bytes"
    }
  }
}

/// Encoded bytes that libvips reads from as far as it needs.
final class ByteSource {
  private let pointer: UnsafeMutablePointer<VipsSource>
  /// The state of the file when it was opened; `nil` for pipes and bytes.
  let version: FileVersion?

  /// Opens a source and looks at its first byte.
  init(_ source: StillSource) throws(DecodeError) {
    let opened: UnsafeMutablePointer<VipsSource>?
    switch source {
    case .file(let path): (opened, version) = try Self.open(path)
    case .standardInput:
      (opened, version) = (try Self.adopt(STDIN_FILENO, name: source.name), nil)
    case .bytes(let bytes):
      guard !bytes.isEmpty else { throw .empty(name: source.name) }
      version = nil
      opened = bytes.withUnsafeBytes { fgk_source_from_bytes($0.baseAddress, $0.count) }
    }
    guard let opened else {
      throw .unreadable(path: source.name, reason: VipsFailure.take().reason)
    }
    pointer = opened
    try refuseEmpty(name: source.name)
  }

  deinit { g_object_unref(pointer) }

  /// The format that the first bytes announce.
  var signature: StillFormat? {
    firstBytes(StillFormat.signatureLength).flatMap { StillFormat(signature: $0) }
  }

  /// Recognizes the format from the first bytes, whatever the name says.
  fileprivate func loader(name: String) throws(DecodeError) -> StillLoader {
    let signature = signature
    if signature?.isOfRows == true { return .rows }
    guard let type = loaderType, let nickname = vips_nickname_find(g_type_from_name(type)),
      let loader = StillLoader(nickname: String(cString: nickname))
    else {
      vips_error_clear()
      if isAVIFSequence { throw .unsupportedKind(name: name, found: "an AVIF sequence") }
      throw signature != nil
        ? .damaged(name: name, reason: "its header cannot be read")
        : .unknownFormat(name: name, accepted: StillFormat.allCases)
    }
    return loader
  }

  /// True if it claims to be an AVIF animation, for which libvips has no loader.
  private var isAVIFSequence: Bool {
    firstBytes(12)?.dropFirst(4).elementsEqual("ftypavis".utf8) == true
  }

  /// The name that libvips has for what reads this file.
  private var loaderType: UnsafePointer<CChar>? {
    if let type = vips_foreign_find_load_source(pointer) { return type }
    vips_error_clear()
    VipsModules.load()
    return vips_foreign_find_load_source(pointer)
  }

  /// Reads the header; pixels follow when they are asked for, from top to bottom.
  func load() throws(VipsFailure) -> VipsImageHandle {
    guard signature == .png, let rows = withContents({ PNGRows($0) }), !rows.areInterlaced else {
      return try picture(fgk_load(pointer))
    }
    return try picture(
      fgk_load_bounded_png(pointer, rows.dataStart, rows.dataEnd, rows.bytes))
  }

  /// A JPEG at 1/shrink of its size, 1, 2, 4 or 8, whose rows fail where pixels are lost.
  func loadJPEG(shrink: Int = 1) throws(VipsFailure) -> VipsImageHandle {
    try picture(fgk_load_jpeg(pointer, Int32(shrink)))
  }

  /// The message of libjpeg about data that belong to no pixel, after all rows of a JPEG were read.
  var surplus: String? {
    fgk_source_words(pointer, FG_JPEG_DOUBT).map { String(cString: $0) }
  }

  /// The reason that rows of a JPEG could not be read; `nil` if they could, and for other formats.
  var failure: String? {
    fgk_source_words(pointer, FG_JPEG_FAILURE).map { String(cString: $0) }
  }

  /// Frames of an animation, one below the other.
  ///
  /// - Parameters:
  ///   - first: counted from 0.
  ///   - count: `nil` for all that follow.
  func loadFrames(
    from first: Int, count: Int?
  ) throws(VipsFailure) -> VipsImageHandle {
    try picture(fgk_load_frames(pointer, Int32(first), Int32(count ?? -1)))
  }

  /// An image of a TIFF.
  ///
  /// - Parameters:
  ///   - page: counted from 0.
  ///   - subdirectory: the index among the page's subdirectories, counted from 0; -1 for the page itself.
  func loadTIFF(
    page: Int, subdirectory: Int
  ) throws(VipsFailure) -> VipsImageHandle {
    try picture(fgk_load_tiff(pointer, Int32(page), Int32(subdirectory)))
  }

  /// Returns the message of libtiff about the data of a TIFF's image; `nil` if there is none.
  func complaint(about directory: TIFFDirectory) -> String? {
    let words = withUnsafeBytes(of: fgk_tiff_doubt(pointer, UInt64(directory.place)).words) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return words.isEmpty ? nil : words
  }

  /// An image of a TIFF, by libtiff instead of libvips. It reads from this source.
  func loadByLibtiff(_ layout: FGTIFFLayout) throws(VipsFailure) -> VipsImageHandle {
    try picture(fgk_tiff_by_libtiff(pointer, layout))
  }

  private func picture(
    _ image: UnsafeMutablePointer<VipsImage>?
  ) throws(VipsFailure) -> VipsImageHandle {
    guard let image else { throw .take() }
    let picture = VipsImageHandle(owning: image)
    picture.limitToOneThread()
    return picture
  }

  /// Bytes in all; `nil` where that cannot be known. A pipe is read to its end for it.
  var length: Int? {
    let length = Int(vips_source_length(pointer))
    guard length >= 0 else {
      vips_error_clear()
      return nil
    }
    return length
  }

  /// Runs something on the whole source; `nil` where it cannot be read. A pipe is read to its end.
  func withContents<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    var count = 0
    guard let start = vips_source_map(pointer, &count) else {
      vips_error_clear()
      return nil
    }
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the findings about the codes of a GIF.
  ///
  /// - Throws: `DecodeError.damaged` where one of its frames lacks pixels.
  func codes(name: String) throws(DecodeError) -> GIFCodes.Findings? {
    let found = withContents { file -> Result<GIFCodes.Findings, GIFCodes.Shortage>? in
      Result { () throws(GIFCodes.Shortage) in try GIFCodes.findings(file) }
    }
    return try mapped(
      { (lack: GIFCodes.Shortage) in
        DecodeError.damaged(
          name: name,
          reason: "frame \(lack.frame) has \(lack.pixels) of its \(lack.size.area) pixels")
      }, found?.get())
  }

  /// True if it is not in memory until it is read to its end.
  var isPipe: Bool { vips_source_is_mappable(pointer) == 0 }

  /// Returns the first bytes of the source, at most `count`; `nil` if it cannot be read.
  func firstBytes(_ count: Int) -> [UInt8]? {
    var start: UnsafeMutablePointer<UInt8>?
    let found = Int(vips_source_sniff_at_most(pointer, &start, count))
    return found < 0 ? nil : [UInt8](UnsafeBufferPointer(start: start, count: found))
  }

  private func refuseEmpty(name: String) throws(DecodeError) {
    guard let first = firstBytes(1) else {
      throw .unreadable(path: name, reason: VipsFailure.take().reason)
    }
    guard !first.isEmpty else { throw .empty(name: name) }
  }

  private static func open(
    _ path: String
  ) throws(DecodeError) -> (UnsafeMutablePointer<VipsSource>?, FileVersion?) {
    let descriptor = Glibc.open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT || code == ENOTDIR
        ? .missing(path: path) : .unreadable(path: path, reason: systemWords(code))
    }
    defer { close(descriptor) }
    return (try adopt(descriptor, name: path), FileVersion(of: descriptor, path))
  }

  /// Reads on from an open descriptor, which is duplicated.
  private static func adopt(
    _ descriptor: Int32, name: String
  ) throws(DecodeError) -> UnsafeMutablePointer<VipsSource>? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unreadable(path: name, reason: systemWords(errno))
    }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory(path: name) }
    // A file that opens and cannot be read: libvips would fail too, but without saying why.
    var byte: UInt8 = 0
    if pread(descriptor, &byte, 1, 0) < 0, errno != ESPIPE {
      throw .unreadable(path: name, reason: systemWords(errno))
    }
    return vips_source_new_from_descriptor(descriptor)
  }
}

/// A source whose header has been read: recognized, allowed, and not yet decoded.
struct OpenStill {
  let name: String
  let format: StillFormat
  /// A frame, or all frames stacked vertically.
  private(set) var picture: VipsImageHandle
  let shape: PixelShape
  /// Frames in the file.
  let frames: Int
  /// The number of frames, pages or images in the file that cannot be read, if others can.
  let unreadFrames: Int
  /// Frames in `picture`.
  private(set) var loadedFrames = 1
  /// The first of them in the file, counted from 0.
  private(set) var firstFrame = 0
  let bytes: ByteSource
  /// The state of its file when it was opened; `nil` for pipes and bytes.
  let version: FileVersion?
  /// The texts and tags in the file that libvips does not read.
  let texts: FileTexts?
  private let loader: StillLoader
  /// The pages of a TIFF, and the image among them.
  let tiff: TIFFPages?
  private let orientation: Orientation
  /// The description of its colors.
  let color: FileColor
  /// The remarks on how its samples are read: predicates of the file.
  let remarks: [String]
  /// The layout of its pixels, if they are stored uncompressed.
  private let rowFile: RowFile?
  /// The animation whose frames are composed here; `still` is then the file as libvips reads it.
  let animation: (any ComposedAnimation)?
  private let still: VipsImageHandle

  /// The upright size of a frame.
  var size: Size {
    let stored = Size(width: picture.size.width, height: picture.size.height / loadedFrames)
    return isTransposed ? Size(width: stored.height, height: stored.width) : stored
  }

  /// True if width and height change places.
  var isTransposed: Bool { orientation.isTransposed }

  /// The size as stored of an image that is of this size when it is upright.
  func stored(_ upright: Size) -> Size {
    isTransposed ? Size(width: upright.height, height: upright.width) : upright
  }

  /// - Parameter frame: the frame to open, counted from 1; `nil` for the first.
  init(_ source: StillSource, frame: Int? = nil) throws(DecodeError) {
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
    let name = source.name
    let given = try ByteSource(source)
    version = given.version
    loader = try given.loader(name: name)
    try given.demandHarmless(to: loader, name: name)
    let codes = loader == .gifload ? try given.codes(name: name) : nil
    bytes =
      try codes?.ended.map { bytes throws(DecodeError) in try ByteSource(.bytes(bytes)) } ?? given
    rowFile = loader == .rows ? try RowFile(bytes, name: name) : nil
    tiff = loader == .tiffload ? bytes.withContents { TIFFPages($0) } : nil
    try tiff?.demandKnown(name: name)
    do {
      if let rowFile {
        picture = try rowFile.picture(from: bytes)
      } else if let tiff {
        picture = try tiff.picture(from: bytes)
      } else if loader == .jpegload {
        picture = try bytes.loadJPEG()
      } else {
        picture = try bytes.load()
      }
    } catch {
      // An intact TIFF of doubles: libvips 8.14 reads samples of up to 32 bits.
      throw error.reason == "samples out of range"
        ? .unsupportedPixels(name: name, found: "wider than 32 bits")
        : .damaged(name: name, reason: error.reason)
    }
    if loader == .gifload, bytes.withContents({ GIF.isWhole($0) }) == false {
      throw .damaged(name: name, reason: "it ends within a frame, or before the first one")
    }
    var tiffColor: TIFFColor?
    if let tiff {
      let color = try TIFFColor(of: picture, tiff.main, name: name)
      (picture, tiffColor) = (color.picture, color)
    }
    animation =
      switch loader {
      case .pngload: try AnimatedPNG.found(in: bytes, name: name)
      case .gifload: AnimatedGIF.found(in: bytes, picture)
      default: nil
      }
    let format = animation is AnimatedPNG ? .apng : loader.format(of: picture, bytes)
    self.format = format
    texts = rowFile.map { FileTexts(comments: $0.comments) } ?? bytes.texts(format, tiff)
    orientation = Self.orientation(of: picture, texts, format, tiff)
    picture.setOrientation(orientation)
    still = picture
    if let animation {
      picture = try animation.frames(of: still, from: bytes, first: 0, count: 1, name: name)
    }
    guard let shape = PixelShape(picture, isDeepLab: tiffColor?.isDeepLab == true) else {
      throw .unsupportedPixels(name: name, found: PixelShape.words(for: picture.bandFormat))
    }
    self.name = name
    self.shape = shape
    // libvips divides associated alpha; libtiff gives samples as they are.
    let isPremultiplied = tiff.map { $0.isByLibtiff && $0.main.numbers(338).contains(1) } ?? false
    color = try FileColor(
      of: picture, shape, format, bytes, isPremultiplied: isPremultiplied, name: name)
    remarks = [
      color.note, tiffColor?.note, rowFile?.note,
      Self.ignoredOrientation(of: picture, texts, format, bytes), codes?.doubt, texts?.doubt,
    ].compactMap { $0 }
    // In other formats pages are not frames.
    let pages = picture.number("n-pages") ?? 1
    frames = format.canAnimate ? pages : 1
    unreadFrames =
      format == .png
      ? max(bytes.firstBytes(AnimatedPNG.mostBefore).map { AnimatedPNG.announced($0) - 1 } ?? 0, 0)
      : tiff?.others(of: pages) ?? max(pages - frames, 0)
    if let tiff, !tiff.isByLibtiff, let tile = TileSize(tiff.main) {
      guard tile.isSearchable(picture.size) else {
        throw .damaged(
          name: name,
          reason: "too many tiles of \(tile.width)×\(tile.height) side by side in "
            + "\(picture.size) pixels")
      }
      do { picture = try picture.byTileRows(tile) } catch {
        throw .damaged(name: name, reason: error.reason)
      }
    }
    guard let frame, frame != 1 else { return }
    guard (1...frames).contains(frame) else {
      throw .noSuchFrame(name: name, frame: frame, count: frames)
    }
    firstFrame = frame - 1
    picture = try loadFrames(from: firstFrame, count: 1)
  }

  /// Refuses a file that is too small for what its header claims.
  ///
  /// - Throws: `DecodeError.damaged`.
  func checkClaimedSize() throws(DecodeError) {
    if loader == .pngload,
      bytes.withContents({ PNGRows($0)?.isTooMuchInterlaced(in: $0) }) == true
    {
      throw .damaged(name: name, reason: "more data follow its last row than belong there")
    }
    let size = Size(width: picture.size.width, height: picture.size.height / loadedFrames)
    guard !isSmall(size.area * frames), let length = bytes.length,
      !isPossible(size, length)
    else { return }
    throw .damaged(
      name: name, reason: "its header claims \(size) pixels, which \(length) bytes cannot hold")
  }

  /// Returns true if that many pixels cost little, or the format cannot claim more than it has.
  ///
  /// A pipe is read to its end for this check. Otherwise PNG files are read from it row by row.
  private func isSmall(_ pixels: Int) -> Bool {
    switch format {
    case .jpeg, .tiff: pixels * picture.bands <= 1 << 22
    case .png, .apng: pixels <= 1 << 25
    // What files of rows claim was looked at with their header.
    case .gif, .webp, .avif, .heic, .jxl, .bmp, .ppm, .pfm: true
    }
  }

  private func isPossible(_ size: Size, _ length: Int) -> Bool {
    if let tiff { return ClaimedSize.isPossible(tiff.main) }
    guard format == .jpeg else {
      return bytes.withContents { ClaimedSize.isPossible(format, $0) } ?? true
    }
    let most = ClaimedSize.mostPixelsPerByteOfJPEG
    guard size.area / most > length, let file = bytes.firstBytes(length),
      let pixels = ClaimedSize.jpeg(file)?.area
    else { return true }
    return pixels / most <= length
  }

  /// The oddity of data after all rows were read, as a predicate of the file; `nil` if there is none.
  ///
  /// libtiff passes its warnings to the whole process, so data of codecs that only warn are decoded again.
  var doubt: String? {
    let complaint = tiff.flatMap { $0.mayWarn ? bytes.complaint(about: $0.main) : nil }
    return (complaint ?? bytes.surplus).map {
      "was read to its end and may still be damaged (\($0))"
    }
  }

  /// Returns the same file with all its frames.
  func withAllFrames() throws(DecodeError) -> OpenStill {
    var all = self
    all.picture = try loadFrames(from: 0, count: nil)
    all.loadedFrames = frames
    guard let height = all.picture.number("page-height"),
      height * frames == all.picture.size.height
    else { throw .damaged(name: name, reason: "its frames differ in size") }
    return all
  }

  private func loadFrames(from first: Int, count: Int?) throws(DecodeError) -> VipsImageHandle {
    if let animation {
      return try animation.frames(
        of: still, from: bytes, first: first, count: count ?? frames - first, name: name)
    }
    do {
      let frames = try bytes.loadFrames(from: first, count: count)
      frames.setOrientation(orientation)
      return frames
    } catch { throw .damaged(name: name, reason: error.reason) }
  }

  /// Returns the same image, as stored, with sides at least twice as long as those of `size`, or its own if it has
  /// no smaller ones. Scaling down then has less to do.
  func shrunk(for size: Size) throws(VipsFailure) -> VipsImageHandle {
    guard format == .jpeg else { return picture }
    let stored = picture.size
    let shrink = [8, 4, 2].first {
      stored.width >= 2 * $0 * size.width && stored.height >= 2 * $0 * size.height
    }
    guard let shrink else { return picture }
    let shrunk = try bytes.loadJPEG(shrink: shrink)
    shrunk.setOrientation(orientation)
    return shrunk
  }
}
