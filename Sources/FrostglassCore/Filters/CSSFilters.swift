internal import Glibc

/// CSS `blur()`: the argument is the standard deviation.
///
/// A browser's edges are transparent for `filter` and mirrored for `backdrop-filter`; a declaration
/// read by `FilterChain(text:)` sets them.
package struct CSSBlur: CompositeFilter, CSSFunction {
  package var radius: Sigma = 0
  /// The edge mode, for what lies beyond the image; `nil` means the plan's.
  package var edge: EdgeMode?

  package static let definition = FilterDefinition<CSSBlur>(
    "blur", "CSS blur(): a Gaussian whose standard deviation is the argument.",
    [
      .sigma("radius", \.radius, "Standard deviation; 0 changes nothing."),
      .choice("edge", \.edge, "Beyond the border; as the chain's when left out."),
    ], example: "blur(4px)")

  package init() {}

  package init(_ radius: Sigma, edge: EdgeMode? = nil) {
    self.radius = radius
    self.edge = edge
  }

  package var chain: FilterChain { .gaussian(sigma: radius, edge: edge) }
}

extension FilterChain {
  /// CSS `blur()`; in Swift, `gaussian` is the way to ask for one.
  package static func blur(_ radius: Sigma, edge: EdgeMode? = nil) -> FilterChain {
    FilterChain(CSSBlur(radius, edge: edge))
  }
}

/// CSS `brightness()`: `c · amount`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 65536 nothing changes any more.
package struct CSSBrightness: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSBrightness>(
    "brightness", "CSS brightness(): multiplies every color.",
    [.factor("amount", \.amount, in: 0..., "0 is black, 1 changes nothing.")],
    example: "brightness(140%)", isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  /// At 65536 one step of 16 bits is already all of full scale.
  private var countedAmount: Double { min(amount, 65536) }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, ColorMatrix(scale: countedAmount))
  }
}

extension FilterChain {
  /// CSS `brightness()`.
  public static func brightness(_ amount: Double) -> FilterChain {
    FilterChain(CSSBrightness(amount))
  }
}

/// CSS `contrast()`: `(c − 0.5) · amount + 0.5`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 65536 nothing changes any more.
package struct CSSContrast: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSContrast>(
    "contrast", "CSS contrast(): moves colors away from middle gray, or toward it.",
    [.factor("amount", \.amount, in: 0..., "0 is middle gray, 1 changes nothing.")],
    example: "contrast(160%)", isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  /// At 65536 one step of 16 bits is already all of full scale.
  private var countedAmount: Double { min(amount, 65536) }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let offset = SIMD3(repeating: 0.5 - 0.5 * countedAmount)
    return planner.colorMatrix(source, ColorMatrix(scale: countedAmount, offset: offset))
  }
}

extension FilterChain {
  /// CSS `contrast()`.
  public static func contrast(_ amount: Double) -> FilterChain { FilterChain(CSSContrast(amount)) }
}

/// CSS `grayscale()`: `Y + (1 − amount)(c − Y)` with the weights .2126 .7152 .0722.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
package struct CSSGrayscale: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSGrayscale>(
    "grayscale", "CSS grayscale(): takes color away.",
    [.factor("amount", \.amount, in: 0..., "0 changes nothing, 1 is gray; more counts as 1.")],
    isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    return planner.colorMatrix(source, .saturation(1 - amount, luma: Luma.rec709.weights))
  }
}

extension FilterChain {
  /// CSS `grayscale()`.
  public static func grayscale(_ amount: Double) -> FilterChain {
    FilterChain(CSSGrayscale(amount))
  }
}

/// CSS `hue-rotate()`: turns colors around the gray axis that has the weights .213 .715 .072.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
package struct CSSHueRotate: Filter, CSSFunction {
  package var angle = Angle(degrees: 0)

  package static let definition = FilterDefinition<CSSHueRotate>(
    "hue-rotate", "CSS hue-rotate(): turns every hue.",
    [.angle("angle", \.angle, "0 and 360deg change nothing.")], example: "hue-rotate(90deg)",
    isTranslationInvariant: true)

  package init() {}

  package init(_ angle: Angle) { self.angle = angle }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let cosine = cos(angle.radians)
    let sine = sin(angle.radians)
    let rows = [
      row(.init(0.787, -0.715, -0.072), .init(-0.213, -0.715, 0.928), cosine, sine),
      row(.init(-0.213, 0.285, -0.072), .init(0.143, 0.140, -0.283), cosine, sine),
      row(.init(-0.213, -0.715, 0.928), .init(-0.787, 0.715, 0.072), cosine, sine),
    ]
    return planner.colorMatrix(source, ColorMatrix(rows: rows))
  }

  private func row(
    _ onCosine: SIMD3<Double>, _ onSine: SIMD3<Double>, _ cosine: Double, _ sine: Double
  ) -> SIMD4<Double> {
    SIMD4(Luma.css.weights + onCosine * cosine + onSine * sine, 0)
  }
}

