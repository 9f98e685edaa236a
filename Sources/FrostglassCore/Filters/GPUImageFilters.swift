internal import Glibc

/// GPUImage's Gaussian blur, by its parameters: a true Gaussian of the σ that it means.
///
/// GPUImage rounds its radius to whole pixels, and that is σ. Its kernel is cut where a weight falls
/// below 1/256, from σ 24 on visibly, and undefined above 102; none of that is repeated. Blurring n
/// times is blurring once with `σ √n`.
package struct GPUImageGaussian: CompositeFilter {
  /// The standard deviation, before rounding, 0…1000; under 0.5 nothing changes.
  package var blurRadiusInPixels = 2.0
  /// The number of times the blur is applied.
  package var blurPasses = 1

  package static let definition = FilterDefinition<GPUImageGaussian>(
    "gpuimage-gaussian", "GPUImage's Gaussian blur: its radius, rounded, is the deviation.",
    [
      .factor(
        "blur-radius-in-pixels", \.blurRadiusInPixels, in: 0...1000,
        "Standard deviation; rounded to whole pixels, as GPUImage does."),
      .integer("blur-passes", \.blurPasses, in: 1...100, "How often."),
    ])

  package init() {}

  package init(blurRadiusInPixels: Double, blurPasses: Int = 1) {
    self.blurRadiusInPixels = blurRadiusInPixels
    self.blurPasses = blurPasses
  }

  package var chain: FilterChain {
    let sigma = blurRadiusInPixels.rounded() * Double(blurPasses).squareRoot()
    return [.gaussian(sigma: Sigma(sigma))]
  }
}

/// GPUImage's box blur, by its parameters: the mean of a square of `2 radius + 1` pixels.
///
/// The radius is snapped to an even number first, as GPUImage does.
package struct GPUImageBox: CompositeFilter {
  /// The radius before it is snapped, 0…1000; under 1 nothing changes.
  package var blurRadiusInPixels = 4.0

  package static let definition = FilterDefinition<GPUImageBox>(
    "gpuimage-box", "GPUImage's box blur: its radius is snapped to an even number.",
    [
      .factor(
        "blur-radius-in-pixels", \.blurRadiusInPixels, in: 0...1000,
        "Pixels to each side; snapped to an even number, as GPUImage does.")
    ])

  package init() {}

  package init(blurRadiusInPixels: Double) { self.blurRadiusInPixels = blurRadiusInPixels }

  package var chain: FilterChain {
    [.box(radius: 2 * Int((blurRadiusInPixels / 2).rounded()))]
  }
}

/// GPUImage's bilateral filter, with its formula: nine samples along y, then nine along x.
///
/// The samples are `texelSpacing` pixels apart and weigh .05 .09 .12 .15 .18 .15 .12 .09 .05, each
/// times `1 − min(1, D f)`: D is the distance of two colors with red, green, blue and alpha as
/// coordinates, f is `distanceNormalizationFactor`. Samples lie on whole pixels and nothing is
/// rounded to 8 bit between the axes.
package struct GPUImageBilateral: Filter {
  /// The weight of a difference in color: from a difference of `1 / factor` on, a sample does not count.
  package var distanceNormalizationFactor = 8.0
  /// Pixels between samples.
  package var texelSpacing = 4

  package static let definition = FilterDefinition<GPUImageBilateral>(
    "gpuimage-bilateral", "GPUImage's bilateral filter: nine samples along each axis.",
    [
      .factor(
        "distance-normalization-factor", \.distanceNormalizationFactor, in: 0...1000,
        "Colors that differ by 1 / factor do not mix; 0 blurs across all edges."),
      .integer("texel-spacing", \.texelSpacing, in: 1...64, "Pixels between samples."),
    ])

  package init() {}

  package init(distanceNormalizationFactor: Double, texelSpacing: Int = 4) {
    self.distanceNormalizationFactor = distanceNormalizationFactor
    self.texelSpacing = texelSpacing
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let gain = gain(source.layout)
    let columns = planner.bilateral(planner.withEdges(source), pass(x: [1], y: taps), gain: gain)
    return planner.bilateral(columns, pass(x: taps, y: [1]), gain: gain)
  }

  private var taps: [Float] { GPUImageWeights.half.map { Float($0) } }

  private func pass(x: [Float], y: [Float]) -> Bilateral {
    Bilateral(
      x: x, y: y, spacing: texelSpacing, range: .linear(fall: Float(distanceNormalizationFactor)))
  }

  /// Returns the factor by which one axis multiplies an error.
  ///
  /// With center weight .18 the mean moves by at most `(.82 / .18) δD` through the weights, and the
  /// difference D of n channels by δD ≤ 2√n times the error.
  private func gain(_ layout: PixelFormat.Layout) -> Double {
    1 + 0.82 / 0.18 * 2 * Double(layout == .gray ? 3 : layout.channels).squareRoot()
  }
}

