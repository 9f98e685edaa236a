internal import CVips
public import FrostglassCore

/// Reads image files of every `StillFormat`.
///
/// Of an animation one frame is decoded, unless all are requested.
///
/// The format is detected by content, never by name. Images with more
/// pixels than allowed are not decoded, and damaged files are errors, not partial images.
public struct StillDecoder: Sendable {
  /// The decoding options and limits.
  public let options: DecodeOptions

  /// A decoder; it keeps nothing between files.
  public init(_ options: DecodeOptions = DecodeOptions()) { self.options = options }

  /// Reads size and pixel format without decoding; consumes standard input.
  ///
  /// - Throws: `DecodeError`, also beyond the pixel limit.
  public func header(of source: StillSource) throws(DecodeError) -> StillHeader {
    let open = try opened(source)
    return StillHeader(open, options.resize)
  }

  /// Decodes one image.
  ///
  /// The image is upright: a stored orientation is applied. Its alpha is straight, or opaque
  /// if the file has no alpha channel. 16-bit samples and those of floating-point TIFF keep
  /// their depth, fewer than 8 bits become 8; AVIF and HEIC above 8 bits become 16.
  ///
  /// - Throws: `DecodeError`.
  public func decode(_ source: StillSource) throws(DecodeError) -> Still {
    let reader = try reader(of: source)
    try checkMemory(reader.imageMemory, for: reader)
    return Still(
      image: try reader.image(), format: reader.header.format, metadata: reader.metadata)
  }

  /// Opens one image, to be decoded row by row; everything else is as for `decode`.
  package func reader(of source: StillSource) throws(DecodeError) -> StillReader {
    let open = try opened(source)
    return try StillReader(open, options)
  }

  /// Returns a reader of all frames of an open animation; nothing may have been read yet.
  ///
  /// - Returns: a reader whose rows are those of all frames, one frame after another.
  /// - Throws: `DecodeError`; the pixels of all frames count for the limit.
  package func allFrames(of reader: StillReader) throws(DecodeError) -> StillReader {
    let open = try reader.open.withAllFrames()
    try checkLimit(open)
    return try StillReader(open, options)
  }

  /// Refuses what is to be done with an open image where it takes too many bytes.
  ///
  /// - Throws: `DecodeError.tooMuchMemory`.
  package func checkMemory(_ need: Int, for reader: StillReader) throws(DecodeError) {
    let limit = options.maxMemory ?? MachineMemory.half
    guard need <= limit else {
      throw .tooMuchMemory(
        name: reader.open.name, size: reader.header.size, need: need, limit: limit)
    }
  }

  /// Opens an image, and refuses one that is too large, or another one than was expected.
  private func opened(_ source: StillSource) throws(DecodeError) -> OpenStill {
    let open = try OpenStill(source, frame: options.frame)
    guard options.version == nil || open.version == options.version else {
      throw .changed(name: source.name)
    }
    try checkLimit(open)
    return open
  }

  private func checkLimit(_ open: OpenStill) throws(DecodeError) {
    // A frame that is asked for is made of those before it.
    let frames = max(open.loadedFrames, open.frames > 1 ? options.frame ?? 1 : 1)
    let all = Size(width: open.size.width, height: open.size.height * frames)
    guard all.area <= options.maxPixels else {
      throw .tooManyPixels(name: open.name, size: all, limit: options.maxPixels)
    }
    if let size = options.resize?.largest(of: open.size),
      Double(size.area) * Double(open.loadedFrames) > Double(options.maxPixels)
    {
      throw .tooManyPixels(name: open.name, size: size, limit: options.maxPixels)
    }
    if let resize = options.resize, !resize.isPossible(for: open.size) {
      throw .tooManyPixels(
        name: open.name, size: resize.largest(of: open.size), limit: Int(VIPS_MAX_COORD))
    }
    try open.checkClaimedSize()
  }
}

extension StillDecoder {
  /// Reads an image to be shown: upright, sRGB, 8 bits, with alpha if the file has an alpha channel.
  ///
  /// - Parameter size: its pixels; what becomes larger or smaller is as sharp as it gets.
  /// - Returns: an `rgb8` image, or an `rgba8` one with straight alpha.
  /// - Throws: `DecodeError`, which names the file; the pixel limit holds for both sizes.
  package func picture(
    _ source: StillSource, _ size: ImageSize = .own
  ) throws(DecodeError) -> Image {
    try image(source, size, .srgb).eightBitColors
  }

