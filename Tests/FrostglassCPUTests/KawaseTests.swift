import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

struct KawaseTests {
  private static let gray = PixelFormat(.gray, .float32)

  /// The second moment of a blurred line, in the mean over the phases of the smallest grid.
  @Test(arguments: [
    0.5, 0.6, 0.7, 0.85, 1, 1.3, 1.6, 1.7, 2, 2.5, 3, 3.7, 3.8, 5, 7, 7.8, 10, 15.4, 15.6, 20, 31,
    50, 62, 63, 100, 150, 200,
  ])
  func effectiveSigmaIsTheOneAskedFor(sigma: Double) async throws {
    let truth = GaussianKernel(sigma: sigma).secondMoment.squareRoot()
    let measured = try await effectiveSigma(sigma)
    #expect(abs(measured / truth - 1) < 0.002, "\(measured) \(truth)")
    if sigma >= 0.7 { #expect(abs(measured / sigma - 1) < 0.005, "\(measured)") }
  }

  private func effectiveSigma(_ sigma: Double) async throws -> Double {
    let side = Int(sigma * 12) + 41
    let chain: FilterChain = [.kawase(sigma: Sigma(sigma))]
    let size = Size(width: side, height: 1)
    let plan = try chain.plan(
      for: Plan.Input(size: size, format: Self.gray, alpha: .opaque, transfer: .encoded))
    let levels = plan.steps.count { step in
      if case .stencil(let stencil) = step.pass { stencil.stride > 1 } else { false }
    }
    let period = 1 << levels
    var variances: [Double] = []
    for offset in Swift.stride(from: 0, to: period, by: max(1, period / 16)) {
      let place = side / 2 + offset
      let image = TestImages.make(side, 1, Self.gray) { x, _, _ in x == place ? 1 : 0 }
      let result = try await ReferenceBackend().execute(plan, [image])
      var (mass, second) = (0.0, 0.0)
      for x in 0..<side {
        let value = Double(result.sample(x: x, y: 0, channel: 0))
        mass += value
        second += value * Double((x - place) * (x - place))
      }
      #expect(abs(mass - 1) < 0.01)
      variances.append(second)
    }
    return (variances.reduce(0, +) / Double(variances.count)).squareRoot()
  }

  /// The plan counts how far the shape is from a Gaussian's.
  @Test(arguments: [0.4, 0.65, 1, 1.7, 2.4, 3.8, 6, 7.8, 12, 16])
  func theCertifiedErrorHolds(sigma: Double) async throws {
    let images = [
      TestImages.noise(61, 43, Self.gray), TestImages.step(61, 43, Self.gray),
      TestImages.checkerboard(61, 43, cell: 3, Self.gray),
      TestImages.checkerboard(61, 43, cell: max(1, Int(sigma * 2)), Self.gray),
    ]
    for image in images {
      for edge in EdgeMode.allCases where edge != .transparent {
        let options = PlanOptions(edge: edge)
        let plan = try FilterChain([.kawase(sigma: Sigma(sigma))]).plan(
          for: Plan.Input(image), options: options)
        let truth = try Truth(options: options).run(
          [.gaussian(sigma: Sigma(sigma))], on: image, like: plan)
        let result = try await ReferenceBackend().execute(plan, [image])
        try expectClose(
          result, truth, within: plan.certifiedError.total, "kawase \(sigma) \(edge)")
      }
    }
  }

  @Test(arguments: PixelFormat.all, [EdgeMode.clamp, .mirror, .wrap])
  func constantsStayConstant(format: PixelFormat, edge: EdgeMode) async throws {
    let image = TestImages.flat(37, 23, format, [0.25, 0.5, 0.75, 1])
    for text in ["kawase(0.6)", "kawase(3)", "kawase(9)", "kawase(60)"] {
      let result = try await PropertyTests.run(text, image, PlanOptions(edge: edge))
      let tolerance = format.depth == .uint8 ? 0 : 5e-3
      try expectClose(result, image, within: tolerance, "\(text) \(format) \(edge)")
    }
  }

  /// Mirror images and transposed images are blurred alike.
  @Test func looksTheSameFromAllSides() async throws {
    let image = TestImages.noise(32, 32, Self.gray)
    let result = try await PropertyTests.run("kawase(5)", image)
    let turned = try await PropertyTests.run("kawase(5)", image.quarterTurned)
    try expectClose(turned, result.quarterTurned, within: 1e-3, "turned")
  }

  @Test func zeroChangesNothing() async throws {
    let image = TestImages.noise(12, 9)
    for text in ["kawase(0)", "kawase(0.1)"] {
      #expect(try await PropertyTests.run(text, image).bytes == image.bytes)
    }
  }
}

extension Image {
  fileprivate var quarterTurned: Image {
    TestImages.make(size.height, size.width, format, alpha: alpha) { x, y, channel in
      sample(x: size.width - 1 - y, y: x, channel: channel)
    }
  }
}
