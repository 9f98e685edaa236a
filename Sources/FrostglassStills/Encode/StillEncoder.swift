internal import CVips
public import FrostglassCore

/// Writes image files of all formats.
///
/// Files are written atomically, with the metadata of `StillMetadata`.
public struct StillEncoder: Sendable {
  /// The encoding options.
  public let options: EncodeOptions

  /// Images with more bytes than this are encoded into a file, as they may not become much smaller.
  static let mostInMemory = 256 << 20

  /// Pixels that an image in memory may get with another size, all frames together: as many as are read unless
  /// another number is told.
  private static let mostPixels = DecodeOptions().maxPixels

  /// An encoder; it keeps nothing between files.
  public init(_ options: EncodeOptions = EncodeOptions()) { self.options = options }

  /// Encodes and writes one image.
  ///
  /// - Parameters:
  ///   - image: opaque or with straight alpha, encoded transfer, in a pixel format that
  ///     `format.pixelFormat(preserving:)` returns unchanged.
  ///   - metadata: `nil` for none. Frames of an animation are stacked vertically in the image.
  /// - Throws: `EncodeError`.
  public func encode(
    _ image: Image, metadata: StillMetadata? = nil, as format: StillFormat, to sink: StillSink
  ) throws(EncodeError) {
    try sink.preflight()
    try sink.write(encoded(image, metadata, format), isDurable: options.isDurable)
  }

  /// Encodes one image into memory, otherwise like a file.
  public func encode(
    _ image: Image, metadata: StillMetadata? = nil, as format: StillFormat
  ) throws(EncodeError) -> [UInt8] {
    try encoded(image, metadata, format).array
  }

  /// Encodes and writes an image whose rows are made meanwhile; everything else is as for whole images.
  ///
  /// - Throws: what making a row throws, or `EncodeError`; then nothing was written.
  package func encode(
    _ rows: StillRows, metadata: StillMetadata? = nil, as format: StillFormat,
    to sink: StillSink
  ) throws {
    try sink.preflight()
    let metadata = metadata.map { options.kept($0, of: rows.size) }
    let rows = resized(rows, frames: metadata?.animation?.frames ?? 1)
    try check(rows.format, rows.size, format, metadata)
    let saver = saver(format, metadata)
    let (picture, maker) = try making(rows, format)
    let spool = rows.byteCount > Self.mostInMemory ? sink.spoolFile : nil
    let bytes: EncodedBytes
    do {
      bytes = try saver.save(picture, pixels: rows.format, to: spool)
    } catch {
      throw maker.failure ?? sink.failure(spooling: error, as: format)
    }
    let staged = try sink.stage(bytes, isDurable: options.isDurable)
    let sidecar = try rows.telling?(staged.digest)
    // Behind all that takes time.
    try rows.finish()
    guard let sidecar else { return try staged.publish() }
    try staged.prepare()
    try Sidecar.publish(sidecar, isPrompt: staged.isPrompt) { () throws(EncodeError) in
      try staged.publish()
    }
  }

  /// The same rows at the size that is asked for.
  private func resized(_ rows: StillRows, frames: Int) -> StillRows {
    guard let resize = options.resize, rows.size.height % frames == 0 else { return rows }
    let frame = Size(width: rows.size.width, height: rows.size.height / frames)
    let size = resize.size(of: frame)
    let resized = ResizedRows(resize, size: frame, format: rows.format)
    var result = StillRows(
      size: Size(width: size.width, height: size.height * frames), format: rows.format,
      next: { target in try resized.next(into: target, rows.next) }, finish: rows.finish)
    result.telling = rows.telling
    return result
  }

