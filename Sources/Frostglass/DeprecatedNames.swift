// Names of 0.2 and earlier, which keep working for a while.

/// The earlier name of `RegionsImage`.
@available(*, deprecated, renamed: "RegionsImage")
public typealias RegionsPicture = RegionsImage

extension RegionsFile {
  /// The earlier name of `hasSeveralImages`.
  @available(*, deprecated, renamed: "hasSeveralImages")
  public var hasSeveralPictures: Bool { hasSeveralImages }
}

extension FrameForm {
  /// The earlier name of `video`.
  @available(*, deprecated, renamed: "video")
  public static var film: Self { .video }
}

extension FrostglassError {
  /// The earlier name of `video(_:)`.
  @available(*, deprecated, renamed: "video")
  public static func film(_ reason: String) -> Self { .video(reason) }
}
