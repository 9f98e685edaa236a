import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Effects of style-sheet declarations on images: edges, order, shadows.
@Suite struct StyleSheetImageTests {
  private func run(_ text: String, _ image: Image) async throws -> Image {
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
    return try await ReferenceBackend().execute(plan, [image])
  }

  /// The bound of 2 levels that filter texts are held to; plans promise less.
  @Test(arguments: [
    "filter: blur(4px)", "backdrop-filter: blur(4px)", "filter: blur(13px) saturate(180%)",
    "backdrop-filter: saturate(180%) blur(7px)", "filter: contrast(3) blur(2px) opacity(60%)",
    "filter: blur(3px) drop-shadow(5px 4px 2px red)", "filter: drop-shadow(-7.3px 5px 4px blue)",
    "backdrop-filter: blur(6px) opacity(50%)", "filter: opacity(50%) drop-shadow(0 0 6px #0a08)",
    "filter: drop-shadow(9px -9px teal)", "backdrop-filter: drop-shadow(3px 3px 2px black)",
    "filter: drop-shadow(90px 0 30px red) blur(1px)",
  ])
  func areTheFormulas(text: String) async throws {
    for (name, image) in [
      ("photograph", try ChromiumTests.load("picture")), ("disc", Self.disc),
      ("noise with alpha", TestImages.noise(37, 29, .rgba8)),
      ("gray", TestImages.noise(23, 31, .gray8)), ("one pixel", TestImages.noise(1, 1, .rgba8)),
    ] {
      for options in [PlanOptions(), PlanOptions(edge: .wrap, linearLight: true)] {
        let chain = try FilterChain(text: text)
        let plan = try chain.plan(for: Plan.Input(image), options: options)
        let exact = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
        let truth = try Truth(options: options).run(chain, on: image, like: exact)
        for backend: any Backend in [ReferenceBackend(), FastBackend(threads: 2)] {
          let result = try await backend.execute(exact, [image])
          try expectClose(
            result, truth, within: min(plan.certifiedError.total, 2), "\(text) \(name)")
        }
      }
    }
  }

  static let disc = TestImages.disc(45, radius: 15, color: [1, 0.3, 0])

  @Test func filterFadesAtTheBorderAndBackdropDoesNot() async throws {
    let white = TestImages.flat(31, 21, .rgb8, [1, 1, 1])
    let faded = try await run("filter: blur(3px)", white)
    #expect(faded.format.layout == .rgba)
    #expect(abs(faded.sample(x: 15, y: 0, channel: 3) - 0.566) < 0.004)
    #expect(faded.sample(x: 0, y: 0, channel: 3) < 0.33)
    #expect(faded.sample(x: 15, y: 10, channel: 3) == 1)
    // Straight colors stay what they are.
    #expect(faded.sample(x: 0, y: 0, channel: 0) == 1)
    let backdrop = try await run("backdrop-filter: blur(3px)", white)
    #expect(backdrop.format.layout == .rgb && backdrop.bytes.allSatisfy { $0 == 255 })
  }

  /// The edge of the text is stronger than that of the options, in all combinations.
  @Test(arguments: EdgeMode.allCases, EdgeMode.allCases)
  func theEdgeOfABlurIsItsOwn(own: EdgeMode, options: EdgeMode) async throws {
    let image = TestImages.noise(33, 26)
    let blur = try FilterChain([.blur(5, edge: own)])
      .plan(for: Plan.Input(image), options: PlanOptions(edge: options)).storing(as: .rgba8)
    let plain = try FilterChain([.blur(5)])
      .plan(for: Plan.Input(image), options: PlanOptions(edge: own)).storing(as: .rgba8)
    let backend = ReferenceBackend()
    try expectClose(
      try await backend.execute(blur, [image]), try await backend.execute(plain, [image]),
      within: 0, "edge \(own) in \(options)")
  }

  /// `backdrop-filter` is drawn over the backdrop: opaque where that is opaque.
  @Test func backdropsStayOpaque() async throws {
    let island = TestImages.disc(41, radius: 14, color: [0.2, 0.9, 0.4])
    let result = try await run("backdrop-filter: blur(6px) opacity(50%)", island)
    for y in 0..<41 {
      for x in 0..<41 where island.sample(x: x, y: y, channel: 3) == 1 {
        #expect(result.sample(x: x, y: y, channel: 3) == 1)
      }
    }
    let photograph = TestImages.noise(20, 20)
    let mixed = try await run("backdrop-filter: invert(1) opacity(50%)", photograph)
    #expect(
      mixed.bytes.indices.filter { $0 % 4 < 3 }.allSatisfy { (127...128).contains(mixed.bytes[$0]) }
    )
  }

  /// A sharp shadow is the outline, moved by whole pixels downward and to the right.
  @Test(arguments: [(3.0, 2.0), (3.9, 2.9), (-2.0, 0), (-1.5, -3.2), (0, 0), (60, 0)])
  func sharpShadowsAreMovedOutlines(x: Double, y: Double) async throws {
    let image = TestImages.disc(31, radius: 8, color: [1, 1, 1])
    let result = try await run(
      FilterChain([
        .dropShadow(x: Length(x), y: Length(y), color: Color(red: 1, green: 0, blue: 0, alpha: 0.5))
      ]).text, image)
    let (right, down) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    for row in 0..<31 {
      for column in 0..<31 {
        let (fromX, fromY) = (column - right, row - down)
        let isInside = (0..<31).contains(fromX) && (0..<31).contains(fromY)
        let casts = isInside && image.sample(x: fromX, y: fromY, channel: 3) == 1
        let isDisc = image.sample(x: column, y: row, channel: 3) == 1
        let alpha = result.sample(x: column, y: row, channel: 3)
        #expect(abs(alpha - (isDisc ? 1 : casts ? 0.5 : 0)) < 0.003, "\(column), \(row)")
        if casts && !isDisc { #expect(result.sample(x: column, y: row, channel: 1) == 0) }
      }
    }
  }

  @Test func opaqueImagesHideTheirShadow() async throws {
    let image = TestImages.noise(25, 19)
    let result = try await run("filter: drop-shadow(4px 4px 2px red)", image)
    #expect(result.bytes == image.bytes)
  }

  @Test func hugeAmountsAreThresholds() async throws {
    let image = TestImages.noise(40, 20)
    let white = try await run("filter: brightness(1e30)", image)
    #expect(zip(image.bytes, white.bytes).allSatisfy { ($0 == 0 ? 0 : 255) == $1 })
    let split = try await run("filter: contrast(1e300)", image)
    #expect(zip(image.bytes, split.bytes).allSatisfy { ($0 < 128 ? 0 : 255) == $1 })
    let gray = TestImages.make(64, 4, .rgb8) { x, _, _ in Float(x) / 63 }
    try expectClose(try await run("filter: saturate(1e9)", gray), gray, within: 1, "gray saturated")
  }
}