  private func resized(
    _ image: Image, frames: Int, _ format: StillFormat
  ) throws(EncodeError) -> Image {
    guard let resize = options.resize, image.size.height % frames == 0 else { return image }
    let frame = Size(width: image.size.width, height: image.size.height / frames)
    let largest = resize.largest(of: frame)
    guard resize.isPossible(for: frame), largest.area <= Self.mostPixels / frames else {
      throw .unsupportedImage(
        format: format, found: "a resize to \(largest) pixels",
        accepted: "up to \(Self.mostPixels) pixels, and \(VIPS_MAX_COORD) along a side")
    }
    let (bytes, count) = (image.packedBytes, image.size.width * image.format.bytesPerPixel)
    var y = 0
    let rows = resized(
      StillRows(size: image.size, format: image.format) { target in
        bytes[y * count..<(y + 1) * count].withUnsafeBytes { row in
          if let start = row.baseAddress { target.copyMemory(from: start, byteCount: count) }
        }
        y += 1
      }, frames: frames)
    var result = Image(
      zeros: rows.size, format: image.format, alpha: image.alpha, transfer: image.transfer)
    do {
      try result.withUnsafeMutableBytes { bytes in
        for row in 0..<rows.size.height {
          guard let start = bytes.baseAddress else { return }
          try rows.next(start + row * rows.size.width * rows.format.bytesPerPixel)
        }
      }
    } catch {
      throw .cannotEncode(format: format, reason: (error as? VipsFailure)?.reason ?? "\(error)")
    }
    return result
  }

  private func making(
    _ rows: StillRows, _ format: StillFormat
  ) throws(EncodeError) -> (VipsImageHandle, RowMaker) {
    do { return try VipsImageHandle.making(rows) } catch {
      throw .cannotEncode(format: format, reason: error.reason)
    }
  }

  private func encoded(
    _ image: Image, _ metadata: StillMetadata?, _ format: StillFormat
  ) throws(EncodeError) -> EncodedBytes {
    guard image.alpha != .premultiplied, image.transfer == .encoded else {
      throw .unsupportedImage(
        format: format, found: "premultiplied or linear samples",
        accepted: "straight or opaque alpha in encoded transfer")
    }
    let metadata = metadata.map { options.kept($0, of: image.size) }
    let image = try resized(image, frames: metadata?.animation?.frames ?? 1, format)
    try check(image.format, image.size, format, metadata)
    let saver = saver(format, metadata)
    return try image.packedBytes.withUnsafeBytes { bytes in
      Result { () throws(VipsFailure) in
        let picture = try VipsImageHandle(viewing: bytes, size: image.size, format: image.format)
        return try saver.save(picture, pixels: image.format)
      }.mapError { EncodeError.cannotEncode(format: format, reason: $0.reason) }
    }.get()
  }

  private func saver(_ format: StillFormat, _ metadata: StillMetadata?) -> StillSaver {
    let wanted = options.strip ? metadata?.stripped : metadata
    return StillSaver(
      format: format, options: options, metadata: wanted?.fitted(to: format).kept)
  }

  private func check(
    _ pixels: PixelFormat, _ whole: Size, _ format: StillFormat, _ metadata: StillMetadata?
  ) throws(EncodeError) {
    let frames = metadata?.animation?.frames ?? 1
    guard frames >= 1, whole.height % frames == 0, frames == 1 || format.canAnimate else {
      let accepted = format.canAnimate ? "a whole number of rows for each frame" : "one frame"
      throw .unsupportedImage(
        format: format, found: "\(frames) frames in \(whole.height) rows", accepted: accepted)
    }
    let size = Size(width: whole.width, height: whole.height / frames)
    if let quality = options.quality, !(1...100).contains(quality) {
      throw .invalidQuality(quality)
    }
    if let effort = options.effort, !(0...9).contains(effort) { throw .invalidEffort(effort) }
    let accepted = format.pixelFormat(preserving: pixels)
    guard accepted == pixels else {
      throw .unsupportedImage(format: format, found: "\(pixels) pixels", accepted: "\(accepted)")
    }
    guard format.holdsProfile || metadata?.iccProfile == nil || metadata?.mayConvert == true else {
      // Without its profile it would have other colors.
      throw .profile(format: format)
    }
    try format.checkSize(size, frames: frames)
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
  }
}

