internal import Glibc

/// A lens out of focus: every point becomes the shape of the aperture.
///
/// Edges of the shape are anti-aliased. With `highlights`, bright pixels count more: a pixel of
/// brightness Y has the weight `1 + highlights Y⁴`, and the result is the weighted mean, so that
/// lights in the dark become bright shapes, as they do on video; colors of float images are then
/// limited to 0…1. Up to a radius of 16 pixels the shape is exact; larger ones have a softer rim
/// (`ApertureDesign`), which the certified error counts.
package struct Lens: Filter {
  /// The opening of the lens.
  package enum Shape: String, Sendable, Hashable, CaseIterable {
    case disc
    /// With as many corners as there are blades.
    case polygon
  }

  package var radius: Length = 12
  package var shape = Shape.disc
  /// Corners of the polygon.
  package var blades = 6
  /// The rotation of the polygon, clockwise; at 0 a corner points to the right.
  package var rotation = Angle(degrees: 0)
  /// The additional weight of white over black.
  package var highlights = 3.0

  private static let radii: ClosedRange<Double> = 0...1000

  package static let definition = FilterDefinition<Lens>(
    "lens", "Blurs as a lens out of focus does: every light becomes a disc.",
    [
      .length("radius", \.radius, in: radii, "Of the disc; up to half a pixel changes nothing."),
      .choice("shape", \.shape, "A disc, or a polygon with its corners at the radius."),
      .integer("blades", \.blades, in: 3...12, "Corners of the polygon."),
      .angle("rotation", \.rotation, "Of the polygon, clockwise."),
      .factor(
        "highlights", \.highlights, in: 0...100,
        "How much more white counts than black; 0 is a plain mean."),
    ])

  package init() {}

  package init(radius: Length, highlights: Double = 0) {
    self.radius = radius
    self.highlights = highlights
  }

  package init(radius: Length, blades: Int, rotation: Angle, highlights: Double = 0) {
    self.init(radius: radius, highlights: highlights)
    shape = .polygon
    self.blades = blades
    self.rotation = rotation
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try radius.pixels(
      for: planner.size, scale: planner.options.scale, in: Self.radii,
      filter: Self.definition.name, parameter: "radius")
    guard pixels > 0.5 else { return source }
    let aperture = Aperture(
      blades: shape == .polygon ? blades : nil, rotation: rotation.radians)
    let design = ApertureDesign(aperture, radius: pixels)
    let picture = planner.withEdges(source)
    guard highlights > 0 else { return planner.aperture(picture, design) }
    let weight = HighlightWeight(
      highlights: Float(highlights), luma: SIMD3<Float>(Luma.rec709.weights))
    let weighted = planner.aperture(planner.highlightWeight(picture, weight), design)
    let least = 1 / (1 + highlights)
    guard source.layout.hasAlpha else {
      return planner.unweighted(weighted, like: source, leastWeight: least)
    }
    // Highlights affect colors only: transparency spreads as without them.
    let alpha = planner.aperture(planner.alpha(of: picture), design)
    return planner.multiply(
      planner.unweighted(weighted, like: alpha, layout: .rgb, leastWeight: least), by: alpha)
  }
}

extension Planner {
  /// The mean over an aperture.
  fileprivate mutating func aperture(_ source: Surface, _ design: ApertureDesign) -> Surface {
    var surface = source
    for _ in 0..<design.levels { surface = halve(surface, x: true, y: true) }
    surface = shape(surface, design.taps).adding(model: design.bound)
    if design.levels > 0 {
      let growing = PyramidKernel(levels: design.levels).growing
      surface = resample(surface, x: growing, y: growing)
    }
    return surface.extended(x: nil, y: nil)
  }

  /// The mean over the taps of a filled shape.
  private mutating func shape(_ source: Surface, _ taps: [Stencil.WholeTap]) -> Surface {
    let whole = Stencil(shape: taps)
    guard let parts = whole.parts else { return stencil(source, whole) }
    // Backends may make either, and parts are rounded more often.
    var apart = self
    let runs = apart.stencil(apart.stencil(source, parts.run), parts.runs)
    let error = apart.mix(runs, apart.stencil(source, parts.rest), amount: parts.restShare).error
    return append(.stencil(whole), [source.source], layout: source.layout, error: error)
  }
}

extension FilterChain {
  /// A round lens out of focus.
  ///
  /// - Parameters:
  ///   - radius: the radius of the disc that a point becomes, 0…1000 px; up to half a pixel changes nothing.
  ///   - highlights: the additional weight of white over black, 0…100; 0 is a plain mean.
  public static func lens(radius: Length, highlights: Double = 0) -> FilterChain {
    FilterChain(Lens(radius: radius, highlights: highlights))
  }
}

