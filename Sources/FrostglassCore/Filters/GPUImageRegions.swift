/// GPUImage's Gaussian blur inside a circle, with its formula: nine samples along each axis.
///
/// The samples weigh .05 .09 .12 .15 .18 .15 .12 .09 .05 and lie `blurSize` pixels apart, linearly
/// interpolated. Outside the circle the picture stays; the circle's border is anti-aliased over one
/// pixel, where GPUImage's is jagged.
package struct GPUImagePosition: Filter {
  /// Pixels between samples, 0…100.
  package var blurSize = 1.0
  /// The circle's center, as fractions of width and height.
  package var blurCenterX = 0.5
  package var blurCenterY = 0.5
  /// The circle's radius, as a fraction of the picture's width.
  package var blurRadius = 1.0

  package static let definition = FilterDefinition<GPUImagePosition>(
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

  package init() {}

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard blurSize > 0 else { return source }
    let exact = GPUImageWeights.taps(spacing: blurSize)
    let taps = TapForm(planner.precision).normalized(exact)
    let missing = exact.enumerated().reduce(0) { sum, tap in
      let given = tap.offset < taps.count ? Double(taps[tap.offset]) : 0
      return sum + (tap.offset == 0 ? 1 : 2) * abs(tap.element - given)
    }
    var blurred = planner.withEdges(source)
    for axis in [Axis.y, .x] {
      blurred = planner.convolve(blurred, axis, .taps(taps), kernelError: 255 * missing)
    }
    let (width, height) = (Double(planner.size.width), Double(planner.size.height))
    let circle = Ellipse(
      x: blurCenterX * width, y: blurCenterY * height, radiusX: blurRadius * width,
      radiusY: blurRadius * width)
    return planner.masked(
      source, blurred.extended(x: nil, y: nil), by: Coverage([CoverageShape(.ellipse(circle))]))
  }
}

/// GPUImage's selective Gaussian blur, with its formula: a blurred copy mixed in around a circle.
///
/// The copy's share is `smoothstep(R − w, R, d)`, with d the distance from the circle's center in widths of the image.
/// Where w is 0, or less than a pixel, GPUImage's share is undefined or a jagged step; here it is the step at R − w,
/// anti-aliased over one pixel. On images that are not square GPUImage squeezes the circle and moves its center; here
/// it is a circle, with its center at the given point. `SelectiveBlur` is a blur that grows instead of being mixed in.
package struct GPUImageSelective: Filter {
  /// The copy's standard deviation, before it is rounded to whole pixels, 0…1000.
  package var blurRadiusInPixels = 5.0
  /// The radius from which the copy shows fully, as a fraction of the image's width.
  package var excludeCircleRadius = 60.0 / 320
  /// The circle's center, as fractions of width and height.
  package var excludeCirclePointX = 0.5
  package var excludeCirclePointY = 0.5
  /// The distance inside that radius where the copy begins to show, as a fraction of the width.
  package var excludeBlurSize = 30.0 / 320

  package static let definition = FilterDefinition<GPUImageSelective>(
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
        "How far inside the circle the copy begins to show, as a fraction of the width; under a pixel it is a "
          + "border, anti-aliased over one pixel."),
    ])

  package init() {}

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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

/// GPUImage's tilt shift, with its formula: a blurred copy mixed in above and below a sharp band.
///
/// The copy's share is `1 − smoothstep(top − f, top, y) + smoothstep(bottom, bottom + f, y)`. A
/// blur that grows instead of being mixed in is `TiltShift`.
package struct GPUImageTiltShift: Filter {
  /// The copy's standard deviation, before it is rounded to whole pixels, 0…1000.
  package var blurRadiusInPixels = 7.0
  /// The position where the sharp band begins, as a fraction of the height.
  package var topFocusLevel = 0.4
  /// The position where the sharp band ends, as a fraction of the height.
  package var bottomFocusLevel = 0.6
  /// The distance over which the copy comes to show fully, as a fraction of the height; 0 is a sharp line.
  package var focusFallOffRate = 0.2

  package static let definition = FilterDefinition<GPUImageTiltShift>(
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
        "How far the copy takes to show fully, as a fraction of the height; 0 is a sharp line."),
    ])

  package init() {}

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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
