internal import FrostglassCore
internal import CVips

/// Reads image files: JPEG, PNG, WebP, AVIF, HEIC, TIFF and GIF.
///
/// Of an animation one frame is decoded, unless all are asked for.
///
/// The format is recognized from the data, never from the name. Nothing is decoded of an image
/// that has more pixels than allowed, and damaged files are errors, not half pictures.
public struct StillDecoder: Sendable {
  public let options: DecodeOptions

  public init(_ options: DecodeOptions = DecodeOptions()) { self.options = options }

  /// Reads size and pixel format without decoding; standard input is used up by it.
  ///
  /// - Throws: `DecodeError`; the pixel limit holds here too.
  public func header(of source: StillSource) throws(DecodeError) -> StillHeader {
    let open = try OpenStill(source, frame: options.frame)
    try checkLimit(open)
    return StillHeader(open)
  }

  /// Decodes one picture.
  ///
  /// The image is upright: a stored orientation is applied, once. Its alpha is straight, or opaque
  /// where the file has no alpha channel. 16-bit samples and those of floating-point TIFF keep
  /// their depth, everything below 8 bits becomes 8; AVIF and HEIC above 8 bits become 16.
  ///
  /// - Throws: `DecodeError`.
  public func decode(_ source: StillSource) throws(DecodeError) -> Still {
    let reader = try reader(of: source)
    try checkMemory(reader.imageMemory, for: reader)
    return Still(
      image: try reader.image(), format: reader.header.format, metadata: reader.metadata)
  }

  /// Opens one picture, to be decoded row by row; everything else is as for `decode`.
  public func reader(of source: StillSource) throws(DecodeError) -> StillReader {
    let open = try OpenStill(source, frame: options.frame)
    try checkLimit(open)
    return try StillReader(open, options.profile)
  }

  /// All frames of an open animation, of which nothing may have been read.
  ///
  /// - Returns: a reader whose rows are those of all frames, one frame after another.
  /// - Throws: `DecodeError`; the pixels of all frames count for the limit.
  public func allFrames(of reader: StillReader) throws(DecodeError) -> StillReader {
    let open = try reader.open.withAllFrames()
    try checkLimit(open)
    return try StillReader(open, options.profile)
  }

  /// Refuses what is to be done with an open picture where it takes too many bytes.
  ///
  /// - Throws: `DecodeError.tooMuchMemory`.
  package func checkMemory(_ need: Int, for reader: StillReader) throws(DecodeError) {
    let limit = options.maxMemory ?? MachineMemory.half
    guard need <= limit else {
      throw .tooMuchMemory(
        name: reader.open.name, size: reader.header.size, need: need, limit: limit)
    }
  }

  private func checkLimit(_ open: OpenStill) throws(DecodeError) {
    let all = Size(width: open.size.width, height: open.size.height * open.loadedFrames)
    guard all.area <= options.maxPixels else {
      throw .tooManyPixels(name: open.name, size: all, limit: options.maxPixels)
    }
  }
}
