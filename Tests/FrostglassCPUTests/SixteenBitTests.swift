import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Images of 16 bits with the quality `exact16`.
struct SixteenBitTests {
  private static let options = PlanOptions(edge: .mirror, quality: .exact16)
  private static let gray = PixelFormat(.gray, .uint16)

  private func blurred(_ image: Image, _ sigma: Double) async throws -> Image {
    let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
    let plan = try chain.plan(for: Plan.Input(image), options: Self.options)
    return try await FastBackend(threads: 1).execute(plan, [image])
  }

  @Test(arguments: [0.7, 2, 5.1, 20, 90]) func constantsKeepTheirCode(sigma: Double) async throws {
    // 257 is no factor of the step, so all remainders of an 8-bit level occur.
    for code in stride(from: 0, through: 65535, by: 1009) {
      var image = Image(zeros: Size(width: 9, height: 4), format: Self.gray)
      for (x, y) in (0..<9).flatMap({ x in (0..<4).map { (x, $0) } }) {
        image.setSample(Float(code) / 65535, x: x, y: y, channel: 0)
      }
      let result = try await blurred(image, sigma)
      #expect(result.bytes == image.bytes, "\(code)")
    }
  }

  @Test(arguments: [0.7, 2, 5.1, 20, 90]) func gaussiansAreAtMostOneCodeOff(sigma: Double)
    async throws
  {
    let image = TestImages.noise(150, 90, Self.gray)
    let truth = TruthImage(image).gaussian(x: sigma, y: sigma, edge: .mirror)
    let comparison = try ImageComparison(
      try await blurred(image, sigma), truth.image(transfer: .encoded))
    // Half a code more: the truth is not rounded.
    #expect(comparison.maximum * 257 <= 1.5, "\(comparison.maximum * 257)")
    // The quality `exact` is not that close: the test can tell.
    let usual = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(
      for: Plan.Input(image), options: PlanOptions(edge: .mirror))
    let rough = try ImageComparison(
      try await FastBackend(threads: 1).execute(usual, [image]), truth.image(transfer: .encoded))
    #expect(rough.maximum * 257 > 1.5)
  }
}
