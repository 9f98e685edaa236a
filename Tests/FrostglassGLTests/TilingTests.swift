import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Plans too large for a device run in parts, with the same bytes.
@Suite struct TilingTests {
  static let chain: FilterChain = [.gaussian(sigma: 6), .saturation(1.8)]

  @Test(arguments: Setup.allCases) func givesTheSameBytes(_ setup: Setup) async throws {
    let whole = try await GLBackend.shared(setup.options)
    var small = setup.options
    small.longestSide = 128
    let bySide = try await GLBackend.start(small)
    small = setup.options
    small.textureBytes = 1 << 20
    let byBytes = try await GLBackend.start(small)
    let kinds: [(PixelFormat, EdgeMode)] = [
      (.rgba8, .clamp), (.rgb8, .mirror), (.rgba8, .transparent),
      (.rgba8, .mirror), (.rgb8, .transparent), (PixelFormat(.rgba, .float32), .clamp),
    ]
    for (index, (format, edge)) in kinds.enumerated() where setup.takes(index) {
      let image = Image.noise(301, 257, format)
      let plan = try Self.chain.plan(for: Plan.Input(image), options: PlanOptions(edge: edge))
      let expected = try await whole.execute(plan, [image])
      #expect(try await bySide.execute(plan, [image]).bytes == expected.bytes, "\(format)")
      #expect(try await byBytes.execute(plan, [image]).bytes == expected.bytes, "\(format)")
      #expect(await byBytes.textureStatistics.peakBytes <= 1 << 20)
    }
  }

  @Test(arguments: Setup.allCases) func cutsLooksToo(_ setup: Setup) async throws {
    let whole = try await GLBackend.shared(setup.options)
    var small = setup.options
    small.longestSide = 160
    let tiled = try await GLBackend.start(small)
    let image = Image.noise(301, 257)
    for text in [
      "thin-dark(9px)", "glass(width=200px, height=150px, refraction=30px, dispersion=0.5)",
    ] {
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
      let expected = try await whole.execute(plan, [image])
      #expect(try await tiled.execute(plan, [image]).bytes == expected.bytes, "\(text)")
    }
  }

  @Test func runsImagesLongerThanATexture() async throws {
    let backend = try await GLBackend.shared(Setup.restrictedFragment.options)
    let image = Image.noise(5000, 3, .rgb8)
    let plan = try Self.chain.plan(for: Plan.Input(image))
    try await expectParity(backend, plan, [image], within: oneLevel)
  }

  @Test func refusesWhatCannotBeCutSmallEnough() async throws {
    let backend = try await GLBackend.start(GLOptions(textureBytes: 1000))
    let image = Image.noise(100, 100)
    let plan = try FilterChain([.gaussian(sigma: 50)]).plan(for: Plan.Input(image))
    await #expect(throws: BackendError.self) { try await backend.execute(plan, [image]) }
    #expect(await backend.textureStatistics.lentBytes == 0)
  }
}
