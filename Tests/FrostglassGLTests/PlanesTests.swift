import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Images in planes on the device: each plane a texture of its own.
@Suite struct PlanesTests {
  private let chain: FilterChain = [.gaussian(sigma: 4), .saturation(1.5)]

  /// Brings planes to the device, filters there, and brings them back.
  private func resident(
    _ backend: GLBackend, _ plan: YCbCrPlan, _ picture: YCbCrImage
  ) async throws -> [[UInt8]] {
    var planes: [GLImage] = []
    for plane in picture.planes { planes.append(try await backend.upload(plane)) }
    let made = try await backend.execute(plan, planes)
    #expect(made.map(\.input) == plan.format.planes(of: plan.size))
    var bytes: [[UInt8]] = []
    for plane in made { bytes.append(try await backend.download(plane).bytes) }
    return bytes
  }

  /// From memory, on the device and one plan after another: the same bytes. Each setup has a third of the
  /// formats, and each format several setups.
  @Test(arguments: Setup.allCases) func allWaysAreTheSame(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let place = Setup.allCases.firstIndex(of: setup) ?? 0
    for (index, format) in TestPlanes.someFormats.enumerated() where (index + place) % 3 == 0 {
      let picture = try TestPlanes.noise(61, 43, format)
      let plan = try chain.plan(
        for: format, size: picture.size, options: PlanOptions(linearLight: index == 3))
      let whole = try await backend.execute(plan, picture).planes.map(\.bytes)
      let apart = try await backend.oneByOne(
        plan, picture.planes, Cancellation(), RecoveryLog())
      #expect(whole == apart.map(\.bytes), "\(format)")
      #expect(try await resident(backend, plan, picture) == whole, "\(format)")
    }
    await backend.trim()
    #expect(await backend.textureStatistics.lentBytes == 0)
  }

  /// If a filter acts in a region, only the samples that the region needs are uploaded, and only its results are read
  /// back. The bytes are those of a run on the whole image, also when the run is repeated.
  ///
  /// Transfers depend on the format and not on the setup, so each setup tests some of the formats. Every format is
  /// tested by at least one setup.
  @Test(arguments: Setup.allCases) func ofARegionOnlyThatMoves(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let box = MaskShape.rectangle(x: 117, y: 61, width: 41, height: 30, radius: 0)
    let options = PlanOptions(mask: Mask([box]))
    func moved() async -> (up: Int, down: Int) {
      let all = await backend.transferStatistics
      return (all.uploadedBytes, all.readBytes)
    }
    let place = Setup.allCases.firstIndex(of: setup) ?? 0
    // Five divides no number of kinds, so that these go on changing from one to the next.
    let formats = TestPlanes.someFormats.enumerated().filter { ($0.offset + place) % 5 == 0 }
    for chain: FilterChain in [[.gaussian(sigma: 4)], self.chain] {
      for format in formats.map(\.element) {
        let picture = try TestPlanes.noise(259, 191, format)
        let plan = try chain.plan(for: format, size: picture.size, options: options)
        let whole = try await resident(backend, plan, picture)
        let bytes = whole.reduce(0) { $0 + $1.count }
        let prepared = try backend.prepare(plan)
        for _ in 0..<3 {
          let before = await moved()
          let outputs = plan.results.map { _ in ImageOutput() }
          _ = try await prepared.run(
            PixelIO(picture.planes.map { .image($0) }, to: outputs.map { .image($0) }))
          let after = await moved()
          #expect(outputs.map { $0.take()?.bytes } == whole, "\(format) \(chain.text)")
          #expect((1..<bytes / 4).contains(after.up - before.up), "\(format) \(chain.text)")
          // Four samples are read of a pixel.
          #expect((1..<bytes / 4).contains(after.down - before.down), "\(format) \(chain.text)")
        }
      }
    }
    let image = TestImages.noise(259, 191, .rgb8, seed: 7)
    let plan = try chain.plan(for: Plan.Input(image), options: options)
    let picture = try await backend.execute(plan, [backend.upload(image)])
    let whole = try await backend.download(picture).bytes
    for _ in 0..<3 {
      let before = await moved()
      #expect(try await backend.execute(plan, [image]).bytes == whole)
      let after = await moved()
      #expect(after.up - before.up < image.bytes.count / 4)
      #expect(after.down - before.down < image.bytes.count / 4)
    }
  }

  /// A region that is smaller than what programs are made for is computed by those of the whole image.
  @Test(arguments: [GLOptions.Stage.fragment, .compute, .blocked], [false, true])
  func smallRegionsOfLargeFramesAreTheWhole(
    _ stage: GLOptions.Stage, _ isRestricted: Bool
  ) async throws {
    let backend = try await GLBackend.shared(
      GLOptions(stage: stage, restrictToES31Minimum: isRestricted))
    let box = MaskShape.rectangle(x: 231, y: 117, width: 141, height: 130, radius: 0)
    let stages = [GLOptions.Stage.fragment, .compute, .blocked]
    let setup = 2 * (stages.firstIndex(of: stage) ?? 0) + (isRestricted ? 1 : 0)
    for (number, quality) in PlanOptions.Quality.allCases.enumerated() {
      let options = PlanOptions(quality: quality, mask: Mask([box]))
      // Each format with each quality in one setup at least. Five divides no number of kinds, so that these go
      // on changing from one to the next.
      let formats = TestPlanes.someFormats.enumerated().filter {
        ($0.offset + setup + 2 * number) % 5 == 0
      }
      for format in formats.map(\.element) {
        let picture = try TestPlanes.noise(600, 480, format)
        let plan = try self.chain.plan(for: format, size: picture.size, options: options)
        let whole = try await resident(backend, plan, picture)
        let parts = try await backend.execute(plan, picture).planes.map(\.bytes)
        #expect(parts == whole, "\(format) \(quality)")
        // Others share the backend, and its textures are of no use to them.
        await backend.trim()
      }
    }
  }

