import FrostglassCore
import Testing

/// Declarations copied from style sheets are read as a browser reads them.
@Suite struct StyleSheetTests {
  private func chain(_ text: String) throws -> FilterChain { try FilterChain(text: text) }

  @Test(arguments: [
    "filter: blur(4px) contrast(1.2);", "filter:blur(4px)contrast(1.2)",
    "-webkit-filter: blur(4px) contrast(120%)", "FILTER : Blur( 4PX ) CONTRAST( 1.2 ) !important ;",
    "/* soft */ filter:\n  blur(4px) /* then */\n  contrast(1.2)\n;",
    "filter: sepia(1); filter: blur(4px) contrast(1.2);",
    "filter: blur(4px) contrast(1.2) ! important; filter: sepia(1);",
    "filter: blur(3pt) contrast(1.2)",
  ])
  func declarations(text: String) throws {
    #expect(try chain(text) == [.blur(4, edge: .transparent), .contrast(1.2)])
  }

  @Test func thePropertyDecidesTheEdge() throws {
    let glass: FilterChain = [.blur(20, edge: .mirror), .saturate(1.8), .over]
    let value = "blur(20px) saturate(180%)"
    #expect(try chain("backdrop-filter: \(value)") == glass)
    #expect(try chain("-webkit-backdrop-filter: \(value);\nbackdrop-filter: \(value);") == glass)
    #expect(try chain("filter: \(value)") == [.blur(20, edge: .transparent), .saturate(1.8)])
    #expect(try chain(value) == [.blur(20), .saturate(1.8)])
    #expect(try chain("\(value);") == [.blur(20), .saturate(1.8)])
  }

  @Test(arguments: ["none", "none;", " NONE ", "filter: none", "backdrop-filter: none;"])
  func noneIsAChainOfNothing(text: String) throws {
    #expect(try chain(text) == [])
    #expect(FilterChain([]).text == "none")
  }

  /// An inch is 96 px; `pt` is the typographer's in a declaration, and UIKit's in a list.
  @Test(arguments: [
    ("1in", 96.0), ("2.54cm", 96), ("25.4mm", 96), ("101.6Q", 96), ("72pt", 96), ("6pc", 96),
    ("96px", 96), ("9.6E1px", 96), ("+96px", 96), ("0", 0), (".5px", 0.5),
  ])
  func absoluteLengths(text: String, pixels: Double) throws {
    let blur = try #require(try chain("filter: blur(\(text))").filters.first as? CSSBlur)
    #expect(abs(blur.radius.value - pixels) < 1e-9 && blur.radius.unit == .pixels)
    if !text.hasSuffix("pt") {
      let own = try #require(try chain("blur(\(text))").filters.first as? CSSBlur)
      #expect(own.radius == blur.radius)
    }
    #expect(try chain("blur(72pt)") == [.blur(Sigma(72, .points))])
  }

  @Test func missingArgumentsAreTheDefaultsOfCSS() throws {
    #expect(
      try chain(
        "filter: blur() brightness() contrast() grayscale() hue-rotate() invert() opacity() "
          + "saturate() sepia()")
        == [
          .blur(0, edge: .transparent), .brightness(1), .contrast(1), .grayscale(1),
          .hueRotate(Angle(degrees: 0)), .invert(1), .opacity(1), .saturate(1), .sepia(1),
        ])
  }

  /// There is no largest amount; where more than 1 makes no sense it counts as 1.
  @Test func amountsHaveNoEnd() throws {
    for name in ["brightness", "contrast", "saturate", "grayscale", "sepia", "invert", "opacity"] {
      #expect(throws: Never.self) { try chain("filter: \(name)(1e30) \(name)(99999999%)") }
      let error = try #require(throws: FilterTextError.self) { try chain("filter: \(name)(-0.1)") }
      #expect(error.description.contains("amount is -0.1"), "\(error)")
    }
  }

  static let shadow = FilterChain([
    .dropShadow(x: 4, y: -2.5, blur: 8, color: Color(red: 1, green: 0, blue: 0))
  ])

  @Test(arguments: [
    "filter: drop-shadow(4px -2.5px 8px red)", "filter: drop-shadow(red 4px -2.5px 8px);",
    "filter: DROP-SHADOW( 4px\n-2.5px 6pt #f00 )", "drop-shadow(4px -2.5px 8px rgb(255 0 0))",
    "drop-shadow(4px, -2.5px, 8px, red)", "drop-shadow(color=red, x=4, y=-2.5, blur=8px)",
    "drop-shadow(hsl(0deg 100% 50%) 4px -2.5px 8px)",
  ])
  func shadows(text: String) throws {
    #expect(try chain(text) == Self.shadow)
  }

  @Test func shadowsWithoutBlurAreSharpAndBlack() throws {
    #expect(try chain("filter: drop-shadow(0 3px)") == [.dropShadow(x: 0, y: 3)])
    #expect(
      try chain("filter: drop-shadow(rgb(0 0 0 / 50%) 1mm 0)") == [
        .dropShadow(x: Length(96 / 25.4), y: 0, color: Color(white: 0, alpha: 0.5))
      ])
  }

  @Test(arguments: [
    ("filter: blur(1rem)", "rem depends on the page's fonts"), ("blur(2em)", "em depends on"),
    ("filter: blur(2vmin)", "depends on the page's size"), ("filter: blur(5)", "a unit here: 5px"),
    ("filter: hue-rotate(90)", "a unit here: 90deg"), ("filter: blur(2%)", "no percentages"),
    ("filter: blur(calc(1px + 2px))", "calc() is not computed"),
    ("brightness(var(--b))", "var() is not computed"),
    ("filter: blur(radius=2px)", "radius is rad"),
    ("filter: url(#glow)", "url() points to an SVG filter"), ("url(x.svg#a)", "url() points"),
    ("filter: tint(red)", "tint is not a filter of CSS"), ("filter: blur(1px, 2px)", "at most 1"),
    ("filter: blur(-1px)", "a length of CSS from 0 to 1000px"), ("filter:", "filter has no value"),
    ("filter: ;", "has no value"), ("filter: none blur(1px)", "none stands alone"),
    ("filter: blur(1px) none", "an opening parenthesis is missing after none"),
    ("filter: inherit", "inherit is known only to the page"),
    (".a { filter: blur(1px) }", "without selector and braces"),
    ("color: red", "color is not a property"), ("fliter: none", "did you mean filter"),
    ("filter: blur(1px); backdrop-filter: blur(1px)", "give one of them"),
    ("filter: blur(1px) !ie", "!ie was not expected"), ("filter: blur(1px) /* x", "has no end"),
    ("filter: blur(1px),sepia(1)", "not ,"), ("filter: drop-shadow()", "two or three lengths"),
    ("filter: drop-shadow(1px)", "two or three lengths, not 1"),
    ("drop-shadow(1px 2px 3px 4px)", "two or three lengths, not 4"),
    ("drop-shadow(1px red 2px)", "stands between"),
    ("drop-shadow(inset 1px 2px red)", "red is one"),
    ("filter: drop-shadow(1px, 2px)", "not commas"), ("drop-shadow(1px 2px -3px)", "blur is -3px"),
    ("filter: drop-shadow(1px 2px wite)", "color is wite"),
    ("drop-shadow(1px 99999px)", "y is 99999"),
    ("filter: drop-shadow(1em 2px)", "em depends on"),
  ])
  func refusals(text: String, words: String) throws {
    let error = try #require(throws: FilterTextError.self) { try FilterChain(text: text) }
    #expect(error.description.contains(words), "\(error)")
  }
}
