import FrostglassCore
import Testing

struct ColorTests {
  @Test(arguments: [
    ("white", Color.white), ("#000", .black),
    ("#FF8000", Color(red: 1, green: 128.0 / 255, blue: 0)),
    ("rgb(255, 0, 51)", Color(red: 1, green: 0, blue: 0.2)),
    ("rgb(100% 0% 20% / 50%)", Color(red: 1, green: 0, blue: 0.2, alpha: 0.5)),
    ("rgba(0, 0, 0, 0.25)", Color(white: 0, alpha: 0.25)),
    ("transparent", Color(white: 0, alpha: 0)),
    ("#00ff0080", Color(red: 0, green: 1, blue: 0, alpha: 128.0 / 255)),
    ("RebeccaPurple", Color(red: 0x66 / 255.0, green: 0x33 / 255.0, blue: 0x99 / 255.0)),
  ])
  func readsCSS(text: String, color: Color) {
    #expect(Color(text: text) == color)
  }

  @Test(arguments: [
    ("hsl(120, 100%, 50%)", 0.0, 1.0, 0.0), ("hsl(240deg 100% 25%)", 0, 0, 0.5),
    ("hsla(-60, 100%, 50%, 1)", 1, 0, 1),
  ])
  func readsHSL(text: String, red: Double, green: Double, blue: Double) throws {
    let color = try #require(Color(text: text))
    let expected = SIMD3(red, green, blue)
    let distance = color.components - expected
    #expect((distance * distance).sum() < 1e-12)
  }

  @Test(arguments: [
    "", "whit", "#12", "#12345", "#ggg", "rgb(1,2)", "rgb(1 2 3 4 5)", "hsl(1,2,3)", "rgb(",
  ])
  func refusesTheRest(text: String) {
    #expect(Color(text: text) == nil)
  }

  @Test func transferCurveIsItsOwnInverse() {
    for step in 0...1000 {
      let value = Float(step) / 1000
      #expect(abs(TransferCurve.encode(TransferCurve.decode(value)) - value) < 1e-5)
    }
    #expect(TransferCurve.decode(-0.5) == -TransferCurve.decode(0.5))
    #expect(abs(TransferCurve.decode(0.5) - 0.21404) < 1e-5)
  }
}
