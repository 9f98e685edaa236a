import FrostglassCore
import FrostglassGL
import Testing

/// Textures are lent, returned and kept within bounds.
@Suite struct TexturePoolTests {
  @Test(arguments: Setup.allCases)
  func doesNotGrowOverManyRuns(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let images = (0..<5).map { Image.noise(40 + 13 * $0, 60 - 7 * $0) }
    var peaks: [Int] = []
    for run in 0..<120 {
      let image = images[run % images.count]
      let plan = try FilterChain([.gaussian(sigma: Sigma(Double(1 + run % 7)))]).plan(
        for: Plan.Input(image))
      _ = try await backend.execute(plan, [image])
      let statistics = await backend.textureStatistics
      #expect(statistics.lentBytes == 0)
      peaks.append(statistics.peakBytes)
    }
    // All sizes and sigmas have met after 35 runs.
    #expect(peaks[119] == peaks[75])
    await backend.trim()
    #expect(await backend.textureStatistics.heldBytes == 0)
    #expect(await backend.textureStatistics.textures == 0)
  }

  @Test func reusesTextures() async throws {
    let backend = try await GLBackend.start()
    let image = Image.noise(100, 80)
    let plan = try FilterChain([.gaussian(sigma: 20)]).plan(for: Plan.Input(image))
    _ = try await backend.execute(plan, [image])
    let first = await backend.textureStatistics
    for _ in 0..<10 { _ = try await backend.execute(plan, [image]) }
    let last = await backend.textureStatistics
    #expect(last.made == first.made && last.peakBytes == first.peakBytes)
    #expect(last.reused - first.reused == 10 * (first.made + first.reused))
  }

  @Test func returnsEverythingWhenAPlanFails() async throws {
    let backend = try await GLBackend.start()
    let image = Image.noise(20, 20)
    let taps = [Float](repeating: 1.0 / 20001, count: 10_001)
    let plan = try SmallPlans.chain(
      on: image, [.convolve(Convolve(axis: .x, taps: taps))], edge: .clamp)
    await #expect(throws: BackendError.self) { try await backend.execute(plan, [image]) }
    #expect(await backend.textureStatistics.lentBytes == 0)
  }
}
