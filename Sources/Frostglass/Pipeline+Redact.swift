extension Redaction {
  /// What makes a fill look like frosted glass.
  public static let frost: FilterChain = [
    .saturation(1.4), .tint(.white, alpha: 0.08), .grain(0.02),
  ]
}

extension Pipeline {
  /// Replaces parts of an image file so that nothing of them is left in it.
  ///
  /// - Parameters:
  ///   - input: JPEG, PNG, WebP, AVIF, HEIC, GIF or TIFF; of animations all frames are redacted alike.
  ///   - output: its extension chooses JPEG, PNG, WebP, AVIF or TIFF. Metadata is left out.
  ///   - shapes: what to hide; every pixel that one of them touches is replaced.
  ///   - margin: how far around shapes more is hidden; 0 or more.
  ///   - look: what is done on top of the fill.
  ///   - overwrite: whether an existing file is replaced.
  /// - Throws: `FrostglassError`; then nothing was written.
  @discardableResult
  public func redact(
    _ input: String, to output: String, _ shapes: [MaskShape],
    by redaction: Redaction = Redaction(),
    margin: Length = 4, look: FilterChain = Redaction.frost, overwrite: Bool = false
  ) async throws(FrostglassError) -> Report {
    let options = PlanOptions(mask: Mask(shapes, grow: margin, redaction: redaction))
    return try await run(
      Job(
        source: .file(input), recipe: Recipe(look, options: options),
        sink: .file(output, overwrite: overwrite), encoding: EncodeOptions(strip: true)))
  }
}