  /// Reads an image as a mask: upright, 8-bit gray.
  ///
  /// A sample is the Rec. 709 luma of the color as it is stored, times alpha. What color profile
  /// the file has does not matter: a mask is numbers, not colors.
  ///
  /// - Parameter size: as for images.
  /// - Throws: as for images.
  package func mask(
    _ source: StillSource, _ size: ImageSize = .own
  ) throws(DecodeError) -> Image {
    let picture = try image(source, size, .keep)
    let mask = MaskImage(picture, .luma)
    var image = Image(zeros: mask.size, format: .gray8)
    image.bytes = mask.samples.map(\.eightBits)
    return image
  }

  private func image(
    _ source: StillSource, _ wanted: ImageSize, _ profile: DecodeOptions.Profile
  ) throws(DecodeError) -> Image {
    var options = options
    options.profile = profile
    let reader = try StillDecoder(options).reader(of: source)
    let size = wanted.size(of: reader.header.size)
    guard size != reader.header.size else {
      try checkMemory(reader.imageMemory, for: reader)
      return try reader.image()
    }
    precondition(size.width >= 1 && size.height >= 1, "an image has at least one pixel")
    guard size.area <= options.maxPixels else {
      throw .tooManyPixels(name: source.name, size: size, limit: options.maxPixels)
    }
    try checkMemory(reader.imageMemory(scaledTo: size), for: reader)
    return try reader.image(scaledTo: size, .sharp)
  }
}

/// A decoded image with its file's metadata.
public struct Still: Sendable {
  /// Upright pixels, with straight alpha or none, as encoded for a display.
  public var image: Image
  /// The format of the file, whatever its name.
  public var format: StillFormat
  /// The metadata that is written again, unless stripped.
  public var metadata: StillMetadata

  /// An image with its format and metadata.
  public init(image: Image, format: StillFormat, metadata: StillMetadata = StillMetadata()) {
    self.image = image
    self.format = format
    self.metadata = metadata
  }
}

/// The size at which an image is wanted.
package enum ImageSize: Sendable, Hashable {
  /// The image's own size.
  case own
  /// Stretched or shrunk to a size, whatever its shape; both sides at least 1.
  case exact(Size)
  /// A width of 1 or more, in the image's own shape.
  case width(Int)

  /// The size for an image that has another, never below 1×1.
  package func size(of own: Size) -> Size {
    switch self {
    case .own: return own
    case .exact(let size): return size
    case .width(let width):
      let height = Double(own.height) * Double(width) / Double(own.width)
      return Size(width: width, height: max(1, Int(height.rounded())))
    }
  }
}

/// The options for reading image files.
public struct DecodeOptions: Sendable, Hashable {
  /// The most pixels an image may have, width times height; 500 million by default, 0 refuses everything. Larger
  /// images are refused from their header alone. For an animation that is read whole, the pixels of all frames
  /// count. For a single frame, those of earlier frames count, too, as it depends on them.
  public var maxPixels: Int
  /// The most bytes that processing an image may take, estimated from its header, the plan and the formats. An
  /// image that would take more is refused before it is decoded. `nil` is half of the machine's memory.
  ///
  /// The estimate includes the buffers of decoder and encoder, images and rows in progress, images in masks, and
  /// the encoded file if it is assembled in memory. It excludes the base memory of the process.
  public var maxMemory: Int?
  /// The treatment of color profiles; `.srgb` by default.
  public var profile: Profile
  /// The frame of an animation to read, counted from 1; `nil` for the first, or for all if the output holds them. A
  /// still has one frame.
  public var frame: Int?
  /// The size at which images are read; `nil` keeps the file's. Filters, regions and masks then
  /// count in pixels of that size. Large JPEG files are decoded at reduced size.
  public var resize: Resize?
  /// The state that the file must be in when it is opened, as it was when something was found in it; `nil` takes any.
  package var version: FileVersion?

  /// Creates options; those left out have their defaults.
  public init(
    maxPixels: Int = 500_000_000, maxMemory: Int? = nil, profile: Profile = .srgb,
    frame: Int? = nil, resize: Resize? = nil
  ) {
    self.resize = resize
    self.maxPixels = maxPixels
    self.maxMemory = maxMemory
    self.profile = profile
    self.frame = frame
  }
}

