package import FrostglassCore

extension StillDecoder {
  /// Reads a channel of a picture as a mask.
  ///
  /// Samples are taken as they are stored, whatever color profile the file has: a mask is numbers,
  /// not colors.
  ///
  /// - Throws: `DecodeError`; the picture and the mask that is made of it count as memory.
  package func maskPicture(
    _ source: StillSource, _ channel: MaskChannel
  ) throws(DecodeError) -> MaskPicture {
    var options = options
    options.profile = .keep
    let reader = try StillDecoder(options).reader(of: source)
    try checkMemory(reader.imageMemory + MaskPicture.bytes(of: reader.header.size), for: reader)
    return MaskPicture(try reader.image(), channel)
  }
}
