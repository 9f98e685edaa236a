public import FrostglassCore
internal import CVips

/// Writes image files: JPEG, PNG, WebP, AVIF and TIFF.
///
/// A file appears whole or not at all. What it says beside the pixels is what `StillMetadata` holds.
public struct StillEncoder: Sendable {
  public let options: EncodeOptions

  public init(_ options: EncodeOptions = EncodeOptions()) { self.options = options }

  /// Encodes and writes one picture.
  ///
  /// - Parameters:
  ///   - image: opaque or with straight alpha, encoded transfer, in a pixel format that
  ///     `format.pixelFormat(preserving:)` gives back unchanged.
  ///   - metadata: `nil` writes none.
  /// - Throws: `EncodeError`.
  public func encode(
    _ image: Image, metadata: StillMetadata? = nil, as format: StillFormat, to sink: StillSink
  ) throws(EncodeError) {
    try sink.preflight()
    try sink.write(encoded(image, metadata, format))
  }

  /// Encodes one picture into memory; everything else is as for files.
  public func encode(
    _ image: Image, metadata: StillMetadata? = nil, as format: StillFormat
  ) throws(EncodeError) -> [UInt8] {
    try encoded(image, metadata, format).array
  }

  private func encoded(
    _ image: Image, _ metadata: StillMetadata?, _ format: StillFormat
  ) throws(EncodeError) -> EncodedBytes {
    try check(image, format)
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
    let kept = options.strip ? metadata?.stripped : metadata
    let saver = StillSaver(format: format, quality: options.quality, metadata: kept)
    return try image.packedBytes.withUnsafeBytes {
      bytes -> Result<EncodedBytes, EncodeError> in
      do throws(VipsFailure) {
        return .success(try saver.save(bytes, size: image.size, format: image.format))
      } catch {
        return .failure(.cannotEncode(format: format, reason: error.reason))
      }
    }.get()
  }

  private func check(_ image: Image, _ format: StillFormat) throws(EncodeError) {
    guard format.canEncode else {
      throw .unknownFormat(fileExtension: format.rawValue, accepted: StillFormat.encodable)
    }
    if let quality = options.quality, !(1...100).contains(quality) {
      throw .invalidQuality(quality)
    }
    guard image.alpha != .premultiplied, image.transfer == .encoded else {
      throw .unsupportedImage(
        format: format, found: "premultiplied or linear samples",
        accepted: "straight or opaque alpha in encoded transfer")
    }
    let accepted = format.pixelFormat(preserving: image.format)
    guard accepted == image.format else {
      throw .unsupportedImage(
        format: format, found: "\(image.format) pixels", accepted: "\(accepted)")
    }
    guard max(image.size.width, image.size.height) <= format.longestSide else {
      throw .unsupportedImage(
        format: format, found: "\(image.size) pixels",
        accepted: "up to \(format.longestSide) pixels per side")
    }
  }
}