extension DecodeOptions {
  /// The treatment of an embedded ICC color profile.
  ///
  /// CMYK and Lab images become sRGB under either choice. So do gray with alpha that carries a gray profile, and
  /// gray that carries an RGB profile: no `Image` can hold them unchanged. A profile that is damaged or
  /// does not fit its image is ignored, with a remark in the header. Floating-point images are not
  /// converted on reading, and keep their profile. Written to a format that holds no profile, they become sRGB
  /// unless profiles are to be kept.
  ///
  /// Numeric color descriptions count as profiles: `nclx` in HEIC and AVIF; cICP, gAMA and cHRM in PNG.
  public enum Profile: Sendable, Hashable, CaseIterable {
    /// Converts the pixels to sRGB through the profile, and drops it: a file without a
    /// profile means sRGB. Pixels whose profile is equivalent to sRGB are unchanged.
    /// Gray stays gray.
    case srgb
    /// Keeps the samples, and writes the original profile again.
    case keep
  }
}

/// An open image file: what it is, and its pixels from top to bottom, decoded when they are asked for.
///
/// A turned image is decoded whole with the first row. All rows are read from one thread, but for
/// whole frames. Of an animation with all its frames, rows go on from one frame to the next. Rows and frames have
/// the size that the options ask for.
package final class StillReader {
  package let header: StillHeader
  package let metadata: StillMetadata
  let open: OpenStill
  /// The state of the file when it was opened; `nil` for pipes and bytes.
  package var version: FileVersion? { open.version }
  private let profile: DecodeOptions.Profile
  private let resize: Resize?
  /// The decoded image: smaller than in the file if the result is much smaller.
  private let source: VipsImageHandle
  let colors: ColorConversion
  private var rows: VipsRows?
  /// The resizer for frames of an animation.
  private let resizedFrames: ResizedRows?
  /// The row of the file's frames that is read next, where they are resized.
  private var fileRow = 0
  /// Significant bits of 16-bit samples that sit in the upper bits; `nil` where all 16 are.
  private let upperBits: Int?

  init(_ open: OpenStill, _ options: DecodeOptions) throws(DecodeError) {
    self.open = open
    profile = options.profile
    resize = options.resize
    header = StillHeader(open, resize)
    resizedFrames =
      open.loadedFrames == 1
      ? nil : resize.map { ResizedRows($0, size: open.size, format: open.shape.decoded) }
    do {
      if let resize, open.loadedFrames == 1 {
        source = try open.shrunk(for: open.stored(resize.placement(of: open.size).scaled))
      } else {
        source = open.picture
      }
      colors = try ColorConversion(
        source, shape: open.shape, open.color, choice: profile, decodesFirst: false)
    } catch {
      throw .damaged(name: open.name, reason: error.reason)
    }
    var metadata = StillMetadata(
      of: open.picture, open.texts, profile: colors.profile, colorsConverted: colors.converted,
      frames: open.loadedFrames)
    metadata.mayConvert = profile == .srgb
    if header.size != header.fileSize { metadata.leaveOutPlaces() }
    self.metadata = metadata
    let bits = open.picture.number("heif-bitdepth") ?? 16
    upperBits = open.shape.depth == .uint16 && (9..<16).contains(bits) ? bits : nil
  }

  /// The colors of a GIF, to be kept where it is written again; `nil` for other formats.
  ///
  /// - Parameter frames: that are written.
  package func keptColors(frames: Int) -> KeptColors? {
    guard header.format == .gif, let tables = open.bytes.withContents({ GIF.colors($0) }) else {
      return nil
    }
    return KeptColors(tables, first: open.firstFrame, count: frames)
  }

  /// The header, and what only reading all rows shows.
  package var finalHeader: StillHeader {
    var final = header
    if let doubt = open.doubt { final.remarks.append(doubt) }
    return final
  }

  private func openRows() throws(VipsFailure) -> VipsRows {
    if let rows { return rows }
    let rows = VipsRows(of: try upright(colors.picture))
    self.rows = rows
    return rows
  }

  /// Applies the orientation, and to stills the resize.
  private func upright(_ picture: VipsImageHandle) throws(VipsFailure) -> VipsImageHandle {
    guard let resize, resizedFrames == nil else {
      return try picture.upright(frames: open.loadedFrames)
    }
    let placement = resize.placement(of: open.size)
    var corner: (x: Int, y: Int)?
    return try picture.scaled(to: open.stored(placement.scaled), header.pixelFormat, .sharp)
      .upright(frames: 1)
      .placed(placement, resize, corner: &corner, header.pixelFormat)
  }

  /// Decodes rows as they are in the file, or one of those that a resize makes of them.
  private func decode(
    _ next: Range<Int>, into target: UnsafeMutableRawPointer
  ) throws(VipsFailure) {
    guard let resizedFrames else { return try openRows().read(next, into: target) }
    let count = header.size.width * header.pixelFormat.bytesPerPixel
    do {
      for index in 0..<next.count {
        try resizedFrames.next(into: target + index * count) { row in
          try openRows().read(fileRow..<fileRow + 1, into: row)
          fileRow += 1
        }
      }
    } catch let error as VipsFailure { throw error } catch { throw VipsFailure(log: "\(error)") }
  }

  /// Decodes the next rows.
  ///
  /// - Parameters:
  ///   - next: rows that follow the last ones read.
  ///   - target: room for them without gaps.
  /// - Throws: `DecodeError.damaged`.
  package func read(
    _ next: Range<Int>, into target: UnsafeMutableRawPointer
  ) throws(DecodeError) {
    try mapped(
      damaged,
      ClearedMemory.during(header.format) { () throws(VipsFailure) in
        try decode(next, into: target)
      })
    let count = next.count * header.size.width * header.pixelFormat.bytesPerPixel
    fillLowBits(UnsafeMutableRawBufferPointer(start: target, count: count))
  }

  /// Decodes the next frame of an animation with all its frames, in any thread.
  ///
  /// - Parameter index: the frame after the last one decoded, counted from 0.
  /// - Throws: `DecodeError.damaged`.
  package func frame(_ index: Int) throws(DecodeError) -> Image {
    var image = Image(zeros: header.size, format: header.pixelFormat)
    let first = index * header.size.height
    try image.withUnsafeMutableBytes { bytes throws(DecodeError) in
      guard let start = bytes.baseAddress else { return }
      try read(first..<first + header.size.height, into: start)
    }
    rows?.leaveThread()
    return image
  }

  /// Lets another thread read what follows.
  package func leaveThread() { rows?.leaveThread() }

  /// Makes decoding fail soon, from any thread.
  package func cancel() {
    open.picture.cancel()
    source.cancel()
    colors.picture.cancel()
  }

  /// Decodes all; instead of reading rows, not after it.
  ///
  /// - Throws: `DecodeError.damaged`.
  package func image() throws(DecodeError) -> Image {
    try mapped(damaged, whole())
  }

  private func whole() throws(VipsFailure) -> Image {
    let colors =
      colors.converted
      ? try ColorConversion(
        source, shape: open.shape, open.color, choice: profile, decodesFirst: true)
      : colors
    let picture = try ClearedMemory.during(header.format) { () throws(VipsFailure) in
      try upright(colors.picture)
    }
    return try image(of: picture)
  }

  private func image(of picture: VipsImageHandle) throws(VipsFailure) -> Image {
    var bytes = try ClearedMemory.during(header.format) { () throws(VipsFailure) in
      try picture.pixels()
    }
    bytes.withUnsafeMutableBytes(fillLowBits)
    return try mapped(
      { (error: ImageError) in VipsFailure(log: error.description) },
      Image(size: picture.size, format: header.pixelFormat, alpha: .straight, bytes: bytes))
  }

  /// Decodes all at another size; instead of reading rows, not after it.
  ///
  /// Of a JPEG that becomes much smaller, most is never decoded.
  ///
  /// - Parameter size: upright, both sides at least 1.
  /// - Throws: `DecodeError.damaged`.
  package func image(
    scaledTo size: Size, _ kernel: ScalingKernel
  ) throws(DecodeError) -> Image {
    guard resize == nil else { return try image().scaled(to: size, kernel) }
    return try mapped(damaged, whole(scaledTo: size, kernel))
  }

  private func whole(scaledTo size: Size, _ kernel: ScalingKernel) throws(VipsFailure) -> Image {
    let stored = open.stored(size)
    let shrunk = try open.shrunk(for: stored)
    let colors = try ColorConversion(
      shrunk, shape: open.shape, open.color, choice: profile, decodesFirst: false)
    let scaled = try colors.picture.scaled(to: stored, header.pixelFormat, kernel)
    // Turning decodes the image.
    return try image(
      of: ClearedMemory.during(header.format) { () throws(VipsFailure) in try upright(scaled) })
  }

  private func damaged(_ failure: VipsFailure) -> DecodeError {
    .damaged(name: open.name, reason: open.bytes.failure ?? failure.reason)
  }

  /// Stretches samples that sit in the upper bits to full scale.
  ///
  /// libvips shifts 10 and 12 bits up to 16 and leaves zeros below, so white would be 65472 or
  /// 65520. Repeating the upper bits in the lower ones makes it 65535, also of means of such samples.
  private func fillLowBits(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let upperBits else { return }
    let samples = bytes.bindMemory(to: UInt16.self)
    for index in samples.indices { samples[index].stretch(upperBits) }
  }
}