/// The options for writing image files.
public struct EncodeOptions: Sendable, Hashable {
  /// The quality from 1 to 100; `nil` is the format's default: JPEG and JPEG XL 90, WebP 85, AVIF and HEIC 60.
  /// Other formats ignore it.
  public var quality: Int?
  /// True if only the pixels and a color profile they need are written.
  public var strip: Bool
  /// True if WebP and JPEG XL store every pixel exactly, in a larger file; they ignore the quality then. PNG, TIFF,
  /// BMP, PPM and PFM always do; JPEG, AVIF, HEIC and GIF never.
  public var lossless: Bool
  /// The effort to make the file smaller, from 0 (fast) to 9 (many times slower). `nil` is the format's
  /// default. JPEG, HEIC, TIFF, BMP, PPM and PFM ignore it.
  public var effort: Int?
  /// The size at which images are written, after the filters; `nil` keeps it. Regions and masks count in
  /// pixels of the image as it was read. Metadata about positions in the image is dropped. Images in memory get no
  /// more than 500 million pixels.
  public var resize: Resize?
  /// True if a file is on the disk before it has its name, so that a name stands for a whole file even after
  /// the machine went down.
  package var isDurable = false
  /// The colors of a GIF that are to stay as they are in another one; `nil` chooses those that fit best.
  package var keptColors: KeptColors?

  /// Creates options; those left out have their defaults.
  public init(
    quality: Int? = nil, strip: Bool = false, lossless: Bool = false, effort: Int? = nil,
    resize: Resize? = nil
  ) {
    self.resize = resize
    self.quality = quality
    self.strip = strip
    self.lossless = lossless
    self.effort = effort
  }
}

extension EncodeOptions {
  /// Returns the metadata to write with an image. If the image gets another size, positions in it are left out.
  ///
  /// - Parameter size: the size of all frames stacked vertically, before resizing.
  package func kept(_ metadata: StillMetadata, of size: Size) -> StillMetadata {
    let frames = metadata.animation?.frames ?? 1
    let frame = Size(width: size.width, height: size.height / max(frames, 1))
    guard let resize, resize.size(of: frame) != frame else { return metadata }
    var metadata = metadata
    metadata.leaveOutPlaces()
    return metadata
  }
}

/// Hands checked samples to the saver of one format.
struct StillSaver {
  let format: StillFormat
  let options: EncodeOptions
  let metadata: StillMetadata?

  /// Encodes an image of these pixels, into memory or an open file.
  func save(
    _ source: VipsImageHandle, pixels: PixelFormat, to spool: SpoolFile? = nil
  ) throws(VipsFailure) -> EncodedBytes {
    let resolution = metadata?.resolution ?? .usual
    let shown = format.holdsProfile ? source : try inSRGB(source, pixels)
    let picture = try shown.applying {
      fgk_retag($0, $1, pixels.interpretation, resolution.horizontal, resolution.vertical)
    }
    metadata?.apply(to: picture, layout: pixels.layout, as: format)
    if format.isOfRows, let rows = RowFileLayout(format, picture.size, pixels, metadata) {
      return try rows.write(picture, to: spool)
    }
    if format == .apng { return try saveFrames(of: picture, pixels, to: spool) }
    if format == .gif, let colors = options.keptColors {
      let writer = GIFWriter(colors: colors, animation: metadata?.animation)
      let file = try writer.write(picture, pixels, to: spool)
      if let metadata { FileAppendix(metadata, picture.size).add(to: file, as: .gif) }
      return file
    }
    let byteCount = picture.size.area * pixels.bytesPerPixel
    let file = try picture.saved(to: spool) { image, target in
      call(image, target, pixels, byteCount)
    }
    if let profile = metadata?.profile(for: pixels.layout) {
      CodePoints(of: profile, in: format)?.add(to: file)
    }
    if let metadata, metadata.needsAppendix(in: format) {
      FileAppendix(metadata, picture.size).add(to: file, as: format)
    }
    return file
  }

  private func saveFrames(
    of picture: VipsImageHandle, _ pixels: PixelFormat, to spool: SpoolFile?
  ) throws(VipsFailure) -> EncodedBytes {
    var said = metadata
    said?.animation = nil
    let resolution = metadata?.resolution ?? .usual
    let writer = AnimatedPNGWriter(pixels: pixels, metadata: metadata) {
      frame, isFirst throws(VipsFailure) in
      let tagged = try frame.applying {
        fgk_retag($0, $1, pixels.interpretation, resolution.horizontal, resolution.vertical)
      }
      if isFirst { said?.apply(to: tagged, layout: pixels.layout, as: .apng) }
      return try tagged.saved(to: nil) { image, target in
        fgk_save_png(
          image, target, Self.effort(options.effort, of: .apng, tagged.size.area),
          isFirst && hasContent ? 0 : 1)
      }.array
    }
    let file = try writer.write(picture, to: spool)
    if let metadata { FileAppendix(metadata, picture.size).add(to: file, as: .apng) }
    return file
  }

