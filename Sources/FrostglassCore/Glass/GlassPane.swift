/// A pane of glass in pixels of one picture.
struct GlassPane {
  let outline: RoundedRectangle
  let face: GlassFace
  /// Standard deviation of the blur.
  let blur: Double
  let refraction: Double
  let depth: Double
  let dispersion: Double
  let highlight: Double
  /// In radians.
  let light: Double
  let shadow: Double
  /// Pixels per point.
  let scale: Double

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

  /// What of a picture lies under the pane.
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
