internal import Glibc

/// A pane of glass over the image: blurred and bent inside its outline, light on its rim, a shadow
/// around it. Inspired by the glass of iOS 26; outside, the image stays sharp.
///
/// Inside, in this order: a blur, refraction at the rim (`GlassLens`, `Displace`), the face's colors
/// (`GlassFace`, `LumaCurve`), light on the rim (`GlassRim`).
package struct Glass: Filter {
  package var variant = FilterChain.GlassVariant.regular
  package var appearance = FilterChain.Appearance.light
  /// The middle of the pane, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  package var width = Length(90, .percent)
  package var height = Length(36, .percent)
  /// Radius of the corners. Half the pane's shorter side or more makes a capsule.
  package var radius = Length(100, .percent)
  /// Standard deviation of the blur; `nil` is the variant's own.
  package var blur: Sigma?
  /// The largest displacement at the rim: the distance, inward, of what the rim shows.
  package var refraction = Length(60, .points)
  /// The distance from the rim inward within which light is bent.
  package var depth = Length(20, .points)
  /// The separation of colors at the rim.
  package var dispersion = 0.0
  package var highlight = 0.5
  /// The direction of the light; it also lights the opposite side, so 45° lights one corner and the one across.
  package var light = Angle(degrees: 45)
  package var shadow = 0.15

  package static let definition = FilterDefinition<Glass>(
    "glass", "Lays a pane of glass with a bent rim over the image.",
    [
      .choice("variant", \.variant, "Milky or clear."),
      .choice("appearance", \.appearance, "Light or dark glass."),
      .factor("x", \.x, in: -1...2, "The pane's middle, as a fraction of the width."),
      .factor("y", \.y, in: -1...2, "The pane's middle, as a fraction of the height."),
      .length("width", \.width, in: 0...100_000, "Width of the pane."),
      .length("height", \.height, in: 0...100_000, "Height of the pane."),
      .length("radius", \.radius, in: 0...100_000, "Of the corners; a large one makes a capsule."),
      .sigma("blur", \.blur, "Standard deviation behind the glass; the variant's when left out."),
      .length("refraction", \.refraction, in: 0...1000, "How far the rim bends what is behind."),
      .length("depth", \.depth, in: 0...1000, "How far inside the rim it bends; 0 is a flat pane."),
      .factor("dispersion", \.dispersion, in: 0...1, "How far colors part at the rim."),
      .factor("highlight", \.highlight, in: 0...1, "Light on the rim."),
      .angle("light", \.light, "Where the light comes from."),
      .factor("shadow", \.shadow, in: 0...1, "Shadow around the pane."),
    ])

  package init() {}

  package init(_ variant: FilterChain.GlassVariant, _ appearance: FilterChain.Appearance) {
    self.variant = variant
    self.appearance = appearance
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    try planner.glass(source, GlassPane(self, planner))
  }
}

extension Glass {
  /// Read from the layers of iOS 26; what dark clear glass does is chosen here.
  var face: GlassFace {
    switch (variant, appearance) {
    case (.regular, .light):
      GlassFace(black: 0.4, white: 0.96, chroma: 1.2, fill: 0.2, brightest: 0.94)
    case (.regular, .dark): GlassFace(black: 0.08, white: 1.125, chroma: 1.3, brightest: 0.35)
    case (.clear, .light): GlassFace(black: 0.2, white: 0.95, fill: 0.1)
    case (.clear, .dark): GlassFace(black: 0.05, white: 0.85)
    }
  }

  /// The standard deviation where none is given.
  var ownBlur: Sigma { Sigma(variant == .regular ? 5 : 2.25, .points) }
}

extension FilterChain {
  /// The transparency of a pane of glass.
  public enum GlassVariant: String, Sendable, Hashable, CaseIterable {
    /// Milky.
    case regular
    /// Clear.
    case clear
  }

  /// A capsule of glass in the middle of the image: blurred and bent inside its outline.
  ///
  /// - Parameters:
  ///   - variant: milky or clear.
  ///   - appearance: light or dark.
  public static func glass(
    _ variant: GlassVariant = .regular, _ appearance: Appearance = .light
  ) -> FilterChain { FilterChain(Glass(variant, appearance)) }
}

/// A pane of glass in pixels of one image.
struct GlassPane {
  let outline: RoundedRectangle
  let face: GlassFace
  /// Standard deviation of the blur.
  let blur: Double
  private let refraction: Double
  private let depth: Double
  private let dispersion: Double
  private let highlight: Double
  /// In radians.
  private let light: Double
  let shadow: Double
  /// Pixels per point.
  private let scale: Double

