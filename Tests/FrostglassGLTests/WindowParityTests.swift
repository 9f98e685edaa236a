import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Passes that pick, sort, tile and hash, on every way of running them.
@Suite struct WindowParityTests {
  /// Nothing is computed but which sample it is, so nothing may differ.
  @Test(arguments: Setup.allCases)
  func mediansAreTheSameBytes(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let windows: [(PixelFormat, Int)] = [
      (.rgb8, 7), (.gray8, 3), (.rgb8, 1), (.rgb8, 15), (.rgba8, 4),
    ]
    for (format, radius) in windows {
      let image = Image.noise(23, 19, format, alpha: .premultiplied)
      for edge in EdgeMode.allCases {
        let plan = try FilterChain([.median(radius: radius)]).plan(
          for: Plan.Input(image), options: PlanOptions(edge: edge))
        try await expectParity(backend, plan, [image], within: 0, "\(format) \(radius) \(edge)")
      }
    }
  }

  /// Floats are picked with all their bits.
  @Test(arguments: Setup.allCases)
  func mediansOfFloatsAreTheSame(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(21, 17, PixelFormat(.rgba, .float32), alpha: .premultiplied)
    let pass = Pass.median(Median(radius: 2, rank: 9))
    let plan = try SmallPlans.chain(on: image, [pass], edge: .mirror)
    try await expectParity(backend, plan, [image], within: 0)
  }

  @Test(arguments: Setup.allCases)
  func mosaicsPutPixelsIntoTheSameCells(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    // Large coordinates, where floats no longer count half pixels.
    for (width, height) in [(61, 47), (5000, 3), (1, 1)] {
      let image = Image.noise(width, height, PixelFormat(.rgb, .float32))
      for size in [2, 5, 12, 300] {
        for shape in FilterChain.CellShape.allCases {
          let plan = try FilterChain([.pixelate(size: Length(Double(size)), shape: shape)])
            .plan(for: Plan.Input(image))
          try await expectParity(
            backend, plan, [image], within: 0.01, "\(width)×\(height) \(shape) \(size)")
        }
      }
    }
  }

  @Test(arguments: Setup.allCases)
  func grainIsTheSame(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(70, 50, PixelFormat(.rgba, .float32), alpha: .premultiplied)
    for size in [1, 2, 7, 64] {
      for tone in FilmGrain.Tone.allCases {
        let filter = FilmGrain(amount: 0.3, size: Length(Double(size)), tone: tone, seed: 999_999)
        let plan = try FilterChain(filter).plan(for: Plan.Input(image))
        try await expectParity(backend, plan, [image], within: 0.001, "\(size) \(tone)")
      }
    }
  }

  /// Whole levels stay whole levels, also where slots hold 16 bits.
  @Test(arguments: Setup.allCases)
  func ditherLeavesWholeLevels(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(64, 64, .rgb8)
    let plan = try FilterChain([.dither]).plan(for: Plan.Input(image))
    let result = try await backend.execute(plan, [image])
    #expect(result.bytes == image.bytes)
  }

  @Test(arguments: Setup.allCases)
  func bilateralsOfFloatsAgree(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(31, 22, PixelFormat(.rgba, .float32), alpha: .premultiplied)
    for text in ["bilateral(2px, 0.05)", "bilateral-separable(80px, 0.4)", "gpuimage-bilateral()"] {
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
      try await expectParity(backend, plan, [image], within: 0.005, "\(text)")
    }
  }
}
