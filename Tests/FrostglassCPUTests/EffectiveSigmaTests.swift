import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// σ means what it says: the second moment of a blurred impulse, measured on float output.
struct EffectiveSigmaTests {
  @Test(arguments: [0.7, 1, 1.7, 2, 3, 4, 5, 7.3, 8, 10, 16, 20, 32, 50])
  func isWithinHalfAPercent(sigma: Double) async throws {
    let measured = try await effectiveSigma(sigma)
    #expect(abs(measured / sigma - 1) < 0.005, "\(measured)")
  }

  @Test(arguments: [0.1, 0.3, 0.5, 0.6])
  func isTheTruthKernelsOwnBelow(sigma: Double) async throws {
    let measured = try await effectiveSigma(sigma)
    let truth = GaussianKernel(sigma: sigma).secondMoment.squareRoot()
    #expect(abs(measured - truth) < 0.005 * max(truth, 0.01), "\(measured) \(truth)")
  }

  /// The mean over the phases of the grid, as an impulse anywhere must be blurred alike.
  private func effectiveSigma(_ sigma: Double) async throws -> Double {
    let side = Int(sigma * 14) + 41
    let format = PixelFormat(.gray, .float32)
    let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
    var variances: [Double] = []
    for offset in 0..<16 {
      var image = Image(zeros: Size(width: side, height: 3), format: format)
      for y in 0..<3 { image.setSample(1, x: side / 2 + offset, y: y, channel: 0) }
      let plan = try chain.plan(for: Plan.Input(image))
      let result = try await ReferenceBackend().execute(plan, [image])
      var mass = 0.0
      var first = 0.0
      var second = 0.0
      for x in 0..<side {
        let value = Double(result.sample(x: x, y: 1, channel: 0))
        mass += value
        first += value * Double(x)
        second += value * Double(x * x)
      }
      variances.append(second / mass - (first / mass) * (first / mass))
      #expect(abs(mass - 1) < 1e-3)
      #expect(abs(first / mass - Double(side / 2 + offset)) < 0.02 * max(sigma, 1))
    }
    return (variances.reduce(0, +) / Double(variances.count)).squareRoot()
  }
}