  init(_ glass: Glass, _ planner: Planner) throws(PlanError) {
    let width = try planner.pixels(glass.width, of: Glass.self, parameter: "width")
    let height = try planner.pixels(glass.height, of: Glass.self, parameter: "height")
    let radius = try planner.pixels(glass.radius, of: Glass.self, parameter: "radius")
    let (x, y) = (glass.x * Double(planner.size.width), glass.y * Double(planner.size.height))
    outline = RoundedRectangle(
      left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2,
      radius: min(radius, width / 2, height / 2))
    face = glass.face
    scale = planner.options.scale
    blur = try (glass.blur ?? glass.ownBlur).pixels(
      for: planner.size, scale: scale, filter: Glass.definition.name, parameter: "blur")
    refraction = try planner.pixels(glass.refraction, of: Glass.self, parameter: "refraction")
    depth = try planner.pixels(glass.depth, of: Glass.self, parameter: "depth")
    dispersion = glass.dispersion
    highlight = glass.highlight
    light = glass.light.degrees * .pi / 180
    shadow = glass.shadow
  }

  var isEmpty: Bool { outline.right <= outline.left || outline.bottom <= outline.top }

  /// The part of an image that lies under the pane.
  var coverage: Coverage { Coverage([CoverageShape(.rectangle(outline))]) }

  /// The shadow: the pane moved down by 4 points, its border soft over 24.
  var shade: Coverage {
    var lower = outline
    lower.top += 4 * scale
    lower.bottom += 4 * scale
    return Coverage([CoverageShape(.rectangle(lower), feather: 24 * scale, grow: -8 * scale)])
  }

  /// The map of the rim's refraction; `nil` where nothing is bent.
  var lens: GlassLens? {
    depth > 0 && refraction > 0 ? GlassLens(outline, depth: depth) : nil
  }

  /// Red is bent more than green, blue less; all of them look inward.
  var span: SIMD3<Float> {
    let spread = 0.15 * dispersion
    return SIMD3<Float>(-2 * refraction * SIMD3(1 + spread, 1, 1 - spread))
  }

  /// The light on the rim; `nil` where there is none.
  var rim: GlassRim? {
    highlight > 0
      ? GlassRim(
        outline, width: 1.5 * scale, depth: max(depth, 6 * scale) / 2, angle: light,
        brightness: highlight)
      : nil
  }
}

