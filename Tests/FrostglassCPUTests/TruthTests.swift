import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// The promise of blur.md: `exact` is within 1 level of the true Gaussian, and the certified bound
/// is never exceeded.
struct TruthTests {
  static let sigmas: [Double] = [0.3, 0.7, 1.3, 2.7, 3.9, 4, 6.5, 8, 13, 20, 47, 100, 300]

  /// 8-bit images whose shapes and sizes are hard: odd, tiny, longer than wide.
  static var pictures: [(name: String, image: Image)] {
    [
      ("impulse", TestImages.impulse(61, 47)), ("step", TestImages.step(64, 33)),
      ("checkerboard", TestImages.checkerboard(50, 38)),
      ("large checkerboard", TestImages.checkerboard(67, 45, cell: 9)),
      ("noise", TestImages.noise(53, 71)), ("gray noise", TestImages.noise(40, 40, .gray8)),
      ("noise with alpha", TestImages.noise(31, 29, .rgba8)),
      ("one pixel", TestImages.noise(1, 1)), ("column", TestImages.noise(1, 37)),
      ("row", TestImages.noise(45, 1)), ("two by two", TestImages.noise(2, 2)),
    ]
  }

  @Test(arguments: EdgeMode.allCases)
  func exactIsWithinOneLevelInEightBits(edge: EdgeMode) async throws {
    // Half of them with each edge: each image has each σ with two edges at least.
    let place = EdgeMode.allCases.firstIndex(of: edge) ?? 0
    for (number, (name, image)) in Self.pictures.enumerated() {
      for (index, sigma) in Self.sigmas.enumerated() where (number + index + place) % 2 == 0 {
        try await expectTrue(image, sigma, edge, .high, name)
      }
    }
  }

  @Test(arguments: EdgeMode.allCases)
  func fastIsWithinTwoLevelsInEightBits(edge: EdgeMode) async throws {
    for (name, image) in Self.pictures {
      for sigma in [2.0, 4, 5.3, 6.1, 9, 24] {
        try await expectTrue(image, sigma, edge, .fast, name)
      }
    }
  }

  @Test(arguments: Photographs.names)
  func photographsAreWithinOneLevel(name: String) async throws {
    let image = try Photographs.load(name)
    let blurs: [(Double, EdgeMode)] = [
      (0.3, .clamp), (2, .mirror), (5, .wrap), (11.5, .transparent), (20, .clamp), (75, .mirror),
      (300, .clamp),
    ]
    // Half of them each, and the other half in the next.
    let place = Photographs.names.firstIndex(of: name) ?? 0
    for (index, (sigma, edge)) in blurs.enumerated() where (index + place) % 2 == 0 {
      try await expectTrue(image, sigma, edge, .high, name)
    }
  }

  @Test func thereAreEnoughPhotographs() {
    #expect(Photographs.names.count >= 5)
  }

  @Test func anisotropicBlursAreTrueOnBothAxes() async throws {
    let image = TestImages.noise(75, 58)
    for (x, y) in [(20.0, 5.0), (0, 12), (3, 0.4), (1, 40)] {
      let chain: FilterChain = [.gaussian(x: Sigma(x), y: Sigma(y))]
      let plan = try chain.plan(for: Plan.Input(image))
      let result = try await ReferenceBackend().execute(plan, [image])
      let truth = TruthImage(image).gaussian(x: x, y: y, edge: .clamp)
      try expectClose(result, truth.image(transfer: .encoded), within: 1, "σ \(x) and \(y)")
    }
  }

  @Test func linearLightIsTrueAfterTheCurve() async throws {
    let image = TestImages.noise(48, 39)
    for sigma in [1.5, 6, 20] {
      let options = PlanOptions(linearLight: true)
      let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
      let plan = try chain.plan(for: Plan.Input(image), options: options)
      let result = try await ReferenceBackend().execute(plan, [image])
      let truth = try Truth(options: options).run(chain, on: image, like: plan)
      try expectClose(result, truth, within: 1, "linear σ \(sigma)")
    }
  }

  @Test(arguments: [
    "light()", "dark()", "extra-light()", "ios-blur()", "blur(8px) saturate(180%) tint(white, 0.3)",
    "blur(6px) mix(0.4)", "sepia() blur(3px) contrast(1.4)",
  ])
  func looksAreWithinOneLevel(text: String) async throws {
    let image = TestImages.noise(90, 70)
    let chain = try FilterChain(text: text)
    let plan = try chain.plan(for: Plan.Input(image))
    let result = try await ReferenceBackend().execute(plan, [image])
    let truth = try Truth(options: PlanOptions()).run(chain, on: image, like: plan)
    try expectClose(result, truth, within: 1, text)
  }

  private func expectTrue(
    _ image: Image, _ sigma: Double, _ edge: EdgeMode, _ quality: PlanOptions.Quality,
    _ name: String
  ) async throws {
    let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
    let options = PlanOptions(edge: edge, quality: quality)
    let plan = try chain.plan(for: Plan.Input(image), options: options)
    let truth = try Truth(options: options).run(chain, on: image, like: plan)
    let label = "\(name) σ \(sigma) \(edge) \(quality)"

    // Before rounding: the certified bound.
    let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
    let float = try await ReferenceBackend().execute(unrounded, [image])
    // Dividing by alpha and multiplying again costs a few roundings.
    try expectClose(float, truth, within: plan.certifiedError.total + 1e-4, label)

    // After rounding: levels from the correctly rounded truth, where nothing is divided by alpha.
    guard plan.result.alpha == .opaque else { return }
    let rounded = try await ReferenceBackend().execute(plan, [image])
    try expectClose(rounded, truth.rounded, within: quality.tolerance + 1e-6, label)
  }
}

extension Image {
  /// The image in 8 bits, correctly rounded.
  fileprivate var rounded: Image {
    TestImages.make(size.width, size.height, PixelFormat(format.layout, .uint8)) { x, y, channel in
      sample(x: x, y: y, channel: channel)
    }
  }
}
