import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Every filter of the catalog × image × backend: the same image everywhere.
///
/// A filter is in this table by being in the catalog.
struct ParityTests {
  /// One image of each kind that backends treat differently.
  static let pictures = Result { () throws -> [(name: String, image: Image)] in
    [
      ("photograph", try Photographs.load("chelsea.png").part(x: 120, y: 90, 71, 37)),
      ("silhouette", try Photographs.load("horse.png").part(x: 310, y: 10, 37, 69)),
      ("noise", TestImages.noise(67, 41)),
      ("alpha", TestImages.disc(45, radius: 15, color: [1, 0.3, 0])),
      ("gray", TestImages.noise(33, 27, .gray8)),
      ("16 bit", TestImages.noise(29, 31, PixelFormat(.rgba, .uint16))),
      ("float", TestImages.noise(31, 22, PixelFormat(.rgb, .float32))),
      ("one pixel", TestImages.noise(1, 1)),
      ("column", TestImages.noise(1, 23)),
    ]
  }

  /// Each filter with parameters that change something.
  static func filters() throws -> [FilterChain] {
    try Catalog.filters.flatMap { filter in
      let info = filter.info
      let texts = ["\(info.name)()", info.fullExample]
      return try texts.map { try FilterChain(text: $0) }
    }
  }

  /// The reference's results, by the plan's label.
  private static let references = SharedResults<String, Image>()

  /// The true results of Gaussians, by σ.
  private static let truths = SharedResults<Double, Image>()

  static let setups: [(name: String, options: GLOptions)] = [
    ("gl fragment", GLOptions(stage: .fragment)), ("gl compute", GLOptions(stage: .compute)),
    ("gl ES 3.1 minimum, fragment", GLOptions(stage: .fragment, restrictToES31Minimum: true)),
    ("gl ES 3.1 minimum, compute", GLOptions(stage: .compute, restrictToES31Minimum: true)),
  ]

  @Test func everyFilterIsInTheTable() throws {
    let names = Set(try Self.filters().flatMap(\.filters).map { $0.name })
    #expect(names == Set(Catalog.filters.map { $0.name }))
  }

  @Test func fastIsTheReference() async throws {
    // Straight colors and their alpha are rounded apart, which counts twice premultiplied.
    try await compare(
      FastBackend(threads: 3), "fast", eightBit: 1, straight: 2, float: 0.008,
      storesSixteenBits: true)
  }

  /// Fixed point is held to what the plan certifies for it, before the last rounding.
  @Test func fastKeepsTheCertifiedError() async throws {
    let backend = FastBackend(threads: 2)
    try await forEachPlan { plan, image, name in
      let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
      let expected = try await ReferenceBackend().execute(unrounded, [image])
      let actual = try await backend.execute(unrounded, [image])
      try expectClose(
        actual, expected, within: plan.certifiedError.arithmetic + 0.001, "fast, floats, \(name)")
    }
  }

  /// All instruction sets give the same bytes, with any number of threads.
  @Test func instructionSetsAgree() async throws {
    let portable = FastBackend(threads: 1, instructions: .portable)
    let others = [
      FastBackend(threads: 2, instructions: .baseline),
      FastBackend(threads: 3, instructions: .best),
    ]
    try await forEachPlan { plan, image, name in
      let expected = try await portable.execute(plan, [image])
      for other in others {
        let actual = try await other.execute(plan, [image])
        #expect(actual.bytes == expected.bytes, "\(other.instructions) \(name)")
      }
    }
  }

  /// Rows that arrive one after another give the bytes of the whole.
  @Test func rowStreamsAreTheImage() async throws {
    let backend = FastBackend(threads: 2)
    try await forEachPlan { plan, image, name in
      let expected = try await backend.execute(plan, [image])
      let actual = try await backend.executeRows(plan, image)
      #expect(backend.streams(plan) && actual.bytes == expected.bytes, "\(name)")
    }
  }

  /// Large images use passes that share draws, and programs for one length and edge.
  ///
  /// Each of these programs takes long to compile, so there are few images.
  @Test func specializedProgramsAreTheReference() async throws {
    try await compareSpecialized(.blocked)
  }

  /// The same in the other stages, windows shared as on a GPU, where `scripts/test.sh` lets Mesa compile quickly.
  @Test(arguments: [GLOptions.Stage.fragment, .compute])
  func otherStagesAreTheReference(stage: GLOptions.Stage) async throws {
    try await compareSpecialized(stage, sharesWindows: stage == .compute)
  }