extension FilterChain {
  /// CSS `hue-rotate()`.
  public static func hueRotate(_ angle: Angle) -> FilterChain { FilterChain(CSSHueRotate(angle)) }
}

/// CSS `invert()`: `c (1 − 2 amount) + amount`.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
package struct CSSInvert: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSInvert>(
    "invert", "CSS invert(): turns colors into their complements.",
    [
      .factor(
        "amount", \.amount, in: 0..., "0 changes nothing, 1 is the negative; more counts as 1.")
    ], isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    let offset = SIMD3(repeating: amount)
    return planner.colorMatrix(source, ColorMatrix(scale: 1 - 2 * amount, offset: offset))
  }
}

extension FilterChain {
  /// CSS `invert()`.
  public static func invert(_ amount: Double) -> FilterChain { FilterChain(CSSInvert(amount)) }
}

/// CSS `opacity()`: multiplies alpha.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
package struct CSSOpacity: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSOpacity>(
    "opacity", "CSS opacity(): makes the image transparent.",
    [
      .factor(
        "amount", \.amount, in: 0..., "0 is invisible, 1 changes nothing; more counts as 1.")
    ], example: "opacity(50%)")

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    var matrix = ColorMatrix(scale: 1)
    matrix.opacity = Float(amount)
    return planner.colorMatrix(source, matrix)
  }
}

extension FilterChain {
  /// CSS `opacity()`.
  public static func opacity(_ amount: Double) -> FilterChain { FilterChain(CSSOpacity(amount)) }
}

/// CSS `saturate()`: `Y + amount (c − Y)` with the weights .213 .715 .072.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1. There is no
/// largest amount; over 4096 nothing changes any more.
package struct CSSSaturate: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSSaturate>(
    "saturate", "CSS saturate(): moves colors away from gray, or toward it.",
    [.factor("amount", \.amount, in: 0..., "0 is gray, 1 changes nothing.")],
    example: "saturate(180%)", isTranslationInvariant: true)

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  /// At 4096 one step of 8 bits in one channel is already all of full scale; more would make the
  /// rounding of floats visible on grays.
  private var countedAmount: Double { min(amount, 4096) }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.colorMatrix(source, .saturation(countedAmount, luma: Luma.css.weights))
  }
}

extension FilterChain {
  /// CSS `saturate()`.
  public static func saturate(_ amount: Double) -> FilterChain { FilterChain(CSSSaturate(amount)) }
}

/// CSS `sepia()`: mixes with the sepia tones (.393 .769 .189 for red, …).
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
package struct CSSSepia: Filter, CSSFunction {
  package var amount = 1.0

  package static let definition = FilterDefinition<CSSSepia>(
    "sepia", "CSS sepia(): tones like an old photograph.",
    [
      .factor(
        "amount", \.amount, in: 0..., "0 changes nothing, 1 is fully toned; more counts as 1.")
    ], isTranslationInvariant: true)

  /// Rows of the matrix at 1: red, green and blue of the tone.
  static let tones: [SIMD3<Double>] = [
    SIMD3(0.393, 0.769, 0.189), SIMD3(0.349, 0.686, 0.168), SIMD3(0.272, 0.534, 0.131),
  ]

  package init() {}

  package init(_ amount: Double) { self.amount = amount }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    let same: [SIMD3<Double>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    let rows = zip(Self.tones, same).map { SIMD4($0 * amount + $1 * (1 - amount), 0) }
    return planner.colorMatrix(source, ColorMatrix(rows: rows))
  }
}

extension FilterChain {
  /// CSS `sepia()`.
  public static func sepia(_ amount: Double) -> FilterChain { FilterChain(CSSSepia(amount)) }
}

/// CSS `drop-shadow()`: the image over its own outline, blurred, moved and colored.
///
/// Source: Filter Effects Module Level 1. The third length is the standard deviation, unlike that of
/// `box-shadow`. Beyond the image there is nothing, and what falls there is not shown; an image
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
    ], example: "drop-shadow(6px 8px 6px navy)")

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
    // Without a blur, the edge has to be made transparent.
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
