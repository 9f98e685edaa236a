import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Loading and storing every format, against the reference.
@Suite struct FormatParityTests {
  @Test(arguments: Setup.allCases)
  func loadsAndStoresEveryFormat(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for format in PixelFormat.all {
      for alpha in AlphaMode.allCases where format.layout.hasAlpha || alpha == .opaque {
        let image = Image.noise(19, 7, format, alpha: alpha)
        for linear in [false, true] {
          for output in [format, .rgba8, PixelFormat(.rgb, .uint16)] {
            let plan = try FilterChain([]).plan(
              for: Plan.Input(image), options: PlanOptions(linearLight: linear)
            ).storing(as: output)
            try await expectParity(
              backend, plan, [image], within: Self.tolerance(output, setup),
              "\(format) \(alpha) \(linear ? "linear" : "encoded") to \(output)")
          }
        }
      }
    }
  }

  /// A sample that lies between two steps may be rounded to either; float has no steps.
  static func tolerance(_ output: PixelFormat, _ setup: Setup) -> Double {
    switch output.depth {
    case .uint8: oneLevel
    // Half a level where linear light near black goes through 16 bits.
    case .uint16: setup == .restrictedFragment ? 0.6 : 0.005
    case .float32: 5e-4
    }
  }

  @Test(arguments: Setup.allCases)
  func keepsEightBitsExactly(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for layout in PixelFormat.Layout.allCases {
      let image = Image.noise(256, 5, PixelFormat(layout, .uint8), alpha: .premultiplied)
      let plan = try FilterChain([]).plan(for: Plan.Input(image))
      let result = try await backend.execute(plan, [image])
      #expect(result.bytes == image.bytes, "\(layout)")
    }
  }

  @Test(arguments: Setup.allCases)
  func readsRowsWithGaps(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for format in PixelFormat.all {
      let image = Image.noise(13, 9, format, alpha: .premultiplied)
      let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
      let expected = try await backend.execute(plan, [image])
      for gap in [1, 2, 4, 12, 48] {
        let result = try await backend.execute(plan, [try image.padded(by: gap)])
        #expect(result.bytes == expected.bytes, "\(format), \(gap) bytes between rows")
      }
    }
  }

  @Test(arguments: Setup.allCases)
  func composesOnABackground(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(19, 7)
    let plan = try FilterChain([]).plan(for: Plan.Input(image)).storing(
      as: PixelFormat(.rgb, .float32))
    try await expectParity(backend, plan, [image], within: fixedTolerance)
  }

  @Test(arguments: Setup.allCases)
  func takesNotANumberAsBlack(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    var image = Image.noise(4, 4, PixelFormat(.gray, .float32))
    image.setSample(.nan, x: 1, y: 1, channel: 0)
    image.setSample(-.infinity, x: 2, y: 1, channel: 0)
    image.setSample(.infinity, x: 3, y: 1, channel: 0)
    let plan = try FilterChain([]).plan(for: Plan.Input(image)).storing(as: .gray8)
    let row = try await backend.execute(plan, [image]).bytes[5..<8]
    #expect(Array(row) == [0, 0, 255])
  }
}