extension UInt16 {
  /// Adds the upper bits at the lower end, up to full scale.
  fileprivate mutating func stretch(_ upperBits: Int) {
    let (sum, overflow) = addingReportingOverflow(self >> UInt16(upperBits))
    self = overflow ? .max : sum
  }
}

extension StillReader {
  /// About how many bytes decoding takes while rows are read one after another, those rows not
  /// counted: what the codec keeps, and the rows that libvips has in store.
  ///
  /// Measured on images of noise with libvips 8.14 and rounded up.
  package var rowMemory: Int {
    guard let resize else {
      return open.memory + (isReoriented ? decodedBytes * open.loadedFrames : 0)
    }
    let placement = resize.placement(of: open.size)
    let pixel = header.pixelFormat.bytesPerPixel
    // A frame of an animation; what grows or is looked at as a whole.
    let isGrown =
      placement.scaled.width > open.size.width || placement.scaled.height > open.size.height
    let isWhole = isReoriented || placement.cuts && resize.gravity == .attention
    let frames = isReoriented ? open.loadedFrames : 1
    return open.memory + (isGrown || resizedFrames != nil ? open.size.area * pixel * frames : 0)
      + (isWhole ? placement.scaled.area * pixel : 0)
      + (resizedFrames == nil ? 0 : decodedBytes)
  }