/// A way to compute an aperture of some radius: directly, or on a smaller image.
///
/// Up to 16 pixels every pixel of the shape is a tap. Larger ones are halved first and grown
/// after, as Gaussians are, so that the shape has a radius of 8 to 17 small samples. That softens the
/// rim, by a deviation of `√((4ᵏ − 1) / 2)` for k levels; the small shape is smaller by as much as
/// keeps the second moment that of the true shape.
private struct ApertureDesign: Sendable, Hashable {
  /// The number of times the image is halved.
  let levels: Int
  let taps: [Stencil.WholeTap]
  /// The largest distance of the blur from the true shape's, in levels of 255.
  let bound: Double

  private static let largestDirect = 16.0
  /// 984 taps at most: shaders take 1024.
  private static let largestSmall = 17.0

  /// - Parameter radius: in pixels, more than 0.5.
  init(_ aperture: Aperture, radius: Double) {
    var levels = 0
    while radius / Double(1 << levels) > (levels == 0 ? Self.largestDirect : Self.largestSmall) {
      levels += 1
    }
    self.levels = levels
    guard levels > 0 else {
      taps = aperture.taps(radius: radius)
      bound = 0
      return
    }
    let area = Double(1 << (2 * levels))
    // Pixels are squares with a variance of 1/12 of their area, on both images.
    let softening = (area - 1) / 2 + (area - 1) / 12
    let small = (radius * radius - softening / aperture.variance) / area
    taps = aperture.taps(radius: small.squareRoot())
    bound = Self.bound(aperture, small: radius / Double(1 << levels), levels: levels)
  }

  /// Returns the largest error at a rim: its softness, times its length, over the shape's area.
  ///
  /// Measured as `KernelBound` does, in two dimensions and over all phases, for radii from 8 to 17
  /// small samples. A disc of small radius r is off by at most 121/r levels of 255 after one level,
  /// 153/r after two, 165/r, 170/r and 173/r after up to five; 2 % are added. A polygon has a longer
  /// rim by one over the cosine of half a side's angle, or up to 3 % more.
  private static func bound(_ aperture: Aperture, small: Double, levels: Int) -> Double {
    let disc = [123, 157, 169, 174, 176, 177.0][min(levels, 6) - 1] / small
    return aperture.blades.map { 1.05 * disc / cos(.pi / Double($0)) } ?? disc
  }
}

/// The opening of a lens, which is the shape of its blur: a disc, or a polygon of its blades.
private struct Aperture: Sendable, Hashable {
  /// Corners of a regular polygon; `nil` is a disc.
  var blades: Int?
  /// The direction of the first corner, in radians, clockwise from the x axis.
  var rotation = 0.0

  /// The variance along each axis of the shape with radius 1, corners at the radius.
  ///
  /// A regular polygon's is `(2 + cos(2π/n)) / 12`, along every axis; a disc's is the limit, 1/4.
  var variance: Double {
    blades.map { (2 + cos(2 * .pi / Double($0))) / 12 } ?? 0.25
  }

  /// Returns the share of each pixel that the shape covers, as the taps that turn a point into this shape.
  ///
  /// Exact along x; along y, the mean of 64 lines per pixel. A whole pixel counts at least 64, and as
  /// much as lets sums of samples of 15 bits fit 32.
  func taps(radius: Double) -> [Stencil.WholeTap] {
    let lines = 64
    let whole = min(16384, exp2(log2(120_000 / (.pi * radius * radius)).rounded(.down)))
    let last = Int((radius + 0.5).rounded(.down))
    var offsets = WeightedOffsets()
    for dy in -last...last {
      var covered = [Double](repeating: 0, count: 2 * last + 1)
      for line in 0..<lines {
        let y = Double(dy) - 0.5 + (Double(line) + 0.5) / Double(lines)
        guard let span = span(at: y, radius) else { continue }
        for dx in -last...last {
          let left = max(span.lowerBound, Double(dx) - 0.5)
          let right = min(span.upperBound, Double(dx) + 0.5)
          covered[dx + last] += max(right - left, 0)
        }
      }
      for dx in -last...last { offsets.add(covered[dx + last], dx: -dx, dy: -dy) }
    }
    return offsets.wholeTaps(times: whole / Double(lines))
  }

  /// Returns the part of a horizontal line that the shape covers; `nil` when it does not meet it.
  private func span(at y: Double, _ radius: Double) -> ClosedRange<Double>? {
    guard let blades else {
      let square = radius * radius - y * y
      return square > 0 ? -square.squareRoot()...square.squareRoot() : nil
    }
    // A side lies where the product with its normal is the distance to the center.
    let distance = radius * cos(.pi / Double(blades))
    var (left, right) = (-radius, radius)
    for blade in 0..<blades {
      let angle = rotation + (2 * Double(blade) + 1) * .pi / Double(blades)
      let normal = (x: cos(angle), y: sin(angle))
      let rest = distance - normal.y * y
      if normal.x > 1e-9 {
        right = min(right, rest / normal.x)
      } else if normal.x < -1e-9 {
        left = max(left, rest / normal.x)
      } else if rest < 0 {
        return nil
      }
    }
    return left < right ? left...right : nil
  }
}
