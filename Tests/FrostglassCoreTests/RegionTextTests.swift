import FrostglassCore
import Testing

/// Regions written on a command line.
@Suite struct RegionTextTests {
  @Test func everyShapeIsRead() throws {
    let text = """
      40,30,200,100; ellipse(1, 2, 30%, 4pt); ROUNDED(1,2,3,4,5); continuous(1,2,3,4,0);
      polygon(0 0, 10% 0, 5.5 -7); gradient(0 0, 0 100%, ease-in); gradient(0 0, 1 1)
      """
    let expected: [MaskShape] = [
      .rectangle(x: 40, y: 30, width: 200, height: 100),
      .ellipse(x: 1, y: 2, width: Length(30, .percent), height: Length(4, .points)),
      .rectangle(x: 1, y: 2, width: 3, height: 4, radius: 5),
      .rectangle(x: 1, y: 2, width: 3, height: 4, isContinuous: true),
      .polygon([.init(x: 0, y: 0), .init(x: Length(10, .percent), y: 0), .init(x: 5.5, y: -7)]),
      .gradient(
        from: .init(x: 0, y: 0), to: .init(x: 0, y: Length(100, .percent)), easing: .easeIn),
      .gradient(from: .init(x: 0, y: 0), to: .init(x: 1, y: 1)),
    ]
    let shapes = try MaskShape.list(text: text)
    #expect(shapes == expected)
    // What is written is what is read.
    let again = try MaskShape.list(text: shapes.compactMap(\.text).joined(separator: ";"))
    #expect(again == expected)
  }

  /// A unit can make a number infinite that is finite without it.
  @Test func everyLengthIsFinite() {
    #expect(Length(text: "1e308mm") == nil)
    #expect(Length(text: "1e308") == Length(1e308))
    #expect(throws: RegionTextError.self) { try MaskShape.list(text: "1e308in,0,10,10") }
    #expect(throws: FilterTextError.self) { try FilterChain(text: "hue-rotate(1e308turn)") }
  }

  @Test func aSemicolonAtTheEndIsNothing() throws {
    #expect(try MaskShape.list(text: "1,2,3,4; ").count == 1)
  }

  @Test(arguments: [
    ("", "empty"), (" ", "empty"), (";1,2,3,4", "empty"), ("1,2,3,4;;1,2,3,4", "empty"),
    ("1,2,3", "x, y, width, height, not 3 parts"), ("1,2,3,4,5", "not 5 parts"),
    ("1,2,0,4", "width is 0; it must be over 0"), ("1,2,3,-4", "height is -4"),
    ("1,two,3,4", "y is two"), ("1,,3,4", "y is empty"), ("1,2,3em,4", "width is 3em"),
    ("nan,2,3,4", "no region shape nan"), ("1,inf,3,4", "y is inf"),
    ("elipse(1,2,3,4)", "did you mean ellipse?"), ("elipse 1,2,3,4", "no region shape elipse"),
    ("1,2,3,4; circl(1)", "(column 10)"), ("ellipse(1,2,3,4", "was opened at column 8"),
    ("ellipse(1,2,3,4) 5", "5 at column 17 is too much"), ("ellipse()", "not 0 parts"),
    ("rounded(1,2,3,4)", "radius, not 4 parts"), ("rounded(1,2,3,4,-1)", "radius is -1"),
    ("polygon(1 2, 3 4)", "3 corners or more"), ("polygon(1 2, 3 4, 5)", "corner 3 is 5"),
    ("polygon(1 2, 3 4, 5 x)", "y of corner 3 is x"), ("gradient(0 0)", "not 1 part "),
    ("gradient(0 0, 1 1, eas-in)", "did you mean ease-in"),
  ])
  func mistakesAreNamed(text: String, words: String) throws {
    let error = try #require(throws: RegionTextError.self) { try MaskShape.list(text: text) }
    #expect(error.description.contains(words), "\(error)")
  }

  /// No text, however garbled, does anything but read or throw.
  @Test func garbledTextNeverTraps() {
    let pieces = [
      "ellipse", "(", ")", ",", ";", "1", "%", " ", "polygon(", "é", "-", "1e999", "px",
    ]
    var state: UInt64 = 7
    for _ in 0..<20000 {
      var text = ""
      for _ in 0..<9 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      _ = try? MaskShape.list(text: text)
    }
  }

  @Test(arguments: [
    ("10,20,30,40", "30×40+10+20"), ("10.5,20,30,40", "31×40+10+20"),
    ("-10,-20,30,40", "20×20+0+0"), ("90%,50%,50%,10", "10×10+90+40"),
    ("ellipse(0,0,100%,100%)", "100×80+0+0"), ("polygon(5 5, 20 5, 5 30.2)", "15×26+5+5"),
  ])
  func boundsAreThePixelsTouched(text: String, bounds: String) throws {
    let shape = try MaskShape.list(text: text)[0]
    let rect = try shape.bounds(in: Size(width: 100, height: 80))
    #expect(rect.map { "\($0)" } == bounds)
  }

  @Test func whatIsOutsideHasNoBounds() throws {
    for text in ["100,0,10,10", "0,-10,10,10", "ellipse(200,200,5,5)"] {
      #expect(try MaskShape.list(text: text)[0].bounds(in: Size(width: 100, height: 80)) == nil)
    }
  }
}
