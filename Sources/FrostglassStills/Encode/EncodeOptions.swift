/// How image files are written.
public struct EncodeOptions: Sendable, Hashable {
  /// 1…100, or `nil` for the format's default: JPEG 90, WebP 85, AVIF 60. PNG, GIF and
  /// TIFF take no notice.
  public var quality: Int?
  /// Whether everything but the pixels, and a color profile they need, is left out.
  public var strip: Bool

  public init(quality: Int? = nil, strip: Bool = false) {
    self.quality = quality
    self.strip = strip
  }
}
