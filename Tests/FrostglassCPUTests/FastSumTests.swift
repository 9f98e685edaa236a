import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Sums and numbers that fixed point forms for whole rows: what the reference means by them, from every
/// instruction set and in parts.
struct FastSumTests {
  private static let boxes = [
    "box(1)", "box(1, 3)", "box(2, 4)", "box(7, 2)", "box(20, 3)", "box(24, 3)", "box(25, 3)",
    "box(60, 10)", "box(180, 2)", "box(190, 2)", "box(1000)", "box(3) box(5, 2)",
    "triple-box(1)", "triple-box(2)", "triple-box(9px)", "triple-box(10px)", "triple-box(40px)",
  ]
  private static let grains = [
    "grain(0.2)", "grain(1, seed=9)", "grain(0.3, 2px)", "grain(0.1, 7px, colored)",
    "grain(0.2, 64px, seed=3)", "blur(3px) dither()", "blur(3px) grain(0.1, tone=colored)",
  ]

  private static let shapes = [
    "lens(2px)", "lens(7px, highlights=0)", "lens(12px)", "lens(6px, polygon, 5, 13deg)",
    "lens(15px, polygon, 6, highlights=0)", "lens(40px)", "motion(9px, 30deg)",
    "motion(60px, 30deg)", "motion(60px, 100deg)", "motion(300px, 45deg)", "motion(31px, 0deg)",
    "kawase(0.6)", "kawase(2)", "kawase(10)", "kawase(30)",
  ]

  @Test(arguments: boxes + grains + shapes, EdgeMode.allCases)
  func anySizeIsTheReferences(text: String, edge: EdgeMode) async throws {
    // Half of the images with each edge: each has each filter with two edges at least.
    let place = EdgeMode.allCases.firstIndex(of: edge) ?? 0
    for (number, (image, label)) in Self.pictures.enumerated() where (number + place) % 2 == 0 {
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
      let expected = try await ReferenceBackend().execute(unrounded, [image])
      let actual = try await FastBackend(threads: 2).execute(unrounded, [image])
      try expectClose(
        actual, expected, within: plan.certifiedError.arithmetic + 0.001, "\(text) \(label)")
      let bytes = try await FastBackend(threads: 1, instructions: .portable).execute(plan, [image])
      for instructions in InstructionSet.allCases {
        let other = try await FastBackend(threads: 3, instructions: instructions).execute(
          plan, [image])
        #expect(other.bytes == bytes.bytes, "\(text) \(label) \(instructions)")
      }
      let rows = try await FastBackend(threads: 2).executeRows(plan, image)
      #expect(rows.bytes == bytes.bytes, "\(text) \(label), rows")
    }
  }

  /// A part has the bytes of the whole, wherever its sums begin.
  @Test(arguments: [
    "box(9, 3)", "triple-box(8px)", "box(40, 2)", "grain(0.2, 3px)", "lens(9px)", "lens(33px)",
    "motion(40px, 25deg)", "kawase(7)",
  ])
  func partsAreThoseOfTheWhole(text: String) async throws {
    let image = TestImages.noise(90, 70, seed: 4)
    for edge in EdgeMode.allCases {
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      let backend = FastBackend(threads: 2)
      let whole = try await backend.execute(plan, [image])
      let rect = Rect(x: 31, y: 17, width: 23, height: 40)
      let part = try await backend.execute(try plan.cropped(to: rect), [image])
      for y in 0..<rect.height {
        for x in 0..<rect.width {
          for channel in 0..<3 {
            #expect(
              part.sample(x: x, y: y, channel: channel)
                == whole.sample(x: rect.x + x, y: rect.y + y, channel: channel), "\(text) \(edge)")
          }
        }
      }
    }
  }

  /// Means of white are white, of black black, and of any gray that gray.
  @Test(arguments: boxes + shapes)
  func constantsStay(text: String) async throws {
    for level in [0, 1.0 / 255, 0.5, 254.0 / 255, 1] {
      let image = TestImages.flat(61, 40, .rgba8, [Float(level), 1, 0, 1])
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(image), options: PlanOptions(edge: .mirror))
      let result = try await FastBackend(threads: 2).execute(plan, [image])
      #expect(result.bytes == image.bytes, "\(text) \(level)")
    }
  }

  private static let pictures = [
    (TestImages.noise(83, 57, seed: 1), "colors"),
    (TestImages.noise(41, 66, .gray8, seed: 2), "gray"),
    (TestImages.noise(150, 37, .rgba8, alpha: .premultiplied, seed: 3), "alpha"),
    (TestImages.noise(39, 45, PixelFormat(.rgba, .uint16), alpha: .straight, seed: 5), "16 bit"),
    (TestImages.noise(1, 9, seed: 6), "column"), (TestImages.noise(2, 1, seed: 7), "row"),
  ]
}
