import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// A plan that runs again is told to the device from a recording: with the same bytes, on whatever
/// the inputs are then.
@Suite struct RecordingTests {
  private let chain: FilterChain = [.gaussian(sigma: 9), .saturation(1.8)]

  private func images(_ format: PixelFormat = .rgba8) -> [Image] {
    (1...5 as ClosedRange<UInt64>).map { Image.noise(123, 77, format, seed: $0) }
  }

  @Test(arguments: Setup.allCases) func everyRunMakesItsOwnImage(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let other = try await GLBackend.start(setup.options)
    for format in [PixelFormat.rgba8, .gray8] {
      let images = images(format)
      let plan = try chain.plan(for: Plan.Input(images[0]))
      let before = await backend.playedRuns
      for image in images {
        let result = try await backend.execute(plan, [image])
        // Trimmed, it forgets what it has recorded.
        await other.trim()
        #expect(try await other.execute(plan, [image]).bytes == result.bytes)
      }
      #expect(await backend.playedRuns == before + images.count - 2)
      #expect(await backend.textureStatistics.lentBytes == 0)
    }
    #expect(await other.playedRuns == 0)
  }

  /// Plans are values: one that is made again is the same.
  @Test func equalPlansShareARecording() async throws {
    let backend = try await GLBackend.start()
    let images = images()
    for image in images {
      let plan = try chain.plan(for: Plan.Input(image))
      _ = try await backend.execute(plan, [image])
    }
    #expect(await backend.playedRuns == images.count - 2)
    // More plans than are kept, in turn: none is found, none is wrong.
    let plans = try (1...20).map {
      try FilterChain([.gaussian(sigma: Sigma(Double($0)))]).plan(for: Plan.Input(images[0]))
    }
    var first: [[UInt8]] = []
    for plan in plans { first.append(try await backend.execute(plan, [images[0]]).bytes) }
    for (plan, bytes) in zip(plans, first) {
      #expect(try await backend.execute(plan, [images[0]]).bytes == bytes)
    }
  }

  @Test(arguments: [Setup.fragment, .restrictedCompute, .blocked])
  func imagesThereAndInMemoryTakeTurns(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let images = images()
    let plan = try chain.plan(for: Plan.Input(images[0]))
    for image in images {
      let resident = PixelInput.resident(try await backend.upload(image))
      let (kept, down) = (ResidentOutput(), ImageOutput())
      _ = try await backend.run(plan, PixelIO([resident], to: [.image(down)]))
      _ = try await backend.run(plan, PixelIO([.image(image)], to: [.resident(kept)]))
      let picture = try #require(kept.picture as? GLImage)
      #expect(try await backend.download(picture).bytes == down.take()?.bytes)
    }
    #expect(await backend.playedRuns == 2 * (images.count - 2))
  }

  /// One image in two places now, two images in the next run.
  @Test func inputsMayBeOneImageAndThenTwo() async throws {
    let backend = try await GLBackend.start()
    let images = images()
    let layers = [0, 1].map { index in
      Layer(
        id: "\(index)",
        .picture(
          PlacedImage(index, transform: .translation(x: Double(index * 60), y: 0))))
    }
    let scene = Scene(
      size: Size(width: 160, height: 77), background: .white, layers: layers,
      pictures: images.prefix(2).map { Plan.Input($0) })
    var compiler = SceneCompiler()
    let plan = try compiler.plan(scene)
    let (first, second) = (
      try await backend.upload(images[0]), try await backend.upload(images[1])
    )
    for _ in 0..<3 {
      for pair in [[first, first], [first, second]] {
        let output = ImageOutput()
        _ = try await backend.run(
          plan, PixelIO(pair.map { .resident($0) }, to: [.image(output)]))
        let inMemory = pair.map { $0 === first ? images[0] : images[1] }
        let expected = try await GLBackend.shared().execute(plan, inMemory)
        #expect(output.take()?.bytes == expected.bytes)
      }
    }
  }

  @Test func tilesArePlayedToo() async throws {
    var options = GLOptions()
    options.textureBytes = 1 << 20
    let backend = try await GLBackend.start(options)
    let whole = try await GLBackend.start()
    let images = (1...4 as ClosedRange<UInt64>).map { Image.noise(301, 257, seed: $0) }
    let plan = try chain.plan(for: Plan.Input(images[0]))
    #expect(try await backend.tiling(of: plan).tiles > 1)
    for image in images {
      #expect(
        try await backend.execute(plan, [image]).bytes == whole.execute(plan, [image]).bytes)
    }
    #expect(await backend.playedRuns == 2)
    #expect(await backend.textureStatistics.peakBytes <= 1 << 20)
  }

  /// Masks are kept on the device for the next frame, and go when there is no room for them.
  @Test(arguments: [Setup.fragment, .compute, .restrictedCompute, .specializedFragment])
  func scenesArePlayedWithTheirShapes(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    for seed in 1...6 as ClosedRange<UInt64> {
      var scenes = TestScenes(seed: seed)
      var compiler = SceneCompiler()
      let plan = try compiler.plan(scenes.scene())
      let first = try await backend.execute(plan, TestScenes.pictures)
      for _ in 0..<3 {
        #expect(
          try await backend.execute(plan, TestScenes.pictures).bytes == first.bytes,
          "scene \(seed)")
      }
      #expect(await backend.textureStatistics.lentBytes == 0)
    }
    await backend.trim()
    #expect(await backend.textureStatistics.heldBytes == 0)
  }

  /// Recordings are discarded with their context.
  @Test func aContextLostWhilePlayingIsReplaced() async throws {
    let images = images()
    let plan = try chain.plan(for: Plan.Input(images[0]))
    let counting = try await GLBackend.start(.compute, failing: GLFaults([.checkpoint: [0...0]]))
    var ends: [Int] = []
    for image in images {
      _ = try await counting.execute(plan, [image])
      ends.append(await counting.faultCounts[.checkpoint]?.asked ?? 0)
    }
    #expect(await counting.playedRuns == 3)
    for checkpoint in ends[1] + 1...ends[3] {
      let backend = try await GLBackend.start(
        .compute, failing: GLFaults([.checkpoint: [checkpoint...checkpoint]]))
      let told = Told()
      for image in images {
        let result = try await backend.execute(plan, [image]) { told.add($0) }
        #expect(try await counting.execute(plan, [image]).bytes == result.bytes)
      }
      #expect(told.remedies == [.freshContext])
    }
  }
}