  /// About how many bytes decoding into one image takes, with that image.
  package var imageMemory: Int {
    guard resize == nil else {
      // All that was decoded goes through the profile at once.
      let converted = colors.converted ? source.size.area * header.pixelFormat.bytesPerPixel : 0
      return rowMemory + decodedBytes + converted
    }
    return open.memory + decodedBytes * (1 + (isReoriented ? 1 : 0) + (colors.converted ? 1 : 0))
  }

  /// About how many bytes decoding into an image of another size takes, with that image.
  package func imageMemory(scaledTo size: Size) -> Int {
    guard resize == nil else { return imageMemory + size.area * header.pixelFormat.bytesPerPixel }
    let grows = size.width > header.size.width || size.height > header.size.height
    let target = size.area * header.pixelFormat.bytesPerPixel
    return open.memory + (grows ? decodedBytes : 0) + target * (isReoriented ? 2 : 1)
  }

  /// Bytes of a decoded frame.
  private var decodedBytes: Int { header.size.area * header.pixelFormat.bytesPerPixel }

  /// True if a stored orientation is applied, which needs the whole image.
  private var isReoriented: Bool { open.picture.orientation > 1 }
}

extension StillDecoder {
  /// Reads a channel of an image as a mask.
  ///
  /// Samples are taken as they are stored, whatever color profile the file has: a mask is numbers,
  /// not colors.
  ///
  /// - Throws: `DecodeError`; the image and the mask that is made of it count as memory.
  package func maskImage(
    _ source: StillSource, _ channel: MaskChannel
  ) throws(DecodeError) -> MaskImage {
    var options = options
    options.profile = .keep
    let reader = try StillDecoder(options).reader(of: source)
    try checkMemory(reader.imageMemory + MaskImage.bytes(of: reader.header.size), for: reader)
    return MaskImage(try reader.image(), channel)
  }
}
