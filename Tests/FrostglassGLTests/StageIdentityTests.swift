import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Fragment and compute are one text: they give the same bytes.
@Suite struct StageIdentityTests {
  @Test(arguments: Quality.allCases)
  func givesTheSameBytes(_ quality: Quality) async throws {
    let fragment = try await GLBackend.start(GLOptions(stage: .fragment))
    let compute = try await GLBackend.start(GLOptions(stage: .compute))
    for format in PixelFormat.all {
      let image = Image.noise(203, 117, format)
      for edge in EdgeMode.allCases {
        for linear in [false, true] {
          let options = PlanOptions(edge: edge, quality: quality, linearLight: linear)
          let chain: FilterChain = [.gaussian(sigma: 9), .saturation(1.8)]
          let plan = try chain.plan(for: Plan.Input(image), options: options)
          let first = try await fragment.execute(plan, [image])
          let second = try await compute.execute(plan, [image])
          #expect(first.bytes == second.bytes, "\(format) \(edge) \(linear)")
        }
      }
    }
  }

  /// Every filter of the catalog with its defaults, on every way of running it.
  @Test(arguments: Setup.allCases)
  func runsTheCatalog(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    for filter in Catalog.filters {
      for format in [PixelFormat.rgba8, .gray8, PixelFormat(.rgb, .uint16)] {
        let image = Image.noise(90, 61, format)
        let plan = try FilterChain([filter.init()]).plan(for: Plan.Input(image))
        try await expectParity(
          backend, plan, [image], within: format.depth == .uint8 ? oneLevel : 0.25,
          "\(filter.info.name) \(format)")
      }
    }
  }
}
