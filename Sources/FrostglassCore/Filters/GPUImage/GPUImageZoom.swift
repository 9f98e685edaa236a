/// GPUImage's zoom blur, with its formula: nine samples on the line to a center.
///
/// They lie at `p + k · 0.01 · blurSize · (center − p)`, k = −4…4, weigh .05 .09 .12 .15 .18 .15 .12
/// .09 .05, and are interpolated linearly. Far from the center nine samples show as nine; the blur
/// without steps is `Zoom`.
public struct GPUImageZoom: Filter {
  /// Hundredths of the way to the center between samples, 0…20; 0 changes nothing.
  public var blurSize = 1.0
  /// The center, as fractions of width and height.
  public var blurCenterX = 0.5
  public var blurCenterY = 0.5

  public static let definition = FilterDefinition<GPUImageZoom>(
    "gpuimage-zoom", "GPUImage's zoom blur: nine samples on the line to a center.",
    [
      .factor(
        "blur-size", \.blurSize, in: 0...20,
        "Hundredths of the way to the center between samples; 0 changes nothing."),
      .factor("blur-center-x", \.blurCenterX, in: 0...1, "The center, as a fraction of the width."),
      .factor(
        "blur-center-y", \.blurCenterY, in: 0...1, "The center, as a fraction of the height."),
    ])

  public init() {}

  public init(blurSize: Double) { self.blurSize = blurSize }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard blurSize > 0 else { return source }
    let center = try planner.center(x: blurCenterX, y: blurCenterY)
    let views = GPUImageWeights.samples.map { place, weight in
      Gather.View(
        map: AffineMap(
          scale: 1 - 0.01 * blurSize * Double(place), cosine: 1, sine: 0, aroundX: center.x,
          y: center.y),
        weight: Float(weight))
    }
    return planner.gather(planner.withEdges(source), Gather(views: views))
  }
}
