import FrostglassCore
import FrostglassGL
import Testing

/// Bytes that a plan's draws move, as estimated and as a device ran them.
@Suite struct DrawReportTests {
  private static let size = Size(width: 640, height: 512)

  private func plan(_ chain: FilterChain, _ image: Image) throws -> Plan {
    try chain.plan(for: Plan.Input(image))
  }

  /// A Gaussian's only full-size images are the input and the result, and each is moved once.
  @Test(arguments: [Setup.fragment, .blocked])
  func aGaussianReadsAndWritesTheFrameOnce(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    let image = Image.noise(Self.size.width, Self.size.height)
    let frame = 4 * Self.size.area
    let draws = try await backend.draws(of: plan([.gaussian(sigma: 5)], image))
    if setup == .blocked {
      #expect(draws.count == 4)
      // Of a convolution along a line, four neighbors share what they fetch.
      #expect(draws[1].fetches < draws[1].size.area * 8)
      // 6×18 texels serve 2×8 halves, where colors need not be multiplied by alpha.
      let multiplied = Image.noise(Self.size.width, Self.size.height, alpha: .premultiplied)
      let halving = try await backend.draws(of: plan([.gaussian(sigma: 5)], multiplied))[0]
      #expect(halving.fetches == halving.size.area * 27 / 4)
      #expect(halving.fetches < draws[0].fetches)
      // Halved three times, the first two at once where nothing has to be multiplied by alpha first.
      let wide = try await backend.draws(of: plan([.gaussian(sigma: 20)], multiplied))
      #expect(wide.count == 5 && wide[0].readBytes == frame)
      #expect(wide[0].size.area < Self.size.area / 15 * 11 / 10)
      #expect(wide[0].fetches == wide[0].size.area * 133 / 4)
      #expect(try await backend.draws(of: plan([.gaussian(sigma: 20)], image)).count == 6)
    }
    #expect(draws[0].readBytes == frame)
    #expect(draws[draws.count - 1].writtenBytes == frame)
    #expect(draws[draws.count - 1].size == Self.size)
    // Integers of 16 bits, four channels, on an image of a quarter of the pixels, and some beyond its
    // edges; floats in the draw that is made for growing.
    let between = draws.dropLast().map(\.writtenBytes)
    if setup == .blocked {
      #expect(between.allSatisfy { $0 > 2 * Self.size.area && $0 < 2 * Self.size.area * 11 / 10 })
    }
    #expect(between[0] < 2 * Self.size.area * 11 / 10)
    for (before, after) in zip(draws, draws.dropFirst()) {
      #expect(after.readBytes <= before.writtenBytes)
    }
    // A plan that reads less of its input moves less of it.
    let part = Rect(x: 100, y: 100, width: 64, height: 64)
    let parts = try await backend.draws(
      of: plan([.gaussian(sigma: 5)], image).cropped(to: part))
    #expect(parts[0].readBytes < frame / 8)
    #expect(parts[parts.count - 1].writtenBytes == 4 * part.area)
  }

  /// Tiles move what they share once each.
  @Test func tilesMoveMore() async throws {
    let whole = try await GLBackend.shared(GLOptions(stage: .blocked))
    let tiled = try await GLBackend.start(GLOptions(stage: .blocked, longestSide: 300))
    let image = Image.noise(Self.size.width, Self.size.height)
    let plan = try plan([.gaussian(sigma: 9)], image)
    let (one, many) = (try await whole.draws(of: plan), try await tiled.draws(of: plan))
    #expect(many.count % one.count == 0 && many.count > one.count)
    #expect(many.reduce(0) { $0 + $1.movedBytes } > one.reduce(0) { $0 + $1.movedBytes })
  }

  /// Timed draws are the predicted ones, draw for draw. The image is the same.
  @Test(arguments: [Setup.fragment, .compute, .blocked])
  func everyDrawIsTimed(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let image = Image.noise(Self.size.width, Self.size.height)
    let picture = try await backend.upload(image)
    for chain in [[.gaussian(sigma: 9)], [.gaussian(sigma: 2), .saturation(1.8)]] as [FilterChain] {
      let plan = try plan(chain, image)
      let draws = try await backend.draws(of: plan)
      let times = try await backend.timesOfDraws(of: plan, on: picture, runs: 2)
      #expect(times.map(\.size) == draws.map(\.size))
      #expect(times.allSatisfy { !$0.name.isEmpty })
      let before = try await backend.execute(plan, [image])
      #expect(try await backend.download(backend.execute(plan, [picture])).bytes == before.bytes)
    }
    // Nobody is told any more.
    #expect(await backend.textureStatistics.lentBytes == picture.bytes)
  }

  @Test func aDrawnCopyLeavesNothingBehind() async throws {
    let backend = try await GLBackend.start()
    let picture = try await backend.upload(Image.noise(64, 48))
    let before = await backend.textureStatistics.lentBytes
    _ = try await backend.timeOfDrawnCopy(of: picture, runs: 3)
    #expect(await backend.textureStatistics.lentBytes == before)
  }
}