  private func call(
    _ image: UnsafeMutablePointer<VipsImage>, _ target: UnsafeMutablePointer<VipsTarget>,
    _ pixels: PixelFormat, _ byteCount: Int
  ) -> Int32 {
    let strip: gboolean = hasContent ? 0 : 1
    let effort = Self.effort(options.effort, of: format, byteCount / pixels.bytesPerPixel)
    if [.avif, .heic, .jxl].contains(format) { VipsModules.load() }
    switch format {
    case .jpeg: return fgk_save_jpeg(image, target, quality(90), strip)
    case .png, .apng: return fgk_save_png(image, target, effort, strip)
    case .webp:
      let lossless: gboolean = options.lossless ? 1 : 0
      return fgk_save_webp(image, target, quality(85), lossless, effort, strip)
    case .avif:
      let bits: Int32 = pixels.depth == .uint8 ? 8 : 12
      return fgk_save_avif(image, target, quality(60), bits, effort, strip)
    case .tiff:
      let predictor =
        pixels.depth == .float32
        ? VIPS_FOREIGN_TIFF_PREDICTOR_FLOAT : VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL
      // Offsets of the classic format end at 4 GiB; deflate never grows data by a quarter.
      let big: gboolean = byteCount > 3 << 30 ? 1 : 0
      return fgk_save_tiff(image, target, predictor, big, strip)
    case .gif: return fgk_save_gif(image, target, effort, strip)
    case .heic:
      let bits: Int32 = pixels.depth == .uint8 ? 8 : 12
      return fgk_save_heic(image, target, quality(60), bits, strip)
    case .jxl:
      let lossless: gboolean = options.lossless ? 1 : 0
      return fgk_save_jxl(image, target, quality(90), lossless, effort, strip)
    case .bmp, .ppm, .pfm: return -1
    }
  }

  private func quality(_ usual: Int32) -> Int32 { options.quality.map { Int32($0) } ?? usual }

  /// The effort in the saver's own numbers, the usual one for `nil`.
  ///
  /// - Parameter area: pixels of a frame.
  private static func effort(_ effort: Int?, of format: StillFormat, _ area: Int) -> Int32 {
    switch format {
    // zlib's levels; 0 does not compress. Its default of 6 takes twice as long for a few percent.
    case .png, .apng: Int32(max(effort ?? (area <= 1 << 18 ? 4 : 5), 1))
    // 0…6.
    case .webp: Int32(effort.map { $0 * 2 / 3 } ?? 4)
    // 1…10; those below 4 drop the lowest bit of all colors.
    case .gif: Int32(effort.map { 4 + $0 * 2 / 3 } ?? 7)
    // 0…9. From 2 on libaom takes blurred images for those of screens: it then searches them for repetitions,
    // with 5 times the memory and 10 times the time, and saves less than 1 % of a photo's bytes.
    case .avif: Int32(effort ?? 1)
    // 3…9. With 5 an image is as small as with libjxl's usual 7, in half the time.
    case .jxl: Int32(3 + (effort ?? 3) * 2 / 3)
    case .jpeg, .tiff, .heic, .bmp, .ppm, .pfm: 0
    }
  }

  /// True if there is anything to write besides pixels. Without `strip` libvips adds EXIF of its own.
  private var hasContent: Bool {
    guard let metadata else { return false }
    return metadata.iccProfile != nil || metadata.exif != nil || metadata.xmp != nil
      || metadata.iptc != nil || metadata.resolution != nil
  }
}

extension VipsImageHandle {
  /// An image whose rows are made, from top to bottom and each once, when a saver asks for them.
  ///
  /// - Returns: the image, and what knows why it failed if it does.
  fileprivate static func making(_ rows: StillRows) throws(VipsFailure) -> (
    VipsImageHandle, RowMaker
  ) {
    let maker = RowMaker(rows)
    let picture = try making(
      rows.size, bands: rows.format.layout.channels, rows.format.bandFormat,
      filledBy: maker.fill)
    return (picture, maker)
  }
}