  private func compareSpecialized(
    _ stage: GLOptions.Stage, sharesWindows: Bool = false
  ) async throws {
    var setup = GLOptions(stage: stage, programs: .specialized)
    setup.sharesWindows = sharesWindows
    let backend = try await GLBackend.start(setup)
    let image = try Photographs.load("horse.png").part(x: 300, y: 10, 70, 77)
    let options =
      stage == .fragment ? PlanOptions(edge: .transparent, linearLight: true) : PlanOptions()
    var known: Set<CodePath> = []
    for chain in try Self.filters() {
      let plan = try chain.plan(for: Plan.Input(image), options: options)
      // The values of colors are in no program.
      guard known.insert(CodePath(plan)).inserted else { continue }
      let expected = try await ReferenceBackend().execute(plan, [image])
      let actual = try await backend.execute(plan, [image])
      try expectClose(actual, expected, within: 1, "\(stage) \(chain.text)")
    }
  }

  @Test(arguments: setups)
  func glIsTheReference(name: String, options: GLOptions) async throws {
    let backend = try await GLBackend.start(options)
    // Where fragments cannot write floats, 16-bit slots hold 16 bits: as much as the plan allows.
    let storesSixteenBits = options.restrictToES31Minimum && options.stage == .fragment
    // Rounded before the end, straight colors and their alpha may both be a level off. Both stages are one text,
    // and what the least devices lack is the same in both: half of the plans each, of which the restricted ones
    // have the other half.
    let isFirst = (options.stage == .fragment) != options.restrictToES31Minimum
    try await compare(
      backend, name, eightBit: 1, straight: storesSixteenBits ? 2 : nil, float: 0.02,
      storesSixteenBits: storesSixteenBits, half: isFirst ? 0 : 1)
  }

  /// The bound also holds where intermediates really are half floats or 16 bits.
  @Test(arguments: setups.map(\.options), PlanOptions.Quality.allCases)
  func glKeepsTheCertifiedError(options: GLOptions, quality: PlanOptions.Quality) async throws {
    let backend = try await GLBackend.start(options)
    let image = TestImages.noise(61, 43)
    for sigma in [1.5, 4, 5.2, 9, 24] {
      let planning = PlanOptions(quality: quality)
      let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
      let plan = try chain.plan(for: Plan.Input(image), options: planning)
        .storing(as: PixelFormat(.rgb, .float32))
      let truth = try await Self.truths.value(sigma) {
        try Truth(options: planning).run(chain, on: image, like: plan)
      }
      let result = try await backend.execute(plan, [image])
      try expectClose(
        result, truth, within: plan.certifiedError.total, "certified σ \(sigma) \(quality)")
    }
  }

  /// - Parameters: levels of 255 that integers (straight ones too), and floats and 16 bits, may be
  ///   apart.
  ///   - half: of the plans, 0 or 1; `nil` is all.
  private func compare(
    _ backend: any Backend, _ name: String, eightBit: Double, straight: Double? = nil,
    float: Double, storesSixteenBits: Bool = false, half: Int? = nil
  ) async throws {
    var number = 0
    try await forEachPlan { plan, image, label in
      // Of each image two of the four edges, of the next the others.
      defer { number += 1 }
      if let half, (number + number / 4) % 2 != half { return }
      let expected = try await Self.references.value(label) {
        try await ReferenceBackend().execute(plan, [image])
      }
      let actual = try await backend.execute(plan, [image])
      let allowed = storesSixteenBits ? plan.certifiedError.arithmetic : 0
      let integers = plan.result.alpha == .straight ? straight ?? eightBit : eightBit
      try expectClose(
        actual, expected,
        within: image.format.depth == .uint8 ? integers : float + allowed, "\(name) \(label)")
    }
  }

  /// Every path of the catalog on every image with every kind of edge, and what differs from another filter
  /// in its colors alone on one image.
  private func forEachPlan(
    _ body: (_ plan: Plan, _ image: Image, _ name: String) async throws -> Void
  ) async throws {
    var known: [String: Set<CodePath>] = [:]
    for chain in try Self.filters() {
      for (label, image) in try Self.pictures.get() {
        for options in [
          PlanOptions(), PlanOptions(edge: .transparent), PlanOptions(edge: .mirror),
          PlanOptions(edge: .wrap, linearLight: true),
        ] {
          let plan = try chain.plan(for: Plan.Input(image), options: options)
          let isNew = known[label, default: []].insert(CodePath(plan)).inserted
          guard isNew || label == "photograph" && options.edge == .clamp else { continue }
          try await body(plan, image, "\(chain.text) \(label) \(options.edge)")
        }
      }
    }
  }
}

extension Image {
  /// A part of the image.
  fileprivate func part(x: Int, y: Int, _ width: Int, _ height: Int) -> Image {
    TestImages.make(width, height, format, alpha: alpha) { column, row, channel in
      sample(x: x + column, y: y + row, channel: channel)
    }
  }
}
