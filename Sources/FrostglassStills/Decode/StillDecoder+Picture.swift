public import FrostglassCore

extension StillDecoder {
  /// Reads a picture to be shown: upright, sRGB, 8 bits, with alpha if the file has an alpha channel.
  ///
  /// - Parameter size: its pixels; what becomes larger or smaller is as sharp as it gets.
  /// - Returns: an `rgb8` image, or an `rgba8` one with straight alpha.
  /// - Throws: `DecodeError`, which names the file; the pixel limit holds for both sizes.
  public func picture(
    _ source: StillSource, _ size: PictureSize = .own
  ) throws(DecodeError) -> Image {
    try image(source, size, .srgb).eightBitColors
  }

  /// Reads a picture as a mask: upright, 8-bit gray.
  ///
  /// A sample is the Rec. 709 luma of the color as it is stored, times alpha. What color profile
  /// the file has does not matter: a mask is numbers, not colors.
  ///
  /// - Parameter size: as for pictures.
  /// - Throws: as for pictures.
  public func mask(
    _ source: StillSource, _ size: PictureSize = .own
  ) throws(DecodeError) -> Image {
    let picture = try image(source, size, .keep)
    let mask = MaskPicture(picture, .luma)
    var image = Image(zeros: mask.size, format: .gray8)
    image.bytes = mask.samples.map(\.eightBits)
    return image
  }

  private func image(
    _ source: StillSource, _ wanted: PictureSize, _ profile: ProfileChoice
  ) throws(DecodeError) -> Image {
    var options = options
    options.profile = profile
    let reader = try StillDecoder(options).reader(of: source)
    let size = wanted.size(of: reader.header.size)
    guard size != reader.header.size else {
      try checkMemory(reader.imageMemory, for: reader)
      return try reader.image()
    }
    precondition(size.width >= 1 && size.height >= 1, "a picture has at least one pixel")
    guard size.area <= options.maxPixels else {
      throw .tooManyPixels(name: source.name, size: size, limit: options.maxPixels)
    }
    try checkMemory(reader.imageMemory(scaledTo: size), for: reader)
    return try reader.image(scaledTo: size, .sharp)
  }
}