/// Makes rows for libvips.
private final class RowMaker {
  private let rows: StillRows
  private var next = 0
  /// The error that stopped it.
  private(set) var failure: (any Error)?

  init(_ rows: StillRows) { self.rows = rows }

  /// Fills a region that is as wide as the image.
  fileprivate func fill(_ region: UnsafeMutablePointer<VipsRegion>) throws(VipsFailure) {
    let area = region.pointee.valid
    guard failure == nil, area.left == 0, Int(area.width) == rows.size.width,
      Int(area.top) == next
    else { throw VipsFailure(log: "rows are asked for out of order") }
    do {
      for y in area.top..<area.top + area.height {
        try rows.next(UnsafeMutableRawPointer(fgk_region_row(region, y)))
      }
      next += Int(area.height)
    } catch {
      failure = error
      throw VipsFailure(log: "\(error)")
    }
  }
}

/// An image that is made row by row while it is encoded.
package struct StillRows {
  package let size: Size
  package let format: PixelFormat
  /// Writes the next row, opaque or with straight alpha, in encoded transfer. Called once per row,
  /// from the top, by another thread than the one that encodes.
  package let next: (UnsafeMutableRawPointer) throws -> Void
  /// Called when the file and its sidecar are complete next to their destinations, before they can be
  /// seen there: throws where it is not to be.
  package let finish: () throws -> Void
  /// Called before that with the SHA-256 of the file, where it has one of its own, for what gets its place
  /// with it; throws likewise.
  package var telling: ((_ digest: String?) throws -> Sidecar?)?

  /// Bytes of all rows.
  var byteCount: Int { size.area * format.bytesPerPixel }

  package init(
    size: Size, format: PixelFormat, next: @escaping (UnsafeMutableRawPointer) throws -> Void,
    finish: @escaping () throws -> Void = {}
  ) {
    self.size = size
    self.format = format
    self.next = next
    self.finish = finish
  }
}

extension StillEncoder {
  /// The rows that libvips keeps between their source and an encoder.
  private static let rowsInStore = 500

  /// About how many bytes encoding takes, the image not counted: what the codec keeps, and the
  /// encoded file before it is written.
  ///
  /// Measured on images of noise with libvips 8.14 and rounded up.
  ///
  /// - Parameters:
  ///   - size: of a frame.
  ///   - byRows: true if rows come one after another. A large file is then not kept in memory.
  package func memory(
    _ size: Size, frames: Int = 1, _ pixels: PixelFormat, as format: StillFormat, byRows: Bool
  ) -> Int {
    let bytes = size.area * frames * pixels.bytesPerPixel
    let rows = min(size.height * frames, Self.rowsInStore) * size.width * pixels.bytesPerPixel
    let isSpooled = byRows && bytes > Self.mostInMemory
    return rows + size.area * codecBytesPerPixel(pixels, format)
      + (isSpooled ? 0 : file(bytes, format, frames))
  }

  /// The encoded file, at its largest.
  private func file(_ bytes: Int, _ format: StillFormat, _ frames: Int) -> Int {
    switch format {
    case .png, .apng, .tiff, .bmp, .ppm, .pfm: bytes
    case .jxl where options.lossless: bytes
    // Put together frame by frame, and copied while it grows.
    case .webp where frames > 1: bytes * (options.lossless ? 4 : 2)
    case .webp where options.lossless: bytes
    case .jpeg, .webp, .avif, .heic, .jxl, .gif: bytes / 2
    }
  }

  /// Returns the bytes that the codec keeps per pixel of a frame.
  private func codecBytesPerPixel(_ pixels: PixelFormat, _ format: StillFormat) -> Int {
    switch format {
    case .jpeg, .png, .tiff, .bmp, .ppm, .pfm: 0
    // A frame, the one before, a part of it, and that as a file.
    case .apng: 4 * pixels.bytesPerPixel
    case .jxl: (options.effort ?? 3) < 7 ? 120 : 320
    case .webp: options.lossless || pixels.layout.hasAlpha ? 32 : 13
    // With what libaom keeps where it searches for repetitions.
    case .avif where options.effort ?? 1 > 1: pixels.depth == .uint8 ? 135 : 145
    case .avif, .heic: pixels.depth == .uint8 ? 28 : 36
    case .gif: options.keptColors == nil ? 14 : 24
    }
  }
}
