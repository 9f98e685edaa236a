import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Passes with kernels of any shape, alone, against the reference.
@Suite struct KernelParityTests {
  static let taps = [
    Stencil.Tap(dx: -3, dy: 2, weight: 0.25), Stencil.Tap(dx: 0, dy: 0, weight: 0.4),
    Stencil.Tap(dx: 4, dy: -1, weight: -0.1), Stencil.Tap(dx: 1, dy: 5, weight: 0.45),
  ]

  @Test(arguments: Setup.allCases, EdgeMode.allCases)
  func stencils(_ setup: Setup, edge: EdgeMode) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for size in PassParityTests.sizes {
      let image = Image.noise(size.width, size.height)
      let half = Size(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
      let double = Size(width: size.width * 2, height: size.height * 2)
      let phases = (0..<4).map { Array(Self.taps[$0...] + Self.taps[..<max($0 - 1, 0)]) }
      for (stencil, result) in [
        (Stencil(Self.taps), size), (Stencil(Self.taps, stride: 2), half),
        (Stencil(stride: 1, phases: 2, taps: phases), double),
      ] {
        let plan = try SmallPlans.chain(on: image, [.stencil(stencil)], edge: edge, size: result)
        try await expectParity(
          backend, plan, [image], within: floatTolerance, "\(size) to \(result) \(edge)")
      }
    }
  }

  /// As many taps as fit, and parts of images left of and above 0.
  @Test(arguments: Setup.allCases)
  func largeStencils(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(33, 21)
    let taps = (0..<1024).map { index in
      Stencil.Tap(dx: index % 32 - 16, dy: index / 32 - 16, weight: 1 / 1024)
    }
    let plan = try SmallPlans.chain(
      on: image, [.stencil(Stencil(taps))], edge: .wrap,
      rect: Rect(x: -45, y: -17, width: 50, height: 40))
    try await expectParity(backend, plan, [image], within: 5 * floatTolerance)
  }

  /// Positions are the same integers, also far out, where floats would be off.
  @Test(arguments: Setup.allCases, EdgeMode.allCases)
  func gathers(_ setup: Setup, edge: EdgeMode) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(31, 17)
    let views = [
      Gather.View(
        map: AffineMap(scale: 1, cosine: 0.96, sine: 0.28, aroundX: 12.3, y: 7.9), weight: 0.5),
      Gather.View(
        map: AffineMap(scale: 0.37, cosine: 1, sine: 0, aroundX: -4, y: 20.25), weight: 0.3),
      Gather.View(
        map: AffineMap(scale: 1, cosine: -1, sine: 1e-4, aroundX: 30000, y: 32000), weight: 0.2),
    ]
    for rect in [
      Rect(image.size), Rect(x: -40000, y: 29000, width: 23, height: 9),
      Rect(x: 45000, y: -31000, width: 9, height: 23),
    ] {
      let plan = try SmallPlans.chain(
        on: image, [.gather(Gather(views: views))], edge: edge, rect: rect)
      try await expectParity(backend, plan, [image], within: floatTolerance, "\(rect) \(edge)")
    }
  }

  @Test(arguments: Setup.allCases)
  func weights(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(31, 17)
    let weight = HighlightWeight(highlights: 9, luma: SIMD3(0.2, 0.7, 0.1))
    let plan = try SmallPlans.chain(on: image, [.highlightWeight(weight)])
    try await expectParity(backend, plan, [image], within: floatTolerance)
  }
}
