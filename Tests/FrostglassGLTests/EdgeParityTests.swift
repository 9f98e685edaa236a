import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Reading outside images, far to every side, against the reference.
@Suite struct EdgeParityTests {
  static let far = [-1000, -65, -1, 0, 7, 64, 999]

  /// One backend for all edges: starting one takes longer than a small image.
  @Test(arguments: Setup.allCases) func readsFarOutside(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for edge in EdgeMode.allCases { try await readsFarOutside(backend, edge) }
  }

  private func readsFarOutside(_ backend: GLBackend, _ edge: EdgeMode) async throws {
    for size in [(1, 1), (1, 9), (8, 1), (7, 5), (16, 16)] {
      let image = Image.noise(size.0, size.1)
      for x in Self.far {
        for y in [Self.far[0], x, 3] {
          // A pass that looks along one axis only takes rows in place, of an image that has them.
          let plan = try SmallPlans.chain(
            on: image,
            [
              .resample(Resample(x: .identity, y: .identity)),
              .convolve(Convolve(axis: .x, taps: [0.5, 0.15, 0.1])),
            ], edge: edge, rect: Rect(x: x, y: y, width: 11, height: 6))
          try await expectParity(
            backend, plan, [image], within: floatTolerance, "\(size) \(edge) at \(x), \(y)")
        }
      }
    }
  }

  @Test(arguments: Setup.allCases) func blursAsTheReferenceDoes(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let levels = setup == .restrictedFragment ? 0.05 : 1e-3
    let place = Setup.allCases.firstIndex(of: setup) ?? 0
    for (index, edge) in EdgeMode.allCases.enumerated() {
      // Half of the blurs for each setup and edge: with each edge, the setups of one kind have all of them.
      try await blurs(
        backend, edge, of: [[0.3, 7], [2, 40]][(place / 2 + index) % 2],
        wide: (place + index) % Self.blurred.count, within: levels)
    }
  }

  private static let blurred = [(1, 1), (1, 40), (33, 1), (41, 31)]

  /// - Parameters:
  ///   - sigmas: of the largest image.
  ///   - wide: which image has a blur that reaches far beyond it. Most of that is the same pass on what is made
  ///     of the edge, so each setup and edge has one, and each size with each edge two.
  private func blurs(
    _ backend: GLBackend, _ edge: EdgeMode, of sigmas: [Double], wide: Int, within levels: Double
  ) async throws {
    for (number, (width, height)) in Self.blurred.enumerated() {
      let image = Image.noise(width, height)
      // Of a single row or column each side has the same few samples.
      let sigmas = height == 31 ? sigmas : [2]
      for sigma in sigmas + (number == wide ? [300] : []) {
        let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(
          for: Plan.Input(image), options: PlanOptions(edge: edge)
        ).storing(as: PixelFormat(.rgba, .float32))
        try await expectParity(
          backend, plan, [image], within: levels, "\(width)×\(height) σ \(sigma) \(edge)")
      }
    }
  }
}
