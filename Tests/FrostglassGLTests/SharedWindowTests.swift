import FrostglassCore
import FrostglassGL
import FrostglassShaders
import Testing

/// Passes whose groups share the samples of their windows give the bytes of those that fetch each. Processors share
/// where that is asked for alone; on a GPU all stages do but `fragment`.
@Suite struct SharedWindowTests {
  /// Windows of one row, of one column, of few rows and of several parts; discs and lines.
  private static let filters = [
    "bilateral(1px)", "bilateral(3px, 0.3)", "bilateral-separable(7px)", "gpuimage-bilateral()",
    "lens(3px)", "lens(4px)", "motion(50px, 0deg)", "median(2)", "median(9)",
  ]

  @Test func givesTheSameBytes() async throws {
    let fragment = try await GLBackend.shared(Setup.specializedFragment.options)
    let others = [
      try await GLBackend.shared(Setup.specializedCompute.options),
      try await GLBackend.shared(Setup.windows.options),
    ]
    let kinds: [(PixelFormat, AlphaMode)] = [
      (.rgba8, .straight), (.rgba8, .premultiplied), (.gray8, .opaque),
      (PixelFormat(.rgb, .uint16), .opaque), (PixelFormat(.rgba, .float32), .premultiplied),
    ]
    for (number, (format, alpha)) in kinds.enumerated() {
      // No size is a multiple of any group's.
      let image = Image.noise(61 + number, 39, format, alpha: alpha)
      for (place, edge) in EdgeMode.allCases.enumerated() {
        // Each filter with each kind of image and with each edge, but not each with both.
        for (index, text) in Self.filters.enumerated()
        where (index + number + place) % 4 == 0 {
          let plan = try FilterChain(text: text).plan(
            for: Plan.Input(image), options: PlanOptions(edge: edge))
          let part = try plan.cropped(to: Rect(x: 7, y: 5, width: 41, height: 23))
          let expected = try await fragment.execute(plan, [image])
          let expectedPart = try await fragment.execute(part, [image])
          for other in others {
            let actual = try await other.execute(plan, [image])
            #expect(
              actual.bytes == expected.bytes, "\(other.stage) \(text) \(format) \(alpha) \(edge)")
            let actualPart = try await other.execute(part, [image])
            #expect(
              actualPart.bytes == expectedPart.bytes,
              "\(other.stage) \(text) \(format) \(alpha) \(edge), a part")
          }
        }
      }
    }
  }

  @Test func parityOnEveryEdge() async throws {
    let shared = try await GLBackend.shared(Setup.windows.options)
    for (width, height) in [(1, 1), (5, 70), (67, 37)] {
      let image = Image.noise(width, height)
      // Each is a program of its own.
      for edge in width == 67 ? EdgeMode.allCases : [height == 70 ? .mirror : .wrap] {
        for text in ["bilateral(2px)", "bilateral-separable(4px)", "lens(5px)"] {
          let plan = try FilterChain(text: text).plan(
            for: Plan.Input(image), options: PlanOptions(edge: edge))
          try await expectParity(
            shared, plan, [image], within: oneLevel, "\(text) \(width)×\(height) \(edge)")
        }
      }
    }
  }

  /// In tiles, and where a group may share less than what every device promises.
  @Test(arguments: [16384, 12000, 4096, 0])
  func smallDevicesGiveTheSameBytes(_ shared: Int) async throws {
    let fragment = try await GLBackend.shared(Setup.specializedFragment.options)
    var options = Setup.windows(
      GLOptions(
        stage: .compute, restrictToES31Minimum: true, longestSide: 80, programs: .specialized))
    options.mostSharedBytes = shared
    let small = try await GLBackend.start(options)
    let image = Image.noise(131, 45)
    for text in ["bilateral(3px)", "bilateral-separable(5px)", "lens(4px)", "median(5)"] {
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
      let expected = try await fragment.execute(plan, [image])
      #expect(try await small.execute(plan, [image]).bytes == expected.bytes, "\(text) \(shared)")
    }
  }

  /// A lens is one shape where groups share it: the same bytes as that shape has
  /// elsewhere, with every edge, in parts and in tiles; and as planned where it cannot be shared.
  @Test func shapesAreJoined() async throws {
    let fragment = try await GLBackend.shared(Setup.specializedFragment.options)
    let shared = try await GLBackend.shared(Setup.windows.options)
    var options = Setup.windows(
      GLOptions(stage: .compute, longestSide: 80, programs: .specialized))
    let small = try await GLBackend.start(options)
    options.mostSharedBytes = 0
    let apart = try await GLBackend.start(options)
    let image = Image.noise(131, 45)
    for edge in EdgeMode.allCases {
      let plan = try FilterChain(text: "lens(9px)").plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      let joined = plan.inParts { _ in true }
      #expect(joined.steps.count == plan.steps.count)
      #expect(joined.steps.count < plan.inParts().steps.count)
      let expected = try await fragment.execute(joined, [image])
      try await expectParity(shared, plan, [image], within: oneLevel, "\(edge)")
      #expect(try await shared.execute(plan, [image]).bytes == expected.bytes, "\(edge)")
      let part = try plan.cropped(to: Rect(x: 7, y: 5, width: 41, height: 23))
      #expect(
        try await shared.execute(part, [image]).bytes
          == fragment.execute(joined.cropped(to: part.result.rect), [image]).bytes,
        "\(edge), a part")
      // What wraps is in no tile.
      guard edge != .wrap else { continue }
      #expect(try await small.execute(plan, [image]).bytes == expected.bytes, "\(edge), in tiles")
      #expect(
        try await apart.execute(plan, [image]).bytes == fragment.execute(plan, [image]).bytes,
        "\(edge), not shared")
    }
  }

  /// A group with a window fits into shared memory and fetches less than half of the texels, for every radius.
  @Test func allWindowsFitOrAreLeft() throws {
    for radius in 1...30 {
      let pass = Self.bilateral(radius, radius)
      let block = try #require(ShaderBlock.sharingWindow(pass))
      #expect(block.sharedBytes <= ShaderBlock.leastSharedBytes)
      #expect(2 * block.fetchesPerTarget < Double((2 * radius + 1) * (2 * radius + 1)))
    }
    for radius in [4, 15, 60, 300] {
      for pass in [Self.bilateral(radius, 0), Self.bilateral(0, radius)] {
        let block = try #require(ShaderBlock.sharingWindow(pass))
        #expect(block.sharedBytes <= ShaderBlock.leastSharedBytes)
        #expect(2 * block.fetchesPerTarget < Double(2 * radius + 1))
      }
    }
    // Rows of this length do not fit, and windows with gaps have few samples.
    #expect(ShaderBlock.sharingWindow(Self.bilateral(600, 0)) == nil)
    #expect(ShaderBlock.sharingWindow(Self.bilateral(4, 4, spacing: 2)) == nil)
  }

  /// A disc is shared; a slanted line is not, nor taps of which two are at one place, as a grid has one for each.
  @Test func stencilsThatFillARectangleAreShared() {
    let disc = (-12...12).flatMap { y in
      (-12...12).filter { $0 * $0 + y * y <= 144 }.map {
        Stencil.Tap(dx: $0, dy: y, weight: 1.0 / 441)
      }
    }
    #expect(ShaderBlock.sharingWindow(.stencil(Stencil(disc))) != nil)
    #expect(ShaderBlock.sharingWindow(.stencil(Stencil(disc + [disc[9]]))) == nil)
    let line = (0..<60).map { Stencil.Tap(dx: $0, dy: $0 / 2, weight: 1.0 / 60) }
    #expect(ShaderBlock.sharingWindow(.stencil(Stencil(line))) == nil)
  }

  /// Fetches of all draws by a plan's report. A lens that is planned as runs and a rest is one shape there.
  @Test func fewTexelsAreFetched() async throws {
    let image = Image.noise(600, 500)
    let shared = try await GLBackend.shared(Setup.windows(GLOptions(stage: .compute)))
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    for (text, most) in [
      ("bilateral(5px)", 16.0), ("lens(12px, highlights=0)", 18), ("lens(12px)", 22),
    ] {
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
      func fetches(_ backend: GLBackend) async throws -> Double {
        try await backend.draws(of: plan).reduce(0) { $0 + Double($1.fetches) }
          / Double(image.size.area)
      }
      let (few, many) = (try await fetches(shared), try await fetches(fragment))
      #expect(few < most, "\(text)")
      #expect(many > 100, "\(text)")
    }
  }

  private static func bilateral(_ x: Int, _ y: Int, spacing: Int = 1) -> Pass {
    .bilateral(
      Bilateral(
        x: [Float](repeating: 0.1, count: x + 1), y: [Float](repeating: 0.1, count: y + 1),
        spacing: spacing, range: .gaussian(exponent: -9)))
  }
}
