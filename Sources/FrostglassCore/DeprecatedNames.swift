// Names of 0.2 and earlier, which keep working for a while.

/// The earlier name of `MaskImage`.
@available(*, deprecated, renamed: "MaskImage")
public typealias MaskPicture = MaskImage

/// The earlier name of `MaskWarning`.
@available(*, deprecated, renamed: "MaskWarning")
public typealias MaskDoubt = MaskWarning

/// The earlier name of `YCbCrImage`.
@available(*, deprecated, renamed: "YCbCrImage")
public typealias YCbCrPicture = YCbCrImage

extension PlanOptions.Quality {
  /// The earlier name of `high`.
  @available(*, deprecated, renamed: "high")
  public static var exact: Self { .high }
}

extension Mask {
  /// The size of the image in which shapes were found; `nil` if there is none, or if there are several.
  @available(*, deprecated, renamed: "imageSizes")
  public var pictureSize: Size? {
    get { imageSizes.count == 1 ? imageSizes.first : nil }
    set { imageSizes = newValue.map { [$0] } ?? [] }
  }
}
