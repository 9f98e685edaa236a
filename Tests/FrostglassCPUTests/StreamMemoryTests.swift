import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// What a stream takes is never more than was said before.
struct StreamMemoryTests {
  private static let chains = [
    "gaussian(0.7)", "gaussian(6)", "gaussian(60)", "box(9, 3)", "box(30)", "triple-box(6px)",
    "kawase(9)", "median(1)", "median(6)", "median(20)", "bilateral(2)", "lens(12px)",
    "lens(30px)", "motion(50px, 20deg)", "zoom()", "spin()", "grain(0.2, 6px, colored)", "dither()",
    "pixelate(9px)", "pixelate(9px, hexagon)", "selective-blur(12px)", "tilt-shift(9px)",
    "progressive-blur(30px)", "chrome-dark(7px)", "mix(0.4)",
    "blur(4px) median(2) blur(12px) saturate(1.3) box(4, 3) median(3) kawase(3)",
  ]

  @Test(arguments: chains, [false, true])
  func rowsTakeWhatWasSaid(text: String, linearLight: Bool) throws {
    for format in [PixelFormat.gray8, .rgb8, .rgba8] {
      for width in [40, 1500] {
        let image = TestImages.noise(width, 90, format, seed: 1)
        let plan = try FilterChain(text: text).plan(
          for: Plan.Input(image), options: PlanOptions(linearLight: linearLight))
        try expectEnough(plan, image, "\(text) \(format) \(width)")
      }
    }
  }

  /// Gray that becomes smaller by many taps keeps where each column begins to read, and its taps.
  @Test func smallerGrayTakesWhatWasSaid() throws {
    let design = CanvasDesign(
      picture: Size(width: 4000, height: 120), canvas: Size(width: 800, height: 100),
      place: Rect(x: 0, y: 38, width: 800, height: 24),
      cover: Rect(x: 304, y: 0, width: 192, height: 24), radius: 0, sigma: 4, dim: 0.3,
      saturation: 0.8, shadow: 0.4)
    let plan = try design.plan(for: .gray8)
    try expectEnough(plan, TestImages.noise(4000, 120, .gray8, seed: 1), "canvas")
  }

  private func expectEnough(_ plan: Plan, _ image: Image, _ label: String) throws {
    for threads in [1, 2, 3] {
      let backend = FastBackend(threads: threads)
      guard backend.streams(plan) else { continue }
      let taken = backend.streamMemory(of: plan, ImageSource(image), ImageRows(plan.result))
      #expect(taken <= backend.memory(for: plan, byRows: true), "\(label), \(threads) threads")
    }
  }
}
