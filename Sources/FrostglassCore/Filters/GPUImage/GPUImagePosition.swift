/// GPUImage's Gaussian blur inside a circle, with its formula: nine samples along each axis.
///
/// The samples weigh .05 .09 .12 .15 .18 .15 .12 .09 .05 and lie `blurSize` pixels apart, linearly
/// interpolated. Outside the circle the picture stays; the circle's border is anti-aliased over one
/// pixel, where GPUImage's is jagged.
public struct GPUImagePosition: Filter {
  /// Pixels between samples, 0…100.
  public var blurSize = 1.0
  /// The circle's center, as fractions of width and height.
  public var blurCenterX = 0.5
  public var blurCenterY = 0.5
  /// The circle's radius, as a fraction of the picture's width.
  public var blurRadius = 1.0

  public static let definition = FilterDefinition<GPUImagePosition>(
    "gpuimage-gaussian-position", "GPUImage's blur inside a circle: nine samples along each axis.",
    [
      .factor("blur-size", \.blurSize, in: 0...100, "Pixels between samples."),
      .factor(
        "blur-center-x", \.blurCenterX, in: 0...1,
        "The circle's center, as a fraction of the width."),
      .factor(
        "blur-center-y", \.blurCenterY, in: 0...1,
        "The circle's center, as a fraction of the height."),
      .factor(
        "blur-radius", \.blurRadius, in: 0...10,
        "The circle's radius, as a fraction of the width."),
    ])

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard blurSize > 0 else { return source }
    let exact = GPUImageWeights.taps(spacing: blurSize)
    let taps = TapForm(planner.precision).normalized(exact)
    let missing = exact.enumerated().reduce(0) { sum, tap in
      let given = tap.offset < taps.count ? Double(taps[tap.offset]) : 0
      return sum + (tap.offset == 0 ? 1 : 2) * abs(tap.element - given)
    }
    var blurred = planner.withEdges(source)
    for axis in [Axis.y, .x] {
      blurred = planner.convolve(blurred, axis, taps: taps, kernelError: 255 * missing)
    }
    let (width, height) = (Double(planner.size.width), Double(planner.size.height))
    let circle = Ellipse(
      x: blurCenterX * width, y: blurCenterY * height, radiusX: blurRadius * width,
      radiusY: blurRadius * width)
    return planner.masked(
      source, blurred.extended(x: nil, y: nil), by: Coverage([CoverageShape(.ellipse(circle))]))
  }
}
