internal import FrostglassCore
internal import CVips

/// Reads image files: JPEG, PNG, WebP, AVIF, HEIC, TIFF, and the first frame of GIF and WebP
/// animations.
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
    let open = try OpenStill(source)
    try checkLimit(open)
    return StillHeader(size: open.size, pixelFormat: open.shape.decoded, format: open.format)
  }

  /// Decodes one picture.
  ///
  /// The image is upright: a stored orientation is applied, once. Its alpha is straight, or opaque
  /// where the file has no alpha channel. 16-bit samples and those of floating-point TIFF keep
  /// their depth, everything below 8 bits becomes 8; AVIF and HEIC above 8 bits become 16.
  ///
  /// - Throws: `DecodeError`.
  public func decode(_ source: StillSource) throws(DecodeError) -> Still {
    let open = try OpenStill(source)
    try checkLimit(open)
    do throws(VipsFailure) {
      let colors = try ColorConversion(
        open.picture, shape: open.shape, choice: options.profile)
      let metadata = StillMetadata(
        of: open.picture, profile: colors.profile, colorsConverted: colors.converted)
      let image = try image(from: upright(colors.picture), shape: open.shape)
      return Still(image: image, format: open.format, metadata: metadata)
    } catch {
      throw .damaged(name: open.name, reason: error.reason)
    }
  }

  private func checkLimit(_ open: OpenStill) throws(DecodeError) {
    guard open.size.area <= options.maxPixels else {
      throw .tooManyPixels(name: open.name, size: open.size, limit: options.maxPixels)
    }
  }

  /// Applies the orientation. Turning reads columns, so the picture is decoded whole before it.
  private func upright(_ picture: VipsPicture) throws(VipsFailure) -> VipsPicture {
    guard picture.orientation > 1 else { return picture }
    return try picture.inMemory().applying(fg_upright)
  }

  private func image(
    from picture: VipsPicture, shape: PixelShape
  ) throws(VipsFailure) -> Image {
    var bytes = try picture.pixels()
    if shape.depth == .uint16, let bits = picture.number("heif-bitdepth"), bits > 8, bits < 16 {
      fillLowBits(&bytes, significant: bits)
    }
    do throws(ImageError) {
      return try Image(
        size: picture.size, format: shape.decoded, alpha: .straight, bytes: bytes)
    } catch {
      throw VipsFailure(log: error.description)
    }
  }

  /// Stretches samples that sit in the upper bits to full scale.
  ///
  /// libvips shifts 10 and 12 bits up to 16 and leaves zeros below, so white would be 65472 or
  /// 65520. Repeating the upper bits in the lower ones makes it 65535.
  private func fillLowBits(_ bytes: inout [UInt8], significant bits: Int) {
    bytes.withUnsafeMutableBytes { raw in
      let samples = raw.bindMemory(to: UInt16.self)
      for index in samples.indices { samples[index] |= samples[index] >> UInt16(bits) }
    }
  }
}