/// The change that a pane of glass makes to the colors behind it.
///
///     Y' = dimmed(Y),  dimmed(Y) = Y − (1 − brightest) Y²
///     out = (1 − fill) (black + (white − black) Y' + chroma (c − Y)) + fill
///
/// limited to 0…1 at the end, Y being the Rec. 709 brightness. Colors lose with the dimming what
/// a middle brightness loses.
package struct GlassFace: Sendable, Hashable {
  /// The value that black becomes; `white` is that of white.
  package var black: Double
  package var white: Double
  /// 1 leaves colors as rich as they are.
  package var chroma: Double
  /// The share of white laid over all.
  package var fill: Double
  /// The value to which white is dimmed first; 1 dims nothing.
  package var brightest: Double

  init(
    black: Double, white: Double, chroma: Double = 1, fill: Double = 0, brightest: Double = 1
  ) {
    self.black = black
    self.white = white
    self.chroma = chroma
    self.fill = fill
    self.brightest = brightest
  }

  /// The pass that does it.
  var pass: LumaCurve {
    let rest = 1 - fill
    let dimming = 1 - brightest
    let middle = 1 - dimming / 2
    let richness = rest * chroma * middle * (1 + 0.3 * (1 - middle))
    let weights = Luma.rec709.weights
    let identity = [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    let span = rest * (white - black)
    return LumaCurve(
      rows: identity.map { richness * ($0 - weights) }, luma: weights,
      curve: SIMD4(rest * black + fill, span, -span * dimming, 0))
  }
}

// Panes of glass.
extension Planner {
  /// Lays a pane of glass over an image; one that lies outside changes nothing, nor does its shadow.
  mutating func glass(_ source: Surface, _ pane: GlassPane) -> Surface {
    guard !pane.isEmpty, pane.coverage.part(above: 0, of: picture) != nil else { return source }
    var face = gaussian(source, x: pane.blur, y: pane.blur)
    if let lens = pane.lens { face = displace(face, by: .lens(lens), span: pane.span) }
    face = lumaCurve(face, pane.face.pass)
    if let rim = pane.rim {
      let white = colorMatrix(face, ColorMatrix(scale: 0, offset: SIMD3(repeating: 1)))
      face = masked(face, white, by: generate(.rim(rim)))
    }
    let dimmed = colorMatrix(source, ColorMatrix(scale: 1 - pane.shadow))
    let ground = pane.shadow > 0 ? masked(source, dimmed, by: pane.shade) : source
    return masked(ground, face, by: pane.coverage)
  }

  /// Reads each pixel from where a map says; beyond the image, the edge mode's continuation.
  ///
  /// - Parameter span: displacement in pixels from the map's 0 to its 1.
  mutating func displace(
    _ surface: Surface, by map: Generate.Content, span: SIMD3<Float>
  ) -> Surface {
    let map = generate(map)
    // Half floats would move what is seen by pixels.
    raisePrecision(of: map, to: .fixed16)
    let displace = Displace(span: span)
    let error =
      surface.error + stored + CertifiedError(arithmetic: displace.roundingError)
    let layout = surface.layout == .gray && displace.disperses ? .rgb : surface.layout
    return append(
      .displace(displace), [withEdges(surface).source, map.source], layout: layout, error: error)
  }
}

/// The displacement map of a pane of glass: it bends nothing in the middle, and more and more toward the border, as the
/// rim of a lens does.
///
/// At a depth `e` inside the border the displacement is `1 − √(1 − t²)` of the largest, with
/// `t = 1 − e / depth`, along the outward normal of the outline with rounder corners. As an image:
/// red and green are the displacement along x and y, 0.5 ± 0.5, in steps of 1/32640, which every
/// backend holds exactly.
///
/// Source of the formula: AndroidLiquidGlass.
package struct GlassLens: Sendable, Hashable {
  package var outline: RoundedRectangle
  /// The distance from the border inward within which light is bent, in pixels; above 0.
  package var depth: Double

  package init(_ outline: RoundedRectangle, depth: Double) {
    self.outline = outline
    self.depth = depth
  }

  /// Steps from none to the largest displacement in one direction.
  private static let steps = 16320.0

  /// Computes some columns of a row: red, green and an empty blue.
  package func row(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>
  ) {
    let rounder = outline.forNormals
    for (index, x) in columns.enumerated() {
      let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
      let bend = bend(at: outline.distance(px, py))
      var move = (x: 0.0, y: 0.0)
      if bend > 0 {
        let normal = rounder.normal(px, py)
        move = (normal.x * bend, normal.y * bend)
      }
      target[3 * index] = level(move.x)
      target[3 * index + 1] = level(move.y)
      target[3 * index + 2] = 0
    }
  }

  /// The share of the largest displacement at a distance from the border, negative inside.
  package func bend(at distance: Double) -> Double {
    let t = min(1 + distance / depth, 1)
    return t > 0 ? 1 - (1 - t * t).squareRoot() : 0
  }

  private func level(_ move: Double) -> Float {
    Float(((1 + move) * GlassLens.steps).rounded() / (2 * GlassLens.steps))
  }
}

/// Light on the border of a pane of glass, as a gray image: how much of white is seen.
///
/// A bright line along the border, strongest where the border faces the light or turns its back to
/// it, and a faint glow farther inside.
package struct GlassRim: Sendable, Hashable {
  package var outline: RoundedRectangle
  /// Width of the line in pixels; above 0.
  package var width: Double
  /// The distance that the glow reaches inward, in pixels; above 0.
  package var depth: Double
  /// The direction of the light, as an angle from the x axis toward the y axis, in radians.
  package var angle: Double
  /// The brightness of the line, 0…1.
  package var brightness: Double

  package init(
    _ outline: RoundedRectangle, width: Double, depth: Double, angle: Double, brightness: Double
  ) {
    self.outline = outline
    self.width = width
    self.depth = depth
    self.angle = angle
    self.brightness = brightness
  }

  /// The share of the line's brightness that remains where the border runs along the light.
  private static let least = 0.2
  /// The brightness of the glow at the border, relative to the line's.
  private static let glow = 0.25

  /// Computes some columns of a row.
  package func row(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>
  ) {
    let rounder = outline.forNormals
    let light = (x: cos(angle), y: sin(angle))
    for (index, x) in columns.enumerated() {
      let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
      let distance = outline.distance(px, py)
      target[index] = 0
      guard -distance < max(width, depth) else { continue }
      let normal = rounder.normal(px, py)
      let facing = abs(normal.x * light.x + normal.y * light.y)
      let line = falloff(-distance / width)
      let glow = GlassRim.glow * falloff(-distance / depth)
      let share = GlassRim.least + (1 - GlassRim.least) * facing * facing
      target[index] = Float(min(brightness * share * max(line, glow), 1))
    }
  }

  /// 1 at the border and beyond it, 0 from 1 on.
  private func falloff(_ position: Double) -> Double {
    let rest = 1 - min(max(position, 0), 1)
    return rest * rest
  }
}

extension RoundedRectangle {
  /// The outline whose normals count: with rounder corners, around which they turn more slowly.
  var forNormals: RoundedRectangle {
    var rounder = self
    rounder.radius = 1.5 * radius
    rounder.isContinuous = false
    return rounder
  }

  /// The direction away from the border, of length 1; from the nearest side, or from a corner's
  /// center.
  func normal(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let halfWidth = (right - left) / 2
    let halfHeight = (bottom - top) / 2
    let corner = min(radius, max(min(halfWidth, halfHeight), 0))
    let (fromX, fromY) = (x - (left + right) / 2, y - (top + bottom) / 2)
    let dx = abs(fromX) - (halfWidth - corner)
    let dy = abs(fromY) - (halfHeight - corner)
    let (signX, signY) = (fromX < 0 ? -1.0 : 1.0, fromY < 0 ? -1.0 : 1.0)
    guard dx > 0, dy > 0 else { return dx > dy ? (signX, 0) : (0, signY) }
    let length = (dx * dx + dy * dy).squareRoot()
    return (signX * dx / length, signY * dy / length)
  }
}
