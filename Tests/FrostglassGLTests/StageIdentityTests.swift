import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Fragment and compute are one text: they give the same bytes.
@Suite struct StageIdentityTests {
  @Test(arguments: PlanOptions.Quality.allCases)
  func givesTheSameBytes(_ quality: PlanOptions.Quality) async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    let others = try await others()
    for (number, format) in PixelFormat.all.enumerated() {
      let image = Image.noise(203, 117, format)
      for (index, edge) in EdgeMode.allCases.enumerated()
      where (number + index) % 2 == (quality == .high ? 0 : 1) {
        // Each format with each edge in one quality; each of these has both kinds of light.
        let linear = (number / 2 + index / 2) % 2 == 1
        let options = PlanOptions(edge: edge, quality: quality, linearLight: linear)
        let chain: FilterChain = [.gaussian(sigma: 9), .saturation(1.8)]
        let plan = try chain.plan(for: Plan.Input(image), options: options)
        let first = try await fragment.execute(plan, [image])
        for (setup, other) in others {
          let second = try await other.execute(plan, [image])
          #expect(first.bytes == second.bytes, "\(setup) \(format) \(edge) \(linear)")
        }
      }
    }
  }

  private func others() async throws -> [(Setup, GLBackend)] {
    var others: [(Setup, GLBackend)] = []
    for setup in [Setup.compute, .specializedFragment, .specializedCompute, .blocked, .windows] {
      others.append((setup, try await GLBackend.shared(setup.options)))
    }
    return others
  }

  /// Shapes of changes of scale and of convolutions that blocks are cut from: several phases,
  /// several σ, sizes that no block divides.
  @Test(arguments: [1.2, 3, 5, 8, 20, 47, 110])
  func blocksAreCutAnywhere(_ sigma: Double) async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    let setups = [Setup.blocked, .windows]
    for (width, height) in [(1, 1), (7, 300), (300, 7), (129, 131)] {
      let image = Image.noise(width, height)
      // A border of each kind at one size: each is a program of its own.
      for edge in width == 129 ? EdgeMode.allCases : [height == 300 ? .transparent : .clamp] {
        let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
        let plan = try chain.plan(for: Plan.Input(image), options: PlanOptions(edge: edge))
        let expected = try await fragment.execute(plan, [image])
        for setup in setups {
          let actual = try await GLBackend.shared(setup.options).execute(plan, [image])
          #expect(expected.bytes == actual.bytes, "\(setup) \(width)×\(height) \(edge)")
        }
      }
    }
  }

  /// Every path of the catalog with defaults, on every way of running it.
  /// Programs for single lengths and edges would be many: the parity tests see to them.
  @Test(arguments: [Setup.fragment, .compute, .restrictedFragment, .restrictedCompute])
  func runsTheCatalog(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for (index, filter) in Catalog.codePaths.enumerated() {
      // As little as a device may have changes nothing of formats: there they take turns.
      let formats = [PixelFormat.rgba8, .gray8, PixelFormat(.rgb, .uint16)]
      for format in setup.options.restrictToES31Minimum ? [formats[index % 3]] : formats {
        let image = Image.noise(90, 61, format)
        let plan = try FilterChain(filter).plan(for: Plan.Input(image))
        try await expectParity(
          backend, plan, [image], within: format.depth == .uint8 ? oneLevel : 0.25,
          "\(filter.name) \(format)")
      }
    }
  }
}
