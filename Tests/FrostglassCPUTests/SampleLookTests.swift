import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Looks of sample code and libraries: what their own steps would give.
struct SampleLookTests {
  /// A tint of the saturated color, by hand.
  static func veiled(
    _ color: [Double], saturation: Double, veil: [Double], alpha: Double
  ) -> [Double] {
    let gray = zip(color, [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + $1.0 * $1.1 }
    return zip(color, veil).map { c, v in
      let rich = min(max(gray + saturation * (c - gray), 0), 1)
      return rich * (1 - alpha) + v * alpha
    }
  }

  static let looks: [(text: String, saturation: Double, veil: [Double], alpha: Double)] = [
    ("image-effects-light()", 1.8, [1, 1, 1], 0.3),
    ("image-effects-extra-light()", 1.8, [0.97, 0.97, 0.97], 0.82),
    ("image-effects-dark()", 1.8, [0.11, 0.11, 0.11], 0.73),
    ("image-effects-tint(rgb(51 102 204 / 10%))", -1, [0.2, 0.4, 0.8], 0.6),
    ("image-effects-light(radius=0)", 1.8, [1, 1, 1], 0.3),
    ("7blur-light()", 1.8, [0.8, 0.8, 0.8], 0.2), ("7blur-dark()", 3, [0, 0, 0], 0.5),
    ("7blur-coral()", 3, [1, 0, 0], 0.1), ("7blur-neon()", 3, [0, 1, 0], 0.1),
    ("7blur-sky()", 3, [0, 0, 1], 0.1),
  ]

  @Test(arguments: looks)
  func flatColorsAreSaturatedAndVeiled(
    text: String, saturation: Double, veil: [Double], alpha: Double
  ) async throws {
    // Whole levels of 8 bit.
    for color in [[0.8, 0.4, 0.2], [1, 0, 0], [0, 0, 0], [0.2, 0.6, 0.4]] {
      let expected = Self.veiled(color, saturation: saturation, veil: veil, alpha: alpha)
      let shown = try await LookTests.flat(text, color.map { Float($0) })
      for channel in 0..<3 {
        #expect(abs(Double(shown[channel]) - 255 * expected[channel]) <= 1, "\(color): \(shown)")
      }
    }
  }

  /// The blur alone: a look of gray on gray, its veil taken off again.
  @Test(
    arguments: [
      ("image-effects-light(radius=8px)", 7.483, 0.7),
      ("image-effects-dark(radius=4px)", 4.472, 0.27),
      ("7blur-light()", 22, 0.8), ("7blur-sky()", 30, 0.9),
    ] as [(String, Double, Double)])
  func theBlurHasItsDeviation(text: String, sigma: Double, kept: Double) async throws {
    let side = 301
    let image = TestImages.make(side, 1, PixelFormat(.gray, .float32)) { x, _, _ in
      x == side / 2 ? 1 : 0
    }
    // A sheet of one color tells what the veil adds to black.
    let black = TestImages.make(side, 1, PixelFormat(.gray, .float32)) { _, _, _ in 0 }
    let shown = try await PropertyTests.run(text, image)
    let veil = try await PropertyTests.run(text, black)
    var sum = 0.0
    var variance = 0.0
    // Farther out there is nothing but rounding.
    let reach = Int(4.5 * sigma)
    for x in side / 2 - reach...side / 2 + reach {
      let value =
        Double(shown.sample(x: x, y: 0, channel: 0) - veil.sample(x: x, y: 0, channel: 0)) / kept
      sum += value
      variance += value * Double((x - side / 2) * (x - side / 2))
    }
    #expect(abs(sum - 1) < 0.01)
    #expect(abs((variance / sum).squareRoot() / sigma - 1) < 0.01)
  }

  /// 7blur's own steps have this deviation: boxes on a quarter of the size, and stretching.
  @Test(arguments: [(6.0, 22.0), (8.0, 30.0)])
  func sevenBlurIsAsWideAsItsSteps(radius: Double, sigma: Double) {
    let box = OddBoxes(radius: radius).sigma
    let variance = 16 * box * box + 16.0 / 6
    #expect(abs(variance.squareRoot() - sigma) < 0.05)
  }

  @Test func customStylesAreTheirParts() async throws {
    let image = TestImages.noise(40, 30)
    let custom = try await PropertyTests.run(
      "custom-style(4px, 1.4, 0.2, 0.3, #ff8000, 0.25)", image)
    let parts = try await PropertyTests.run(
      "gaussian(4px) saturation(1.4) tint(rgb(51 51 51), 0.3) tint(#ff8000, 0.25)", image)
    try expectClose(custom, parts, within: 1, "custom style")
  }
}
