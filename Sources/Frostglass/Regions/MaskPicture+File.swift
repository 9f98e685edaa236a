extension MaskPicture {
  /// Reads a channel of an image file.
  ///
  /// Samples are taken as they are stored, whatever color profile the file has: a mask is numbers,
  /// not colors.
  ///
  /// - Parameter maxPixels: larger files are refused.
  /// - Throws: `FrostglassError.decode`.
  public init(
    file path: String, _ channel: MaskChannel = .automatic,
    maxPixels: Int = DecodeOptions().maxPixels
  ) throws(FrostglassError) {
    let decoder = StillDecoder(DecodeOptions(maxPixels: maxPixels, profile: .keep))
    do throws(DecodeError) {
      self.init(try decoder.decode(.file(path)).image, channel)
    } catch { throw .decode(error) }
  }
}
