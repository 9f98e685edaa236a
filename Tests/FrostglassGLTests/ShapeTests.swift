import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Shapes that programs work out, against the CPU's coverage.
@Suite struct ShapeTests {
  /// Half a 65280th of coverage, in levels, and a float's last place.
  private static let tolerance = 255 * 0.5 / 65280 + 1e-4

  private static func rectangle(
    _ left: Double, _ top: Double, _ right: Double, _ bottom: Double, radius: Double = 0,
    feather: Double = 0, grow: Double = 0, isContinuous: Bool = false
  ) -> CoverageShape {
    CoverageShape(
      .rectangle(
        RoundedRectangle(
          left: left, top: top, right: right, bottom: bottom, radius: radius,
          isContinuous: isContinuous)), feather: feather, grow: grow)
  }

  private static func ellipse(
    _ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double, feather: Double = 0,
    grow: Double = 0
  ) -> CoverageShape {
    CoverageShape(
      .ellipse(Ellipse(x: x, y: y, radiusX: radiusX, radiusY: radiusY)), feather: feather,
      grow: grow)
  }

  /// Shapes that are worked out, and some that are made on the CPU.
  private static let shapes: [(shape: CoverageShape?, isDrawn: Bool)] = [
    (nil, true), (rectangle(10, 5, 50, 40), true), (rectangle(9.3, 4.8, 50.1, 39.5), true),
    (rectangle(9.3, 4.8, 50.1, 39.5, radius: 12.5), true),
    (rectangle(20, 10, 44, 30, radius: 99), true), (rectangle(30, 30, 20, 20), true),
    (rectangle(3, 3, 60, 50, radius: 5, feather: 7.5), true),
    (rectangle(20, 20, 30, 30, radius: 4, grow: 3.5), true),
    (rectangle(-300, -200, 40, 30, feather: 0.7, grow: -2), true),
    (ellipse(31.5, 25, 18, 18), true), (ellipse(30.2, 24.9, 17.3, 17.3, feather: 9), true),
    (ellipse(31, 25, 14, 9), true), (ellipse(31.5, 25.5, 6, 15), true),
    (ellipse(31, 25, 120, 60, feather: 30), true), (ellipse(10, 70, 90, 60, feather: 25), true),
    (ellipse(31, 25, 14, 9, feather: 3, grow: 2), true),
    (ellipse(31, 25, 14, 9, grow: -2), true), (ellipse(31.5, 25, 16, 4), true),
    // Floats lose the nearest point of the border inside.
    (ellipse(31, 25, 10, 7, grow: -4.5), false), (ellipse(31.5, 25.5, 14, 3), false),
    // Too large for floats.
    (ellipse(31.5, 25, 17, 14), false), (ellipse(31, 25, 400, 300), false),
    (rectangle(0, -900, 3000, 900, radius: 800), false),
    (rectangle(9.3, 4.8, 50.1, 39.5, radius: 12.5, isContinuous: true), false),
  ]

  private static func plan(
    _ coverage: Coverage, _ rect: Rect, _ precision: Precision = .fixed16
  ) throws -> Plan {
    let format = PixelFormat(.gray, .float32)
    let plan = Plan(
      inputs: [], slots: [Slot(domain: rect, layout: .gray, precision: precision)],
      steps: [
        Step(pass: .generate(Generate(.coverage(coverage))), sources: [], target: 0),
        Step(
          pass: .store(
            Store(format: format, alpha: .opaque, encodesFromLinear: false, background: nil)),
          sources: [Source(slot: 0)], target: nil),
      ],
      results: [
        Plan.Result(rect: rect, format: format, alpha: .opaque, transfer: .encoded)
      ])
    try plan.validate(for: .none)
    return plan
  }

  @Test(arguments: Setup.allCases)
  func coversWhatTheCPUCovers(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    // Fixed point is rounded where floats cannot be drawn to.
    let stored = setup == .restrictedFragment ? Self.tolerance : 0
    for (shape, isDrawn) in Self.shapes {
      for isInverted in [false, true] {
        let coverage = Coverage(shape.map { [$0] } ?? [], isInverted: isInverted)
        let plan = try Self.plan(coverage, Rect(x: 0, y: 0, width: 63, height: 51))
        try await expectParity(
          backend, plan, [], within: (isDrawn ? Self.tolerance : 0) + stored,
          "\(coverage) \(isInverted)")
        let read = try await backend.draws(of: plan).map(\.readBytes)
        #expect(read.allSatisfy { $0 == 0 } == isDrawn || read.count > 1, "\(coverage)")
      }
    }
  }

  /// If a plan is in floats, the bound of its mask is too.
  @Test(arguments: Setup.allCases)
  func plansInFloatsReadImages(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let plan = try Self.plan(
      Coverage([Self.ellipse(31, 25, 14, 9, feather: 3)]),
      Rect(x: 0, y: 0, width: 63, height: 51), .float32)
    try await expectParity(backend, plan, [], within: 0)
    #expect(try await backend.draws(of: plan).contains { $0.readBytes > 0 })
  }

  /// Places are as exact where coordinates are large.
  @Test func coversTheSameFarOut() async throws {
    let backend = try await GLBackend.shared(Setup.blocked.options)
    for shape in [
      Self.rectangle(100_010.3, 70_004.9, 100_050.7, 70_041, radius: 9),
      Self.ellipse(100_030.25, 70_020.75, 15, 11), Self.rectangle(2.2, 70_010.6, 3e6, 70_031),
    ] {
      let plan = try Self.plan(
        Coverage([shape]), Rect(x: 100_000, y: 70_000, width: 63, height: 51))
      try await expectParity(backend, plan, [], within: Self.tolerance, "\(shape)")
    }
  }

  /// A region reads the image and no mask, whole and in tiles.
  @Test(arguments: [Setup.fragment, .blocked])
  func regionsReadNoMask(_ setup: Setup) async throws {
    var small = setup.options
    small.textureBytes = 2 << 20
    let image = Image.noise(640, 512)
    for options in [setup.options, small] {
      let backend = try await GLBackend.start(options)
      for (text, isDrawn) in [
        ("ellipse(320,250,110,60)", true), ("rounded(100,80,300,200,20)", true),
        ("100,80,300,200", true), ("continuous(100,80,300,200,20)", false),
      ] {
        let mask = Mask(try MaskShape.list(text: text), feather: 30)
        let plan = try FilterChain([.saturation(0.2)]).plan(
          for: Plan.Input(image), options: PlanOptions(mask: mask))
        try await expectParity(backend, plan, [image], within: oneLevel, "\(text)")
        let draws = try await backend.draws(of: plan)
        let masked = draws.filter { $0.name.contains("Blend") }
        #expect(!masked.isEmpty)
        #expect((draws.count > 2) == (options.textureBytes != nil), "\(text)")
        // Each pixel's colors once, in four bytes, and only of an image of the mask more.
        for draw in masked {
          #expect((draw.readBytes == 4 * draw.size.area) == isDrawn, "\(text) \(draw)")
          #expect(draw.readBytes >= 4 * draw.size.area, "\(text) \(draw)")
        }
      }
    }
  }
}
