import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Looks on flat colors, against published measurements and formulas worked out by hand.
struct LookTests {
  static func flat(_ text: String, _ color: [Float]) async throws -> [Float] {
    let image = TestImages.flat(9, 9, .rgb8, color)
    let result = try await PropertyTests.run(text, image)
    return (0..<3).map { result.sample(x: 4, y: 4, channel: $0) * 255 }
  }

  /// Backgrounds and what iOS shows over them; measured on a device, ±2.
  static let measured: [(style: String, background: [Float], shown: [Float])] = [
    ("light()", [0, 0, 0], [77, 77, 77]), ("extra-light()", [0, 0, 0], [198, 198, 198]),
    ("dark()", [0, 0, 0], [20, 20, 20]), ("light()", [255, 255, 255], [255, 255, 255]),
    ("extra-light()", [255, 255, 255], [249, 249, 249]),
    ("dark()", [255, 255, 255], [89, 89, 89]),
    ("light()", [128, 128, 128], [167, 167, 167]),
    ("extra-light()", [128, 128, 128], [223, 223, 223]),
    ("dark()", [128, 128, 128], [55, 55, 55]),
    ("light()", [255, 0, 0], [255, 77, 77]), ("extra-light()", [255, 0, 0], [249, 198, 198]),
    ("dark()", [255, 0, 0], [89, 20, 20]), ("light()", [200, 120, 60], [255, 154, 79]),
    ("extra-light()", [200, 120, 60], [249, 220, 198]), ("dark()", [200, 120, 60], [89, 50, 21]),
  ]

  @Test(arguments: measured)
  func classicStylesAreAsMeasured(
    style: String, background: [Float], shown: [Float]
  ) async throws {
    let result = try await Self.flat(style, background.map { $0 / 255 })
    for channel in 0..<3 {
      #expect(abs(result[channel] - shown[channel]) <= 2, "\(style) \(background): \(result)")
    }
  }

  @Test(
    arguments: [
      ([1, 1, 1], [0.7, 0.7, 0.7]), ([0, 0, 0], [0.3, 0.3, 0.3]),
      ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
      ([1, 0, 0], [1, 0.215, 0.215]),
    ] as [([Float], [Float])])
  func iosBlurIsGPUImages(color: [Float], expected: [Float]) async throws {
    let result = try await Self.flat("ios-blur()", color)
    for channel in 0..<3 { #expect(abs(result[channel] - 255 * expected[channel]) < 1) }
  }

  /// CSS functions on rgb(200, 120, 60), by the formulas of Filter Effects 1.
  static let css: [(text: String, shown: [Float])] = [
    ("brightness(1.5)", [255, 180, 90]), ("contrast(2)", [255, 112.5, 0]),
    ("contrast(0)", [127.5, 127.5, 127.5]), ("grayscale(1)", [132.7, 132.7, 132.7]),
    ("invert(1)", [55, 135, 195]), ("saturate(0)", [132.7, 132.7, 132.7]),
    ("saturate(2)", [255, 107.3, 0]), ("sepia(1)", [182.2, 162.2, 126.3]),
    ("grayscale(150%)", [132.7, 132.7, 132.7]), ("invert(3)", [55, 135, 195]),
    ("hue-rotate(0deg)", [200, 120, 60]), ("hue-rotate(180deg)", [65.4, 145.4, 205.4]),
    ("brightness(2) brightness(0.5)", [127.5, 120, 60]),
  ]

  @Test(arguments: css)
  func cssFunctionsMeanWhatCSSSays(text: String, shown: [Float]) async throws {
    let result = try await Self.flat(text, [200 / 255, 120 / 255, 60 / 255])
    for channel in 0..<3 {
      #expect(abs(result[channel] - shown[channel]) <= 0.75, "\(text): \(result)")
    }
  }

  @Test func opacityMultipliesAlphaOnly() async throws {
    let image = TestImages.flat(3, 3, .rgb8, [0.8, 0.4, 0.2])
    let result = try await PropertyTests.run("opacity(25%)", image)
    #expect(result.format == .rgba8)
    #expect(Array(result.bytes.prefix(4)) == [204, 102, 51, 64])
  }

  @Test func aFullTintIsItsColorInLinearLightToo() async throws {
    let image = TestImages.noise(5, 5)
    let options = PlanOptions(linearLight: true)
    let result = try await PropertyTests.run("tint(#804020, 1)", image, options)
    #expect(Array(result.bytes.prefix(3)) == [128, 64, 32])
  }

  @Test func mixIsTheStrengthOfTheWholeEffect() async throws {
    let half = try await Self.flat("invert(1) mix(0.25)", [0, 0, 0])
    #expect(abs(half[0] - 63.75) <= 0.5)
  }
}
