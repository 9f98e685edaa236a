internal import Glibc

/// A lens out of focus: every point becomes the shape of the aperture.
///
/// Edges of the shape are anti-aliased. With `highlights`, bright pixels count more: a pixel of
/// brightness Y has the weight `1 + highlights Y⁴`, and the result is the weighted mean, so that
/// lights in the dark become bright shapes, as they do on film; colors of float pictures are then
/// limited to 0…1. Up to a radius of 16 pixels the shape is exact; larger ones have a softer rim
/// (`Kernels/ApertureDesign.swift`), which the certified error counts.
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
  /// Of the polygon, clockwise; at 0 a corner points to the right.
  package var rotation = Angle(degrees: 0)
  /// How much more white counts than black.
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
    // Highlights are about color: transparency spreads as without them.
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
    guard let split = RunSplit.cheapest(of: taps) else { return stencil(source, Stencil(taps)) }
    let means = stencil(source, split.run)
    // Mixing takes pixels as they are, so all of them are computed.
    let runs = stencil(means, split.runs).extended(x: nil, y: nil)
    let rest = stencil(source, split.rest).extended(x: nil, y: nil)
    return mix(runs, rest, amount: split.restMass)
  }
}

extension FilterChain {
  /// A round lens out of focus.
  ///
  /// - Parameters:
  ///   - radius: of the disc a point becomes, 0…1000 px; up to half a pixel changes nothing.
  ///   - highlights: how much more white counts than black, 0…100; 0 is a plain mean.
  public static func lens(radius: Length, highlights: Double = 0) -> FilterChain {
    FilterChain(Lens(radius: radius, highlights: highlights))
  }
}
