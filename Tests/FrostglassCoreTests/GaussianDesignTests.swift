import FrostglassCore
import Testing

/// The arithmetic of blurs, without pixels.
struct GaussianDesignTests {
  static let sigmas: [Double] = [
    0.05, 0.3, 0.5, 0.7, 1, 1.9, 2, 3.3, 4, 5, 7.99, 8, 10, 16, 20, 33.3, 50, 99, 128, 300, 511,
    777, 1000,
  ]

  @Test(arguments: sigmas)
  func truthKernelIsNormalizedAndSymmetricallyStored(sigma: Double) {
    let kernel = GaussianKernel(sigma: sigma)
    let sum = kernel.weights.reduce(0) { $0 + 2 * $1 } - kernel.weights[0]
    #expect(abs(sum - 1) < 1e-12)
    #expect(Double(kernel.radius) >= 6 * sigma)
    #expect(zip(kernel.weights, kernel.weights.dropFirst()).allSatisfy { $0 > $1 })
  }

  /// The sampled kernel is narrower than σ by these amounts; docs/contribute/blur-mathematics.md has the table.
  @Test(arguments: [(0.3, -0.71), (0.5, -0.073), (0.7, -0.0012)])
  func truthKernelMomentIsBelowSigmaWhereItIsNarrow(sigma: Double, relative: Double) {
    let moment = GaussianKernel(sigma: sigma).secondMoment
    #expect(abs(moment.squareRoot() / sigma - 1 - relative) < abs(relative) * 0.08)
  }

  @Test(arguments: sigmas, [0.86, 0.43, 0.1, 0.02])
  func designMeetsItsBudget(sigma: Double, budget: Double) {
    let design = GaussianDesign.cheapest(sigma: sigma, budget: budget, taps: .float)
    #expect(design.bound <= budget)
    expectTaps(design)
  }

  /// Fixed-point taps meet the usual budget and add up to exactly 1.
  @Test(arguments: sigmas)
  func fixedTapsMeetTheUsualBudgetExactly(sigma: Double) {
    let design = GaussianDesign.cheapest(sigma: sigma, budget: 0.43, taps: .fixed)
    #expect(design.bound <= 0.43)
    expectTaps(design)
    let sides = design.taps.dropFirst().map { $0 * 65536 }
    #expect(sides.allSatisfy { $0 == $0.rounded() })
    #expect(design.taps[0] * 32768 + sides.reduce(0, +) == 32768)
  }

  private func expectTaps(_ design: GaussianDesign) {
    #expect(design.taps.allSatisfy { $0 >= 0 })
    let sum = design.taps.dropFirst().reduce(Double(design.taps[0])) { $0 + 2 * Double($1) }
    #expect(abs(sum - 1) < 1e-6)
  }

  /// The bound is recomputed here the slow way: from the composite kernel of the plan's own passes.
  @Test(arguments: [4.0, 5.5, 8, 11, 20, 47, 90])
  func boundIsTheCompositeKernelsDistanceFromTruth(sigma: Double) {
    let design = GaussianDesign.cheapest(sigma: sigma, budget: 0.43, taps: .fixed)
    let factor = 1 << design.levels
    let reach = Int(7 * sigma) + 8 * factor
    var worst = 0.0
    for phase in 0..<factor {
      let composite = responses(of: design, at: phase, reach: reach)
      let truth = GaussianKernel(sigma: sigma)
      var positive = 0.0
      var negative = 0.0
      for (x, weight) in composite {
        let distance = abs(x - phase)
        let expected = distance <= truth.radius ? truth.weights[distance] : 0
        positive += max(weight - expected, 0)
        negative += max(expected - weight, 0)
      }
      worst = max(worst, 255 * max(positive, negative))
    }
    #expect(abs(worst - design.bound) < 1e-3)
  }

  /// Weights of the input samples in the output sample at `phase`, by following the passes back.
  private func responses(
    of design: GaussianDesign, at phase: Int, reach: Int
  ) -> [(x: Int, weight: Double)] {
    var weights: [Int: Double] = [:]
    let growing = PyramidKernel(levels: design.levels).growing
    let start = growing.start(of: phase)
    for (offset, tap) in growing.phases[start.phase].taps.enumerated() {
      weights[start.source + offset, default: 0] += Double(tap)
    }
    var next: [Int: Double] = [:]
    for (index, weight) in weights {
      for distance in -design.radius...design.radius {
        next[index + distance, default: 0] += weight * Double(design.taps[abs(distance)])
      }
    }
    weights = next
    for _ in 0..<design.levels {
      next = [:]
      for (index, weight) in weights {
        for (offset, tap) in [0.125, 0.375, 0.375, 0.125].enumerated() {
          next[2 * index - 1 + offset, default: 0] += weight * tap
        }
      }
      weights = next
    }
    return (-reach...reach + phase).map { ($0, weights[$0] ?? 0) }
  }

  /// Effective σ of the composite, promised within 0.5 %.
  @Test(arguments: sigmas.filter { $0 >= 0.7 })
  func secondMomentIsSigmaSquared(sigma: Double) {
    let design = GaussianDesign.cheapest(sigma: sigma, budget: 0.43, taps: .fixed)
    var variance = design.taps.enumerated().reduce(0.0) { sum, tap in
      sum + 2 * Double(tap.offset * tap.offset) * Double(tap.element)
    }
    // Halvings add 3/4 at each scale, (f² - 1)/4 together; growing adds the same on average.
    let factor = Double(1 << design.levels)
    variance = variance * factor * factor + (factor * factor - 1) / 2
    #expect(abs(variance.squareRoot() / sigma - 1) < 0.005)
  }

  @Test func tinySigmaIsIdentity() {
    #expect(GaussianDesign.cheapest(sigma: 0, budget: 0.4, taps: .fixed).isIdentity)
    #expect(GaussianDesign.cheapest(sigma: 0.03, budget: 0.4, taps: .fixed).isIdentity)
    #expect(!GaussianDesign.cheapest(sigma: 0.031, budget: 0.4, taps: .fixed).isIdentity)
  }

  @Test(arguments: 1...8)
  func growingKeepsAConstantConstant(levels: Int) {
    for phase in PyramidKernel(levels: levels).growing.phases {
      #expect(abs(phase.taps.reduce(0, +) - 1) < 1e-6)
    }
  }
}