/// GPUImage's motion blur, with its formula: nine samples along a line.
///
/// They lie `blurSize · height / width` pixels apart along the angle, weigh .05 .09 .12 .15 .18 .15
/// .12 .09 .05, and are interpolated linearly. That the distance depends on the image's shape is
/// GPUImage's; the blur whose length is in pixels is `Motion`.
package struct GPUImageMotion: Filter {
  /// Pixels between samples, times the width over the height; 0…100, 0 changes nothing.
  package var blurSize = 2.5
  /// Clockwise on the screen; 0 is along x.
  package var blurAngle = Angle(degrees: 0)

  package static let definition = FilterDefinition<GPUImageMotion>(
    "gpuimage-motion", "GPUImage's motion blur: nine samples along a line.",
    [
      .factor(
        "blur-size", \.blurSize, in: 0...100,
        "Pixels between samples, on a square image; times height over width on others."),
      .angle("blur-angle", \.blurAngle, "Of the line: 0deg is along x, 90deg along y, clockwise."),
    ])

  package init() {}

  package init(blurSize: Double, blurAngle: Angle = Angle(degrees: 0)) {
    self.blurSize = blurSize
    self.blurAngle = blurAngle
  }

  /// Pixels between two samples, at most: what is read is nine times as wide.
  private static let longestStep = 1000.0

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard blurSize > 0 else { return source }
    let step = blurSize * Double(planner.size.height) / Double(planner.size.width)
    guard step <= GPUImageMotion.longestStep else {
      throw .badValue(
        filter: Self.definition.name, parameter: "blur-size", value: shortest(blurSize),
        accepted: "at most \(decimal(GPUImageMotion.longestStep / step * blurSize, places: 3)) for "
          + "an image of \(planner.size), as samples are blur-size × height / width apart")
    }
    return planner.stencil(planner.withEdges(source), Stencil(taps(step: step)))
      .extended(x: nil, y: nil)
  }

  /// Returns the samples between pixels as weights of pixels.
  private func taps(step: Double) -> [Stencil.Tap] {
    let (dx, dy) = (cos(blurAngle.radians) * step, sin(blurAngle.radians) * step)
    var weights: [SIMD2<Int>: Double] = [:]
    for (place, weight) in GPUImageWeights.samples {
      for (x, across) in Self.neighbors(dx * Double(place)) {
        for (y, down) in Self.neighbors(dy * Double(place)) {
          weights[SIMD2(x, y), default: 0] += weight * across * down
        }
      }
    }
    return weights.map { Stencil.Tap(dx: $0.key.x, dy: $0.key.y, weight: Float($0.value)) }
  }

  /// The two pixels that a position lies between, with their shares.
  private static func neighbors(_ position: Double) -> [(pixel: Int, share: Double)] {
    // Rounded to a millionth, so that whole positions are whole whatever the angle's sine.
    let rounded = (position * 1e6).rounded() / 1e6
    let low = rounded.rounded(.down)
    let part = rounded - low
    return [(Int(low), 1 - part), (Int(low) + 1, part)].filter { $0.1 > 0 }
  }
}

