import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Zooms and spins of any size and layout, with every instruction set and in parts.
@Suite struct GatherTests {
  static let sizes = [(1, 1), (7, 3), (129, 5), (131, 67), (260, 31)]
  static let chains = [
    "zoom(amount=0.4)", "zoom(0.1, 1, 1)", "spin(angle=25deg)", "spin(0, 0.3, 360deg)",
  ]

  @Test(arguments: chains, EdgeMode.allCases)
  func anyImageIsTheReference(text: String, edge: EdgeMode) async throws {
    let chain = try FilterChain(text: text)
    for (number, (width, height)) in Self.sizes.enumerated() {
      for format in [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.gray, .uint16)] {
        let image = TestImages.noise(width, height, format, seed: UInt64(number))
        let plan = try chain.plan(for: Plan.Input(image), options: PlanOptions(edge: edge))
        let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
        let expected = try await ReferenceBackend().execute(unrounded, [image])
        try expectClose(
          try await FastBackend(threads: 2).execute(unrounded, [image]), expected,
          within: plan.certifiedError.arithmetic + 0.001, "\(text) \(edge) \(image.size) \(format)")
      }
    }
  }

  @Test(arguments: chains, [PixelFormat.gray8, .rgba8])
  func instructionsThreadsAndPartsChangeNothing(text: String, format: PixelFormat) async throws {
    let chain = try FilterChain(text: text)
    for (number, (width, height)) in Self.sizes.enumerated() {
      let image = TestImages.noise(width, height, format, seed: UInt64(number))
      let edge = EdgeMode.allCases[number % EdgeMode.allCases.count]
      let plan = try chain.plan(for: Plan.Input(image), options: PlanOptions(edge: edge))
      let expected = try await FastBackend(threads: 1).execute(plan, [image])
      for backend in [
        FastBackend(threads: 3), FastBackend(threads: 1, instructions: .baseline),
        FastBackend(threads: 2, instructions: .portable),
        FastBackend(threads: 2, instructions: .narrow),
        FastBackend(threads: 2, instructions: .best, guardedWith: 0x5A),
        FastBackend(threads: 1, instructions: .baseline, guardedWith: 0xA5),
      ] {
        let made = try await backend.execute(plan, [image])
        #expect(made.bytes == expected.bytes, "\(image.size) \(edge) \(backend.instructions)")
      }
      let rect = Rect(x: width / 3, y: height / 2, width: width / 2 + 1, height: 1)
        .intersection(Rect(x: 0, y: 0, width: width, height: height))
      let part = try await FastBackend(threads: 2).execute(try plan.cropped(to: rect), [image])
      #expect(part.bytes == expected.part(rect), "\(image.size) \(edge)")
    }
  }
}
