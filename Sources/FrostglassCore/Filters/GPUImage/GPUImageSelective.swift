/// GPUImage's selective Gaussian blur, with its formula: a blurred copy mixed in around a circle.
///
/// The copy's share is `smoothstep(R − w, R, d)`, with d the distance from the circle's center in
/// widths of the picture. GPUImage squeezes the circle, and moves its center, on pictures that are
/// not square; here it is a circle, and its center where the point says. A blur that grows instead
/// of being mixed in is `SelectiveBlur`.
public struct GPUImageSelective: Filter {
  /// The copy's standard deviation, before it is rounded to whole pixels, 0…1000.
  public var blurRadiusInPixels = 5.0
  /// Where the copy shows fully, as a fraction of the picture's width.
  public var excludeCircleRadius = 60.0 / 320
  /// The circle's center, as fractions of width and height.
  public var excludeCirclePointX = 0.5
  public var excludeCirclePointY = 0.5
  /// How far inside the circle the copy begins to show, as a fraction of the width.
  public var excludeBlurSize = 30.0 / 320

  public static let definition = FilterDefinition<GPUImageSelective>(
    "gpuimage-selective", "GPUImage's selective blur: mixes in a blurred copy around a circle.",
    [
      .factor(
        "blur-radius-in-pixels", \.blurRadiusInPixels, in: 0...1000,
        "Standard deviation of the copy; rounded to whole pixels, as GPUImage does."),
      .factor(
        "exclude-circle-radius", \.excludeCircleRadius, in: 0...10,
        "Where the copy shows fully, as a fraction of the width."),
      .factor(
        "exclude-circle-point-x", \.excludeCirclePointX, in: 0...1,
        "The circle's center, as a fraction of the width."),
      .factor(
        "exclude-circle-point-y", \.excludeCirclePointY, in: 0...1,
        "The circle's center, as a fraction of the height."),
      .factor(
        "exclude-blur-size", \.excludeBlurSize, in: 0...10,
        "How far inside the circle the copy begins to show, as a fraction of the width."),
    ])

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let sigma = blurRadiusInPixels.rounded()
    guard sigma > 0 else { return source }
    let (width, height) = (Double(planner.size.width), Double(planner.size.height))
    // Where the copy shows at all; negative where it does even in the center.
    let inner = (excludeCircleRadius - excludeBlurSize) * width
    let circle = Ellipse(
      x: excludeCirclePointX * width, y: excludeCirclePointY * height, radiusX: inner,
      radiusY: inner)
    let coverage = Coverage(
      [CoverageShape(.ellipse(circle), feather: excludeBlurSize * width)], isInverted: true)
    return planner.masked(source, planner.gaussian(source, x: sigma, y: sigma), by: coverage)
  }
}
