import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Images go straight or through buffers, with the same bytes.
@Suite struct TransferTests {
  private func pair(
    _ setup: Setup, change: (inout GLOptions) -> Void = { _ in }
  ) async throws -> (direct: GLBackend, buffered: GLBackend) {
    var options = setup.options
    change(&options)
    options.transfer = .direct
    let direct = try await GLBackend.start(options)
    options.transfer = .buffered
    return (direct, try await GLBackend.start(options))
  }

  @Test(arguments: Setup.allCases) func imagesMayBeInTheCallersMemory(_ setup: Setup) async throws {
    let (direct, buffered) = try await pair(setup)
    try await expectImagesInCallersMemory(direct)
    try await expectImagesInCallersMemory(buffered)
  }

  /// A plan that the backend refuses ends the rows that it does not read.
  @Test func refusedRowsAreEndedOnce() async throws {
    let backend = try await GLBackend.start(Setup.allCases[0].options)
    let image = Image.noise(16, 16, .rgba8)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
    for count in 1...2 {
      let sources = (0..<count).map { _ in ImageSource(image) }
      let io = PixelIO(sources.map { .rows($0) }, to: [.image(ImageOutput())])
      let report = try? await backend.run(plan, io)
      #expect((report != nil) == (count == 1))
      #expect(sources.map(\.ends) == Array(repeating: 1, count: count))
      #expect(sources[0].rows == (count == 1 ? 16 : 0))
    }
  }

  @Test(arguments: Setup.allCases) func givesTheSameBytes(_ setup: Setup) async throws {
    let (direct, buffered) = try await pair(setup)
    // Transfers are the same in every setup: each has half of the formats.
    for (index, format) in PixelFormat.all.enumerated() where setup.takes(index) {
      for (width, height) in [(1, 1), (3, 5), (67, 41)] {
        let image = Image.noise(width, height, format)
        let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
        let expected = try await direct.execute(plan, [image])
        #expect(try await buffered.execute(plan, [image]).bytes == expected.bytes, "\(format)")
        for gap in [1, 12] {
          let padded = try image.padded(by: gap)
          #expect(try await buffered.execute(plan, [padded]).bytes == expected.bytes)
        }
        let picture = try await buffered.upload(image)
        #expect(try await buffered.download(picture).bytes == image.bytes, "\(format)")
      }
    }
    #expect(await direct.textureStatistics.bufferBytes == 0)
    #expect(await buffered.textureStatistics.bufferBytes > 0)
    await buffered.trim()
    #expect(await buffered.textureStatistics.bufferBytes == 0)
  }

  /// Images of several megabytes are copied by several threads, whatever lies between their rows.
  @Test func largeImagesAreCopiedBySeveralThreads() async throws {
    let backend = try await GLBackend.shared(GLOptions(stage: .blocked, transfer: .buffered))
    for format in [PixelFormat.rgba8, .rgb8] {
      let image = Image.noise(1031, 1117, format, alpha: .premultiplied)
      let plan = try FilterChain([]).plan(for: Plan.Input(image))
      for picture in [image, try image.padded(by: 20)] {
        let kept = try await backend.upload(picture)
        #expect(try await backend.download(kept).bytes == image.bytes, "\(format)")
        let made = try await backend.execute(plan, [kept])
        #expect(try await backend.download(made).bytes == image.bytes, "\(format)")
      }
    }
  }

  @Test(arguments: Setup.allCases) func givesTheSameInTiles(_ setup: Setup) async throws {
    let (whole, _) = try await pair(setup)
    let (direct, buffered) = try await pair(setup) { $0.textureBytes = 1 << 20 }
    for format in [PixelFormat.rgba8, .rgb8, PixelFormat(.gray, .float32)] {
      let image = Image.noise(301, 257, format)
      let plan = try FilterChain([.gaussian(sigma: 6)]).plan(for: Plan.Input(image))
      let expected = try await whole.execute(plan, [image]).bytes
      #expect(try await direct.execute(plan, [image]).bytes == expected, "\(format)")
      #expect(try await buffered.execute(plan, [image]).bytes == expected, "\(format)")
      let statistics = await buffered.textureStatistics
      #expect(statistics.heldBytes + statistics.bufferBytes <= 1 << 20)
    }
  }

