import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Blurs that see only what a mask covers, on images so wide that most of them is covered wholly, or
/// not at all: there the input is halved as it is, and what comes of it is stored without a division.
@Suite struct ConfinedTests {
  static let masks = [
    "ellipse(230,20,90,70)", "0,0,150,130", "320,60,211,71",
    "gradient(40% 0, 60% 100%)", "ellipse(20,30,60,50); ellipse(400,10,80,100)",
  ]
  static let pictures: [(PixelFormat, holes: Bool)] = [
    (.rgb8, false), (.rgba8, false), (.rgba8, true),
  ]

  /// 531×131 pixels of noise; alpha is full, but in holes.
  private static func picture(_ format: PixelFormat, holes: Bool) -> Image {
    var image = TestImages.noise(531, 131, format, alpha: .premultiplied)
    guard format.layout.hasAlpha else { return image }
    for y in 0..<131 {
      for x in 0..<531 {
        let isHole = holes && (x / 37 + y / 29) % 7 == 0
        if !isHole { image.setSample(1, x: x, y: y, channel: 3) }
      }
    }
    return image
  }

  private static func plan(
    _ text: String, _ edge: EdgeMode, _ number: Int, _ image: Image, sigma: Double
  ) throws -> Plan {
    let mask = Mask(
      try MaskShape.list(text: text), feather: number % 3 == 0 ? 0 : 9,
      isInverted: number % 2 == 0, use: .confine)
    return try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(
      for: Plan.Input(image), options: PlanOptions(edge: edge, mask: mask))
  }

  @Test(arguments: masks, EdgeMode.allCases)
  func anyImageIsTheReference(text: String, edge: EdgeMode) async throws {
    for (number, (format, holes)) in Self.pictures.enumerated() {
      let image = Self.picture(format, holes: holes)
      let place = number + (Self.masks.firstIndex(of: text) ?? 0)
      // One with each edge; each image and mask have both with two edges at least.
      let sigma = [4.5, 21][(place + (EdgeMode.allCases.firstIndex(of: edge) ?? 0)) % 2]
      let plan = try Self.plan(text, edge, place, image, sigma: sigma)
      // Below this one a single row is left, far less than the quarter of the weight for which the bound holds.
      let share = text == "0,0,150,130" ? 2.0 : 1
      let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
      let expected = try await ReferenceBackend().execute(unrounded, [image])
      try expectClose(
        try await FastBackend(threads: 2).execute(unrounded, [image]), expected,
        within: share * plan.certifiedError.arithmetic + 0.001, "\(text) \(edge) \(format)")
      // Stored at once it may be rounded the other way.
      let whole = try await ReferenceBackend().execute(plan, [image])
      try expectClose(
        try await FastBackend(threads: 2).execute(plan, [image]), whole, within: 1,
        "\(text) \(edge) \(format) 8 bits")
    }
  }

  @Test(arguments: masks, EdgeMode.allCases)
  func instructionsThreadsPartsAndStreamsChangeNothing(text: String, edge: EdgeMode) async throws {
    let backends = [
      FastBackend(threads: 3), FastBackend(threads: 1, instructions: .baseline),
      FastBackend(threads: 2, instructions: .portable),
      FastBackend(threads: 2, instructions: .narrow),
      FastBackend(threads: 2, instructions: .best, guardedWith: 0x5A),
      FastBackend(threads: 1, instructions: .best, guardedWith: 0xA5),
    ]
    for (number, (format, holes)) in Self.pictures.enumerated() {
      let image = Self.picture(format, holes: holes)
      let plan = try Self.plan(
        text, edge, number + (Self.masks.firstIndex(of: text) ?? 0), image,
        sigma: number % 2 == 0 ? 21 : 4.5)
      let expected = try await FastBackend(threads: 1).execute(plan, [image])
      for backend in backends {
        let made = try await backend.execute(plan, [image])
        #expect(made.bytes == expected.bytes, "\(format) \(backend.instructions)")
      }
      for rect in [
        Rect(x: 0, y: 0, width: 531, height: 1), Rect(x: 213, y: 29, width: 131, height: 57),
        Rect(x: 530, y: 130, width: 1, height: 1), Rect(x: 64, y: 8, width: 192, height: 64),
      ] {
        let part = try await backends[number].execute(try plan.cropped(to: rect), [image])
        #expect(part.bytes == expected.part(rect), "\(format) \(rect)")
      }
      let rows = ImageRows(plan.result)
      _ = try await backends[0].run(plan, PixelIO([.rows(ImageSource(image))], to: [.rows(rows)]))
      #expect(try #require(rows.image).bytes == expected.bytes, "\(format) in rows")
    }
  }
}
