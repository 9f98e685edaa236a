import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Rows that are grown and stored as 8 bits in one step: of every factor, around the ends of vectors, in parts that
/// begin anywhere, with every instruction set, between pages that cannot be touched.
struct GrownStoreTests {
  private static let formats = [PixelFormat.gray8, .rgb8, .rgba8]

  /// Shrunk by 2 to 64.
  @Test(arguments: [4.2, 6, 11, 20, 50, 100, 200], formats)
  func everyInstructionSetStoresTheReference(sigma: Double, format: PixelFormat) async throws {
    let backends = InstructionSet.allCases.map {
      FastBackend(threads: 1, instructions: $0, guardedWith: 0x5A)
    }
    for width in [1, 31, 64, 65, 200, 333] {
      let image = TestImages.noise(
        width, 23, format, alpha: format == .rgba8 ? .premultiplied : .opaque)
      let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: Plan.Input(image))
      let expected = try await ReferenceBackend().execute(plan, [image])
      let whole = try await backends[0].execute(plan, [image])
      try expectClose(whole, expected, within: 1, "\(format) σ \(sigma), \(width) wide")
      for (backend, instructions) in zip(backends, InstructionSet.allCases) {
        let other = try await backend.execute(plan, [image])
        #expect(other.bytes == whole.bytes, "\(instructions), \(width) wide")
        for x in [1, 17, 63, 131] where x < width {
          let part = Rect(x: x, y: 3, width: min(width - x, 90), height: 7)
          let cropped = try await backend.execute(plan.cropped(to: part), [image])
          #expect(cropped.bytes == whole.bytes(in: part), "\(instructions), \(width) wide, \(x)")
        }
      }
    }
  }
}