  @Test func goesWithoutBuffersWhereThereIsNoRoom() async throws {
    let (direct, buffered) = try await pair(.fragment) { $0.textureBytes = 100_000 }
    let image = Image.noise(60, 50)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
    let expected = try await direct.execute(plan, [image])
    #expect(try await buffered.execute(plan, [image]).bytes == expected.bytes)
    #expect(await buffered.textureStatistics.bufferBytes == 0)
  }

  @Test(arguments: [1, 3]) func keepsFramesApart(_ framesInFlight: Int) async throws {
    let (direct, buffered) = try await pair(.fragment) { $0.framesInFlight = framesInFlight }
    let frames = (0..<24).map { Image.noise(90 + $0 % 3, 70, seed: UInt64($0)) }
    let plans = try frames.map {
      try FilterChain([.gaussian(sigma: 4)]).plan(for: Plan.Input($0))
    }
    let results = try await withThrowingTaskGroup { group in
      for (index, frame) in frames.enumerated() {
        group.addTask { (index, try await buffered.execute(plans[index], [frame]).bytes) }
      }
      return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
    }
    for (index, frame) in frames.enumerated() {
      let expected = try await direct.execute(plans[index], [frame])
      #expect(results[index] == expected.bytes, "frame \(index)")
    }
    #expect(await buffered.textureStatistics.lentBytes == 0)
  }

  @Test func takesNoNewMemoryFromFrameToFrame() async throws {
    let (_, buffered) = try await pair(.fragment)
    let image = Image.noise(200, 150)
    let plan = try FilterChain([.gaussian(sigma: 4)]).plan(for: Plan.Input(image))
    func frames(_ count: Int) async throws {
      try await withThrowingTaskGroup { group in
        for _ in 0..<count {
          group.addTask { _ = try await buffered.execute(plan, [image]) }
        }
        try await group.waitForAll()
      }
    }
    try await frames(12)
    // Three frames, each with a buffer for the way there and one for the way back.
    let most = 6 * 131_072
    for _ in 0..<5 {
      try await frames(12)
      #expect(await buffered.textureStatistics.bufferBytes <= most)
    }
  }

  @Test(arguments: [GLOptions.TransferMode.direct, .buffered])
  func writesIntoTheMemoryThatIsThere(_ mode: GLOptions.TransferMode) async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: mode))
    for format in [PixelFormat.rgba8, .rgb8] {
      let image = Image.noise(200, 150, format)
      let plan = try FilterChain([.gaussian(sigma: 4)]).plan(for: Plan.Input(image))
      let expected = try await backend.execute(plan, [image])
      var result = Image(zeros: image.size, format: image.format)
      let before = result.bytes.withUnsafeBytes { $0.baseAddress }
      try await backend.execute(plan, [image], into: &result)
      #expect(result.bytes == expected.bytes)
      #expect(result.bytes.withUnsafeBytes { $0.baseAddress } == before)
      var other = Image(zeros: Size(width: 3, height: 2), format: .gray8)
      try await backend.execute(plan, [image], into: &other)
      #expect(other.bytes == expected.bytes && other.size == image.size)
    }
  }

  @Test(arguments: [GLOptions.TransferMode.direct, .buffered])
  func leavesAnImageWhereItFails(_ mode: GLOptions.TransferMode) async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: mode))
    let image = Image.noise(20, 20)
    let taps = [Float](repeating: 1.0 / 20001, count: 10_001)
    let plan = try SmallPlans.chain(
      on: image, [.convolve(Convolve(axis: .x, taps: taps))], edge: .clamp)
    var result = image
    await #expect(throws: BackendError.self) {
      var copy = image
      try await backend.execute(plan, [image], into: &copy)
    }
    do { try await backend.execute(plan, [image], into: &result) } catch {}
    #expect(result.bytes.count == image.bytes.count)
    #expect(await backend.textureStatistics.lentBytes == 0)
    // The next one finds its turn.
    for _ in 0..<4 {
      let other = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
      _ = try await backend.execute(other, [image])
    }
  }
}
