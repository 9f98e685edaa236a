/// How image files are written.
public struct EncodeOptions: Sendable, Hashable {
  /// 1…100, or `nil` for the format's default: JPEG 90, WebP 85, AVIF 60. PNG, GIF and
  /// TIFF take no notice.
  public var quality: Int?
  /// Whether everything but the pixels, and a color profile they need, is left out.
  public var strip: Bool
  /// Whether every pixel comes back as it is, in a larger file: of WebP, which then takes no notice
  /// of the quality. PNG and TIFF are so anyway, JPEG, AVIF and GIF never.
  public var lossless: Bool
  /// 0…9, how much time is spent to make the file smaller: 0 is fast, 9 takes many times as long.
  /// `nil` is the format's usual. JPEG and TIFF take no notice.
  public var effort: Int?

  public init(
    quality: Int? = nil, strip: Bool = false, lossless: Bool = false, effort: Int? = nil
  ) {
    self.quality = quality
    self.strip = strip
    self.lossless = lossless
    self.effort = effort
  }
}
