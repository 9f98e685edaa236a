import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// One run with several results, on the GPU.
@Suite struct SeveralResultsTests {
  private func plans(for image: Image) throws -> [Plan] {
    try ["blur(9px)", "blur(9px) saturate(1.8)", "brightness(1)", "grayscale(1) median(1)"].map {
      try FilterChain(text: $0).plan(for: Plan.Input(image))
    }
  }

  @Test(arguments: Setup.allCases) func areThoseOfTheReference(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for format in [PixelFormat.rgba8, .rgb8, PixelFormat(.gray, .uint16)] {
      let image = Image.noise(131, 67, format)
      let plans = try plans(for: image)
      let joined = try Plan(joining: plans)
      let results = try await backend.executeAll(joined, [image])
      let expected = try await ReferenceBackend().executeAll(joined, [image])
      #expect(results.count == plans.count)
      for (plan, (result, expected)) in zip(plans, zip(results, expected)) {
        let difference = try ImageComparison(result, expected).maximum
        #expect(difference <= 2 * plan.certifiedError.arithmetic + 1, "\(format)")
      }
    }
  }

  @Test(arguments: Setup.allCases) func areTheSameInTiles(_ setup: Setup) async throws {
    let whole = try await GLBackend.shared(setup.options)
    var small = setup.options
    small.textureBytes = 1 << 20
    let tiled = try await GLBackend.start(small)
    let image = Image.noise(301, 257)
    let joined = try Plan(joining: try plans(for: image))
    let expected = try await whole.executeAll(joined, [image])
    #expect(try await tiled.tiling(of: joined).tiles > 1)
    let results = try await tiled.executeAll(joined, [image])
    #expect(results.map(\.bytes) == expected.map(\.bytes))
    #expect(await tiled.textureStatistics.peakBytes <= 1 << 20)
  }

  /// Some stay on the device, others come down.
  @Test(arguments: Setup.allCases) func stayWhereTheyAreWanted(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let image = Image.noise(61, 47)
    let joined = try Plan(joining: Array(try plans(for: image).prefix(2)))
    let (resident, memory) = (ResidentOutput(), ImageOutput())
    _ = try await backend.run(
      joined, PixelIO([.image(image)], to: [.resident(resident), .image(memory)]))
    let expected = try await backend.executeAll(joined, [image])
    let picture = try #require(resident.picture as? GLImage)
    #expect(try await backend.download(picture).bytes == expected[0].bytes)
    #expect(memory.take()?.bytes == expected[1].bytes)
    #expect(await backend.textureStatistics.lentBytes == picture.bytes)
  }
}