  @Test func frameAfterFrameTakesNoNewTextures() async throws {
    let backend = try await GLBackend.start(GLOptions(stage: .fragment))
    let plan = try chain.plan(
      for: YCbCrFormat(), size: Size(width: 64, height: 48),
      options: PlanOptions(linearLight: true))
    let frames = try (0..<6).map { try TestPlanes.noise(64, 48, plan.format, seed: UInt64($0)) }
    for frame in frames.prefix(2) { _ = try await backend.execute(plan, frame) }
    let made = await backend.textureStatistics.made
    for frame in frames { _ = try await backend.execute(plan, frame) }
    #expect(await backend.textureStatistics.made == made)
  }

  @Test func framesOverlap() async throws {
    let direct = try await GLBackend.shared(GLOptions(stage: .fragment, transfer: .direct))
    let backend = try await GLBackend.start(GLOptions(stage: .fragment, transfer: .buffered))
    let plan = try chain.plan(for: .jpeg, size: Size(width: 90, height: 70))
    let frames = try (0..<9).map { try TestPlanes.noise(90, 70, .jpeg, seed: UInt64($0)) }
    let results = try await withThrowingTaskGroup { group in
      for (index, frame) in frames.enumerated() {
        group.addTask { (index, try await backend.execute(plan, frame).planes.map(\.bytes)) }
      }
      return try await group.reduce(into: [Int: [[UInt8]]]()) { $0[$1.0] = $1.1 }
    }
    for (index, frame) in frames.enumerated() {
      let expected = try await direct.execute(plan, frame).planes.map(\.bytes)
      #expect(results[index] == expected, "frame \(index)")
    }
    #expect(await backend.textureStatistics.lentBytes == 0)
  }

  /// If the intermediate image does not fit, plans run one by one, in tiles.
  @Test func largeImagesRunInTiles() async throws {
    let whole = try await GLBackend.shared(GLOptions(stage: .fragment))
    for options in [
      GLOptions(stage: .fragment, textureBytes: 1 << 20),
      GLOptions(stage: .fragment, longestSide: 100),
    ] {
      let tiled = try await GLBackend.start(options)
      for format in [YCbCrFormat(), YCbCrFormat(bits: .ten, arrangement: .interleaved)] {
        let picture = try TestPlanes.noise(301, 257, format)
        let plan = try chain.plan(for: format, size: picture.size)
        let expected = try await whole.execute(plan, picture).planes.map(\.bytes)
        #expect(try await tiled.execute(plan, picture).planes.map(\.bytes) == expected)
        #expect(await tiled.textureStatistics.peakBytes <= tiled.textureStatistics.ceilingBytes)
      }
    }
  }

  @Test(arguments: [GLOptions.TransferMode.direct, .buffered], [1, 3, 6, 10, 15])
  func aLostContextIsReplaced(_ transfer: GLOptions.TransferMode, _ checkpoint: Int) async throws {
    let picture = try TestPlanes.noise(60, 40, YCbCrFormat())
    let plan = try chain.plan(for: picture.format, size: picture.size)
    var options = GLOptions(stage: .fragment, transfer: transfer)
    let sound = try await GLBackend.shared(options)
    options.faults = GLFaults([.checkpoint: [checkpoint...checkpoint]])
    let backend = try await GLBackend.start(options)
    let told = Told()
    let expected = try await sound.execute(plan, picture).planes.map(\.bytes)
    let made = try await backend.execute(plan, picture) { told.add($0) }
    #expect(made.planes.map(\.bytes) == expected)
    let struck = await backend.faultCounts[.checkpoint]?.struck ?? 0
    #expect(told.remedies == [Recovery.Remedy](repeating: .freshContext, count: struck))
    #expect(struck == 1 || checkpoint > 6)
    #expect(await backend.textureStatistics.lentBytes == 0)
  }

  @Test func otherImagesAreRefused() async throws {
    let backend = try await GLBackend.shared(GLOptions(stage: .fragment))
    let picture = try TestPlanes.noise(8, 6, YCbCrFormat())
    let plan = try chain.plan(for: picture.format, size: picture.size)
    let luma = try await backend.upload(picture.planes[0])
    let chroma = try await backend.upload(picture.planes[1])
    await expectRefusal("input 1 is 8×6 gray8 opaque; the plan was made for 4×3 gray8 opaque") {
      _ = try await backend.execute(plan, [luma, luma, chroma])
    }
    await expectRefusal("2 images for a plan with 3 inputs") {
      _ = try await backend.execute(plan, [luma, chroma])
    }
    let other = try TestPlanes.noise(8, 6, .jpeg)
    await expectRefusal("bt601 full") { _ = try await backend.execute(plan, other) }
  }

  // The example in docs/integrate/gl-images.md.
  @Test func blurAFrameOfVideo() async throws {
    let frame = try TestPlanes.noise(64, 48, YCbCrFormat())
    let backend = try await GLBackend.start()
    let plan = try FilterChain([.gaussian(sigma: 12)]).plan(for: frame.format, size: frame.size)
    let blurred = try await backend.execute(plan, frame)
    // The same, staying on the device.
    var planes: [GLImage] = []
    for plane in frame.planes { planes.append(try await backend.upload(plane)) }
    let made = try await backend.execute(plan, planes)
    let luma = try await backend.download(made[0])
    #expect(luma.bytes == blurred.planes[0].bytes)
  }
}
