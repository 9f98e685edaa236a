/// GPUImage's tilt shift, with its formula: a blurred copy mixed in above and below a sharp band.
///
/// The copy's share is `1 − smoothstep(top − f, top, y) + smoothstep(bottom, bottom + f, y)`. A
/// blur that grows instead of being mixed in is `TiltShift`.
public struct GPUImageTiltShift: Filter {
  /// The copy's standard deviation, before it is rounded to whole pixels, 0…1000.
  public var blurRadiusInPixels = 7.0
  /// Where the sharp band begins, as a fraction of the height.
  public var topFocusLevel = 0.4
  /// Where the sharp band ends.
  public var bottomFocusLevel = 0.6
  /// How far the copy takes to show fully, as a fraction of the height; 0 is a sharp line.
  public var focusFallOffRate = 0.2

  public static let definition = FilterDefinition<GPUImageTiltShift>(
    "gpuimage-tilt-shift", "GPUImage's tilt shift: mixes in a blurred copy above and below a band.",
    [
      .factor(
        "blur-radius-in-pixels", \.blurRadiusInPixels, in: 0...1000,
        "Standard deviation of the copy; rounded to whole pixels, as GPUImage does."),
      .factor(
        "top-focus-level", \.topFocusLevel, in: 0...1,
        "Where the sharp band begins, as a fraction of the height."),
      .factor("bottom-focus-level", \.bottomFocusLevel, in: 0...1, "Where the sharp band ends."),
      .factor(
        "focus-fall-off-rate", \.focusFallOffRate, in: 0...1,
        "How far the copy takes to show fully, as a fraction of the height."),
    ])

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let sigma = blurRadiusInPixels.rounded()
    guard sigma > 0 else { return source }
    let height = Double(planner.size.height)
    // Smoothstep needs some way to go; a millionth of the height is between two pixels.
    let fall = max(focusFallOffRate, 1e-6)
    func ramp(_ low: Double, _ high: Double) -> CoverageShape {
      CoverageShape(
        .ramp(
          Ramp(
            from: Polygon.Corner(x: 0, y: low * height),
            to: Polygon.Corner(x: 0, y: high * height), easing: .smooth)))
    }
    let coverage = Coverage([
      ramp(topFocusLevel, topFocusLevel - fall), ramp(bottomFocusLevel, bottomFocusLevel + fall),
    ])
    return planner.masked(source, planner.gaussian(source, x: sigma, y: sigma), by: coverage)
  }
}
