import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Plans that are made ready for frame after frame.
struct PreparedRowsTests {
  static let chains = [
    "blur(20px)", "box(6, 3)", "thin-dark(9px)", "median(2)", "median(6)", "bilateral(2px)",
    "zoom(amount=0.4)",
    "pixelate(7px)", "blur(5px) blur(30px)", "drop-shadow(5px 9px 4px black)",
    "motion(90px, 25deg)",
    "glass(width=60px, height=50px, radius=20px, refraction=40px, depth=12px, dispersion=1)",
  ]

  private static let backends = [
    FastBackend(threads: 1), FastBackend(threads: 3),
    FastBackend(threads: 2, instructions: .best, guardedWith: 0xAA),
  ]

  /// Nothing of one frame is left in the next, wherever frames come from and go to.
  @Test(arguments: chains, [false, true])
  func framesHaveTheBytesOfRunsOfTheirOwn(_ text: String, linearLight: Bool) async throws {
    for backend in Self.backends {
      let first = TestImages.noise(61, 147, .rgba8)
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(first), options: PlanOptions(linearLight: linearLight))
      let prepared = try backend.prepareRows(plan)
      for seed in 1...4 {
        let frame = TestImages.noise(61, 147, .rgba8, seed: UInt64(seed))
        let expected = try await backend.execute(plan, [frame])
        let (rows, image) = (ImageRows(plan.result), ImageOutput())
        if seed % 2 == 0 {
          _ = try await prepared.run(PixelIO([.rows(ImageSource(frame))], to: [.rows(rows)]))
        } else {
          _ = try await prepared.run(PixelIO([.image(frame)], to: [.image(image)]))
        }
        #expect((rows.image ?? image.take())?.bytes == expected.bytes, "\(text), frame \(seed)")
      }
    }
  }

  /// Also where the last rows of a frame have the numbers of the next one's first.
  @Test(
    arguments: ["motion(40px, 60deg)", "lens(9px)", "kawase(4px)", "median(3)", "median(6)"],
    [false, true])
  func lowFramesHaveTheBytesOfRunsOfTheirOwn(_ text: String, linearLight: Bool) async throws {
    for backend in Self.backends {
      let first = TestImages.noise(31, 11, .rgba8)
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(first), options: PlanOptions(linearLight: linearLight))
      let prepared = try backend.prepareRows(plan)
      for seed in 1...3 {
        let frame = TestImages.noise(31, 11, .rgba8, seed: UInt64(seed))
        let expected = try await backend.execute(plan, [frame])
        let image = ImageOutput()
        _ = try await prepared.run(PixelIO([.image(frame)], to: [.image(image)]))
        #expect(image.take()?.bytes == expected.bytes, "\(text), frame \(seed)")
      }
    }
  }

  @Test func theCallersMemoryMayBeElsewhereEachTime() throws {
    let image = TestImages.noise(40, 31, .rgba8)
    let plan = try FilterChain([.gaussian(sigma: 6)]).plan(for: Plan.Input(image))
    let backend = FastBackend(threads: 2)
    let output = ImageOutput()
    _ = try backend.runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
    let expected = try #require(output.take()).bytes
    let prepared = try backend.prepareRows(plan)
    for gap in [0, 12, 3] {
      let stride = 160 + gap
      let result = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * 31, alignment: 16)
      defer { result.deallocate() }
      result.initializeMemory(as: UInt8.self, repeating: 0x77)
      var source = [UInt8](repeating: 0, count: stride * 31)
      for y in 0..<31 {
        source.replaceSubrange(
          y * stride..<y * stride + 160, with: image.bytes[y * 160..<y * 160 + 160])
      }
      try source.withUnsafeBytes { bytes in
        try prepared.runNow(
          PixelMemory(plan.inputs[0], bytes: bytes, bytesPerRow: stride),
          into: MutablePixelMemory(bytes: result, bytesPerRow: stride))
      }
      let rows = (0..<31).flatMap { Array(result[$0 * stride..<$0 * stride + 160]) }
      #expect(rows == expected, "\(gap)")
      #expect(
        (0..<31).allSatisfy { y in (160..<stride).allSatisfy { result[y * stride + $0] == 0x77 } })
    }
  }

  @Test func framesAtOnceTakeTurns() async throws {
    let frames = (1...6).map { TestImages.noise(90, 80, .rgb8, seed: UInt64($0)) }
    let plan = try FilterChain(text: "blur(9px) median(1)").plan(for: Plan.Input(frames[0]))
    let backend = FastBackend(threads: 3)
    let prepared = try backend.prepare(plan)
    let results = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
      for (index, frame) in frames.enumerated() {
        group.addTask {
          let output = ImageOutput()
          _ = try await prepared.run(PixelIO([.image(frame)], to: [.image(output)]))
          return (index, output.take()?.bytes ?? [])
        }
      }
      return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
    }
    for (index, frame) in frames.enumerated() {
      let expected = try await backend.execute(plan, [frame])
      #expect(results[index] == expected.bytes, "\(index)")
    }
  }

  @Test func otherFramesAreRefused() async throws {
    let image = TestImages.noise(40, 31)
    let plan = try FilterChain([.gaussian(sigma: 6)]).plan(for: Plan.Input(image))
    let prepared = try FastBackend(threads: 1).prepare(plan)
    let other = TestImages.noise(41, 31)
    await #expect(throws: BackendError.self) {
      try await prepared.run(PixelIO([.image(other)], to: [.image(ImageOutput())]))
    }
    let cancellation = Cancellation()
    cancellation.cancel()
    await #expect(throws: BackendError.cancelled) {
      try await prepared.run(
        PixelIO([.image(image)], to: [.image(ImageOutput())], cancellation: cancellation))
    }
    // And the next frame is rendered.
    _ = try await prepared.run(PixelIO([.image(image)], to: [.image(ImageOutput())]))
  }
}
