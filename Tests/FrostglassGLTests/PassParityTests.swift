import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Each pass alone, against the reference, on every way of running it.
@Suite struct PassParityTests {
  static let sizes = [
    Size(width: 1, height: 1), Size(width: 1, height: 13), Size(width: 37, height: 1),
    Size(width: 31, height: 17), Size(width: 64, height: 40),
  ]

  static let matrix = ColorMatrix(
    red: SIMD4(1.2, -0.3, 0.1, 0.05), green: SIMD4(0.2, 0.7, 0.2, -0.1),
    blue: SIMD4(-0.4, 0.3, 1.1, 0), clamps: true, opacity: 0.75)

  static let curve = LumaCurve(
    rows: [SIMD3(1.4, -0.3, -0.1), SIMD3(-0.2, 1.3, -0.1), SIMD3(-0.4, -0.5, 1.9)],
    luma: SIMD3(0.2, 0.7, 0.1), curve: SIMD4(0.3, -1.1, 2.5, -1.6))

  @Test(arguments: Setup.allCases)
  func convolvesBothAxes(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for size in Self.sizes {
      let image = Image.noise(size.width, size.height)
      for radius in [0, 1, 5, 16, 17, 60] {
        let taps = Self.taps(radius: radius)
        for axis in Axis.allCases {
          let plan = try SmallPlans.chain(
            on: image, [.convolve(Convolve(axis: axis, taps: taps))], edge: .clamp)
          try await expectParity(
            backend, plan, [image], within: floatTolerance, "\(size) \(radius) \(axis)")
        }
      }
    }
  }

  @Test(arguments: Setup.allCases)
  func resamples(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let halving = Polyphase(
      stride: 2, phases: [Polyphase.Phase(first: -1, taps: [0.125, 0.375, 0.375, 0.125])])
    for size in Self.sizes {
      let image = Image.noise(size.width, size.height)
      let half = Size(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
      let cases: [(Polyphase, Polyphase, Size)] = [
        (halving, halving, half),
        (halving, .identity, Size(width: half.width, height: size.height)),
        (Self.growing(8), Self.growing(8), Size(width: size.width * 8, height: size.height * 8)),
        (.identity, Self.growing(4), Size(width: size.width, height: size.height * 4)),
      ]
      for (x, y, result) in cases {
        let plan = try SmallPlans.chain(
          on: image, [.resample(Resample(x: x, y: y))], edge: .mirror, size: result)
        try await expectParity(
          backend, plan, [image], within: floatTolerance, "\(size) to \(result)")
      }
    }
  }

  @Test(arguments: Setup.allCases)
  func growsByTheLargestFactor(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(3, 2)
    let growing = Self.growing(1024)
    let plan = try SmallPlans.chain(
      on: image, [.resample(Resample(x: growing, y: growing))], edge: .clamp,
      rect: Rect(x: -900, y: 700, width: 1500, height: 600))
    try await expectParity(backend, plan, [image], within: floatTolerance)
  }

  /// Bands are the stage's, whatever its programs and limits.
  @Test(arguments: [Setup.fragment, .compute, .blocked, .windows])
  func runsLongPassesInBands(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(60, 250)
    let plan = try SmallPlans.chain(
      on: image, [.convolve(Convolve(axis: .y, taps: Self.taps(radius: 4000)))], edge: .mirror)
    try await expectParity(backend, plan, [image], within: 0.05)
  }

  @Test(arguments: Setup.allCases)
  func appliesMatricesAndBlends(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(31, 17)
    let plan = try SmallPlans.chain(on: image, [.colorMatrix(Self.matrix)])
    try await expectParity(backend, plan, [image], within: floatTolerance)
    var steps = plan.steps
    steps.insert(
      Step(
        pass: .blend(Blend(.mix(0.3))), sources: [Source(slot: 0), Source(slot: 1)], target: 2),
      at: 2)
    steps[3].sources = [Source(slot: 2)]
    let blended = Plan(
      inputs: plan.inputs, slots: plan.slots + [plan.slots[0]], steps: steps, results: plan.results)
    try blended.validate(for: .none)
    try await expectParity(backend, blended, [image], within: floatTolerance)
  }

  @Test(arguments: Setup.allCases)
  func appliesCurvesOfBrightness(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for size in Self.sizes {
      for alpha in [AlphaMode.opaque, .straight] {
        let image = Image.noise(size.width, size.height, alpha: alpha)
        let plan = try SmallPlans.chain(on: image, [.lumaCurve(Self.curve)])
        try await expectParity(backend, plan, [image], within: floatTolerance, "\(size) \(alpha)")
      }
    }
  }

  /// An image displaced by its own colors, with every kind of edge.
  @Test(arguments: Setup.allCases)
  func displaces(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for size in Self.sizes {
      let image = Image.noise(size.width, size.height)
      let columns = 0..<size.width
      let rows = 0..<size.height
      for edge in EdgeMode.allCases {
        for span in [SIMD3<Float>(13, 13, 13), SIMD3(-40, -38, -36), SIMD3(0, 0, 0)] {
          var plan = try SmallPlans.chain(on: image, [.lumaCurve(Self.curve)])
          let outside = (AxisEdge(edge, columns), AxisEdge(edge, rows))
          plan = Plan(
            inputs: plan.inputs, slots: plan.slots,
            steps: [
              plan.steps[0],
              Step(
                pass: .displace(Displace(span: span)),
                sources: [Source(slot: 0, x: outside.0, y: outside.1), Source(slot: 0)], target: 1),
              plan.steps[2],
            ], results: plan.results)
          try plan.validate(for: .none)
          // A displacement is rounded as floats are, and neighbors in noise are far apart.
          try await expectParity(backend, plan, [image], within: 0.01, "\(size) \(edge) \(span)")
        }
      }
    }
  }

  @Test(arguments: Setup.allCases)
  func storesLowerPrecisions(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(40, 30)
    let blur = Pass.convolve(Convolve(axis: .x, taps: Self.taps(radius: 4)))
    for (precision, levels) in [(Precision.fixed16, fixedTolerance), (.half, 0.2)] {
      let plan = try SmallPlans.chain(on: image, [blur], edge: .clamp, precision: precision)
      try await expectParity(backend, plan, [image], within: levels, "\(precision)")
    }
  }

  /// Positive taps that fall off and sum to 1.
  static func taps(radius: Int) -> [Float] {
    let raw = (0...radius).map { Float(radius + 1 - $0) }
    let sum = 2 * raw.reduce(0, +) - raw[0]
    return raw.map { $0 / sum }
  }

  /// Linear interpolation by `factor`, in two taps and a third that is 0 for half of the phases.
  static func growing(_ factor: Int) -> Polyphase {
    let phases = (0..<factor).map { phase in
      let position = (Float(phase) + 0.5) / Float(factor) - 0.5
      let low: Float = max(-position, 0)
      let high: Float = max(position, 0)
      return Polyphase.Phase(first: -1, taps: [low, 1 - low - high, high])
    }
    return Polyphase(stride: 1, phases: phases)
  }
}