/// GPUImage's zoom blur, with its formula: nine samples on the line to a center.
///
/// They lie at `p + k · 0.01 · blurSize · (center − p)`, k = −4…4, weigh .05 .09 .12 .15 .18 .15 .12
/// .09 .05, and are interpolated linearly. Far from the center nine samples show as nine; the blur
/// without steps is `Zoom`.
package struct GPUImageZoom: Filter {
  /// Hundredths of the way to the center between samples, 0…20; 0 changes nothing.
  package var blurSize = 1.0
  /// The center, as fractions of width and height.
  package var blurCenterX = 0.5
  package var blurCenterY = 0.5

  package static let definition = FilterDefinition<GPUImageZoom>(
    "gpuimage-zoom", "GPUImage's zoom blur: nine samples on the line to a center.",
    [
      .factor(
        "blur-size", \.blurSize, in: 0...20,
        "Hundredths of the way to the center between samples; 0 changes nothing."),
      .factor("blur-center-x", \.blurCenterX, in: 0...1, "The center, as a fraction of the width."),
      .factor(
        "blur-center-y", \.blurCenterY, in: 0...1, "The center, as a fraction of the height."),
    ])

  package init() {}

  package init(blurSize: Double) { self.blurSize = blurSize }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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

/// The nine weights that several of GPUImage's blurs share: .05 .09 .12 .15 .18 .15 .12 .09 .05.
enum GPUImageWeights {
  /// From the center outward; both sides counted, they sum to 1.
  static let half = [0.18, 0.15, 0.12, 0.09, 0.05]

  /// The weight of each of the samples −4…4.
  static let samples = (-4...4).map { (place: $0, weight: half[abs($0)]) }

  /// The filter whose samples lie `spacing` pixels apart and are interpolated linearly, as a
  /// texture's are, as symmetric weights of whole pixels.
  static func taps(spacing: Double) -> [Double] {
    let farthest = 4 * spacing
    var taps = [Double](repeating: 0, count: Int(farthest.rounded(.up)) + 1)
    for (place, weight) in samples {
      let position = Double(place) * spacing
      let low = position.rounded(.down)
      for (pixel, share) in [(Int(low), low + 1 - position), (Int(low) + 1, position - low)]
      where pixel >= 0 && share > 0 {
        taps[pixel] += weight * share
      }
    }
    return taps
  }
}

/// GPUImage's iOS blur: less saturated, blurred, its brightness pulled toward the middle.
///
/// GPUImage blurs a copy of 1/downsampling with σ = radius; the same blur of the full image has
/// σ = radius × downsampling, and that is what is computed, at full precision. Its defaults give
/// 12 × 4 = 48 px.
package struct IOSBlur: Style, CompositeFilter {
  /// Standard deviation on the small copy.
  package var radius: Sigma = 12
  package var saturation = 0.8
  /// The scale of GPUImage's small copy.
  package var downsampling = 4.0
  /// The strength with which brightness is pulled toward the middle.
  package var reduction = 0.6
  package var intensity = 1.0

  package static let definition = FilterDefinition<IOSBlur>(
    "ios-blur", "GPUImage's iOS 7 look; its radius times downsampling is the standard deviation.",
    [
      .sigma("radius", \.radius, "Standard deviation on the small copy."),
      .factor("saturation", \.saturation, in: 0...2, "0 is gray, 1 changes nothing."),
      .factor("downsampling", \.downsampling, in: 1...64, "Multiplies the radius."),
      .factor("reduction", \.reduction, in: 0...1, "How far brightness is pulled to the middle."),
      .intensity,
    ], example: "ios-blur(radius=2px)")

  package init() {}

  /// Standard deviation on the full image: radius × downsampling.
  package var sigma: Sigma {
    get { Sigma(radius.value * downsampling, radius.unit) }
    set { radius = Sigma(newValue.value / downsampling, newValue.unit) }
  }

  package var chain: FilterChain {
    guard intensity > 0 else { return [] }
    return [
      .saturation(grown(saturation, from: 1), luma: .gpuimage),
      .gaussian(sigma: grown(sigma)),
      .luminanceRange(reduction: grown(reduction)),
    ]
  }
}

extension FilterChain {
  /// GPUImage's iOS blur with its defaults.
  public static var iosBlur: FilterChain { FilterChain(IOSBlur()) }
}

/// GPUImage's Gaussian blur inside a circle, with its formula: nine samples along each axis.
///
/// The samples weigh .05 .09 .12 .15 .18 .15 .12 .09 .05 and lie `blurSize` pixels apart, linearly
/// interpolated. Outside the circle the image stays; the circle's border is anti-aliased over one
/// pixel, where GPUImage's is jagged.
package struct GPUImagePosition: Filter {
  /// Pixels between samples, 0…100.
  package var blurSize = 1.0
  /// The circle's center, as fractions of width and height.
  package var blurCenterX = 0.5
  package var blurCenterY = 0.5
  /// The circle's radius, as a fraction of the image's width.
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
/// If w is 0, or less than a pixel, GPUImage's share is undefined or a jagged step; here it is the step at R − w,
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
