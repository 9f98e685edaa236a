/// What a placeholder is made of.
public struct PlaceholderOptions: Sendable, Hashable {
  /// Of the BlurHash; `nil` takes 4 along the longer side and 3 along the shorter.
  public var components: BlurHash.Components?
  /// Behind transparent pictures where alpha is not kept: in the BlurHash and in a JPEG.
  public var background: Color
  /// The tiny picture's format: WebP, PNG or another that is written.
  public var uriFormat: StillFormat
  /// The tiny picture's longer side in pixels, 1…100.
  public var uriSide: Int
  public var decoding: DecodeOptions

  public init(
    components: BlurHash.Components? = nil, background: Color = .white,
    uriFormat: StillFormat = .webp, uriSide: Int = 16, decoding: DecodeOptions = DecodeOptions()
  ) {
    self.components = components
    self.background = background
    self.uriFormat = uriFormat
    self.uriSide = uriSide
    self.decoding = decoding
  }
}
