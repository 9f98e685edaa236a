import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Dither: bands go, everything else stays.
struct DitherTests {
  /// Whole levels are what they were.
  @Test(arguments: [PixelFormat.rgb8, .gray8, .rgba8], [false, true])
  func whatIsNotBlurredStays(format: PixelFormat, linearLight: Bool) async throws {
    let image = TestImages.noise(64, 64, format, seed: 21)
    let options = PlanOptions(linearLight: linearLight)
    let plan = try FilterChain(text: "dither()").plan(for: Plan.Input(image), options: options)
    for backend: any Backend in [ReferenceBackend(), FastBackend(threads: 2)] {
      let result = try await backend.execute(plan, [image])
      // Straight colors of nearly transparent pixels do not survive being premultiplied at all.
      if format.layout.hasAlpha {
        try expectClose(result, image, within: 1, "dither \(backend.name)")
      } else {
        #expect(result.bytes == image.bytes, "\(backend.name) linear \(linearLight)")
      }
    }
  }

  /// After a strong blur a mean over 16 × 16 pixels is the unrounded one: within 1/100 level for the
  /// noise's own steps and five standard deviations, 0.5 / 16 each, of what is random. Without noise
  /// it is off by up to half a level.
  @Test(arguments: [false, true])
  func neighborsMeanTheUnroundedValue(linearLight: Bool) async throws {
    let image = TestImages.make(512, 64, .gray8) { x, _, _ in x < 256 ? 0.3 : 0.31 }
    let options = PlanOptions(linearLight: linearLight)
    let blurred = try FilterChain(text: "blur(80px)").plan(
      for: Plan.Input(image), options: options)
    let exact = try await ReferenceBackend().execute(
      blurred.storing(as: PixelFormat(.gray, .float32)), [image])
    let rounded = try await ReferenceBackend().execute(blurred, [image])
    let dithered = try await PropertyTests.run("blur(80px) dither()", image, options)
    #expect(Self.largestMeanError(dithered, exact) < 0.01 + 5 * 0.5 / 16)
    #expect(Self.largestMeanError(rounded, exact) > 0.3)
    #expect(try ImageComparison(dithered, exact).maximum < 1)
  }

  /// In levels.
  private static func largestMeanError(_ image: Image, _ exact: Image) -> Double {
    var largest = 0.0
    for top in stride(from: 0, to: image.size.height, by: 16) {
      for left in stride(from: 0, to: image.size.width, by: 16) {
        var sum = 0.0
        for y in top..<top + 16 {
          for x in left..<left + 16 {
            sum += Double(
              image.sample(x: x, y: y, channel: 0) - exact.sample(x: x, y: y, channel: 0))
          }
        }
        largest = max(largest, abs(sum) / 256 * 255)
      }
    }
    return largest
  }

  /// Gray stays gray, and no noise depends on what is computed beside it.
  @Test func grayStaysGray() async throws {
    let image = TestImages.step(80, 20)
    let result = try await PropertyTests.run("blur(20px) dither()", image)
    var changed = 0
    let plain = try await PropertyTests.run("blur(20px)", image)
    for y in 0..<20 {
      for x in 0..<80 {
        let red = result.sample(x: x, y: y, channel: 0)
        #expect(result.sample(x: x, y: y, channel: 1) == red)
        #expect(result.sample(x: x, y: y, channel: 2) == red)
        if plain.sample(x: x, y: y, channel: 0) != red { changed += 1 }
      }
    }
    #expect(changed > 80)
  }
}
