/// CSS `drop-shadow()`: the picture over its own outline, blurred, moved and colored.
///
/// Source: Filter Effects Module Level 1. The third length is the standard deviation, unlike that of
/// `box-shadow`. Beyond the picture there is nothing, and what falls there is not shown; a picture
/// without transparency hides its shadow. Offsets are rounded down to whole pixels, as Chromium
/// does.
package struct CSSDropShadow: Filter, CSSFunction {
  /// To the right.
  package var x: Length = 0
  /// Downward.
  package var y: Length = 4
  package var blur: Sigma = 6
  package var color = Color(white: 0, alpha: 0.5)

  package static let definition = FilterDefinition<CSSDropShadow>(
    "drop-shadow", "CSS drop-shadow(): a shadow of what is not transparent.",
    [
      .length("x", \.x, in: -16384...16384, "To the right, in whole pixels."),
      .length("y", \.y, in: -16384...16384, "Downward, in whole pixels."),
      .sigma("blur", \.blur, "Standard deviation; 0 is a sharp shadow."),
      .color("color", \.color, "The shadow's color; its alpha is the strength."),
    ], example: "blur(8px, transparent) drop-shadow(0 8px 6px navy)")

  package init() {}

  package init(x: Length, y: Length, blur: Sigma = 0, color: Color = .black) {
    self.x = x
    self.y = y
    self.blur = blur
    self.color = color
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let right = try planner.pixels(x, of: CSSDropShadow.self, parameter: "x").rounded(.down)
    let down = try planner.pixels(y, of: CSSDropShadow.self, parameter: "y").rounded(.down)
    let sigma = try blur.pixels(
      for: planner.size, scale: planner.options.scale, filter: CSSDropShadow.definition.name,
      parameter: "blur")
    guard source.layout.hasAlpha, color.alpha > 0 else { return source }
    let paint = planner.working(color)
    var matrix = ColorMatrix(rows: [paint.x, paint.y, paint.z].map { SIMD4(0, 0, 0, $0) })
    matrix.opacity = Float(color.alpha)
    let outline = planner.colorMatrix(source, matrix)
    let blurred = planner.gaussian(outline, x: sigma, y: sigma, edge: .transparent)
    // A blur goes on beyond the picture; without one, nothing is there.
    let shadow = blurred == outline ? planner.withEdges(outline, .transparent) : blurred
    return planner.over(source, planner.moved(shadow, right: Int(right), down: Int(down)))
  }
}

extension CSSDropShadow: SpacedFunction {
  /// Two or three lengths in a row, and a color before or behind them.
  static func named(
    _ words: [String]
  ) throws(SpacedMistake) -> [(name: String, text: String)] {
    if words.contains(",") { throw SpacedMistake("spaces separate the lengths, not commas") }
    let isLength = words.map { $0.first.map { $0.isNumber || "+-.".contains($0) } ?? false }
    let lengths = zip(words, isLength).filter(\.1).map(\.0)
    let others = zip(words, isLength).filter { !$0.1 }.map(\.0)
    guard others.count <= 1 else {
      throw SpacedMistake("\(others[1]) is one word too many")
    }
    guard (2...3).contains(lengths.count) else {
      throw SpacedMistake("there must be two or three lengths, not \(lengths.count)")
    }
    if let color = others.first, words.first != color, words.last != color {
      throw SpacedMistake("the color \(color) stands between the lengths")
    }
    return [
      ("x", lengths[0]), ("y", lengths[1]), ("blur", lengths.count > 2 ? lengths[2] : "0px"),
      ("color", others.first ?? "black"),
    ]
  }
}

extension FilterChain {
  /// CSS `drop-shadow()`; offsets in whole pixels, `blur` is the standard deviation.
  public static func dropShadow(
    x: Length, y: Length, blur: Sigma = 0, color: Color = .black
  ) -> FilterChain {
    FilterChain(CSSDropShadow(x: x, y: y, blur: blur, color: color))
  }
}
