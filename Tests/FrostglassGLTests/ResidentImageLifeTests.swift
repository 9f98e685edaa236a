import FrostglassCore
import FrostglassGL
import Testing

/// Ownership of resident images, and the release of their memory.
@Suite struct ResidentImageLifeTests {
  @Test func giveTheirMemoryBack() async throws {
    let backend = try await GLBackend.start()
    let image = Image.noise(40, 30)
    do {
      let first = try await backend.upload(image)
      #expect(await backend.textureStatistics.lentBytes == first.bytes)
      let second = try await backend.copy(first)
      #expect(await backend.textureStatistics.lentBytes == first.bytes + second.bytes)
    }
    #expect(await backend.textureStatistics.lentBytes == 0)
    await backend.trim()
    #expect(await backend.textureStatistics.heldBytes == 0)
  }

  @Test func goFromFrameToFrameWithoutNewMemory() async throws {
    let backend = try await GLBackend.start()
    let image = Image.noise(90, 70)
    let plan = try FilterChain([.gaussian(sigma: 6)]).plan(for: Plan.Input(image))
    var picture = try await backend.upload(image)
    for _ in 0..<4 { picture = try await backend.execute(plan, [picture]) }
    let settled = await backend.textureStatistics
    for _ in 0..<20 { picture = try await backend.execute(plan, [picture]) }
    var now = await backend.textureStatistics
    now.reused = settled.reused
    #expect(now == settled)
  }

  @Test func keepTheirBackend() async throws {
    func picture(of image: Image) async throws -> GLImage {
      try await GLBackend.start().upload(image)
    }
    for _ in 0..<5 { _ = try await picture(of: Image.noise(20, 10)) }
  }

  @Test func belongToOneBackend() async throws {
    let (first, second) = (try await GLBackend.start(), try await GLBackend.start())
    let image = Image.noise(20, 10)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
    let picture = try await first.upload(image)
    await expectRefusal("another backend") { _ = try await second.download(picture) }
    await expectRefusal("another backend") { _ = try await second.copy(picture) }
    await expectRefusal("another backend") { _ = try await second.execute(plan, [picture]) }
    #expect(await second.textureStatistics.lentBytes == 0)
  }

  @Test func areRefusedByOtherPlans() async throws {
    let backend = try await GLBackend.start()
    let picture = try await backend.upload(Image.noise(20, 10))
    let other = Plan.Input(Image.noise(21, 10))
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: other)
    await #expect(
      throws: BackendError.inputMismatch(index: 0, expected: other, got: picture.input)
    ) { try await backend.execute(plan, [picture]) }
    await expectRefusal("2 images") { _ = try await backend.execute(plan, [picture, picture]) }
  }

  @Test func areNoLargerThanTextures() async throws {
    let backend = try await GLBackend.start(GLOptions(longestSide: 64))
    await expectRefusal("64×64") { _ = try await backend.upload(Image.noise(65, 10)) }
    let little = try await GLBackend.start(GLOptions(textureBytes: 1000))
    await expectRefusal("1000 bytes") { _ = try await little.upload(Image.noise(20, 20)) }
    #expect(await little.textureStatistics.lentBytes == 0)
  }

  @Test func areNoMoreThanThereIsRoomFor() async throws {
    let backend = try await GLBackend.start(GLOptions(textureBytes: 100_000))
    let image = Image.noise(100, 100)
    let plan = try FilterChain([.saturation(0)]).plan(for: Plan.Input(image))
    let pictures = [try await backend.upload(image), try await backend.upload(image)]
    for format in [PixelFormat.rgba8, .rgb8, .gray8] {
      await expectRefusal("are taken") {
        _ = try await backend.upload(Image.noise(100, 100, format))
      }
    }
    await expectRefusal("cannot run this") { _ = try await backend.copy(pictures[0]) }
    await expectRefusal("cannot run this") { _ = try await backend.execute(plan, [pictures[1]]) }
    #expect(try await backend.download(pictures[1]).bytes == image.bytes)
    // The image of one channel that is brought is another 10 000 bytes for a moment.
    let narrow = try await GLBackend.start(GLOptions(textureBytes: 45_000))
    await expectRefusal("of which 10000 are taken") {
      _ = try await narrow.upload(Image.noise(100, 100, .gray8))
    }
  }
}
