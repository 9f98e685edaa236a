import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// One run with several results.
struct SeveralResultsTests {
  static let chains = [
    "blur(20px)", "blur(20px) saturate(1.8) tint(white, 0.3)", "brightness(1)", "median(2)",
    "drop-shadow(5px 9px 4px black)", "grayscale(1)",
  ]

  private func plans(
    for image: Image, _ options: PlanOptions = PlanOptions()
  ) throws -> [Plan] {
    try Self.chains.map { try FilterChain(text: $0).plan(for: Plan.Input(image), options: options) }
  }

  /// Each within what it and the one that was made alone are certified for.
  private func expect(
    _ results: [Image], _ plans: [Plan], from backend: any Backend, _ image: Image
  ) async throws {
    #expect(results.count == plans.count)
    for ((plan, result), text) in zip(zip(plans, results), Self.chains) {
      let alone = try await backend.execute(plan, [image])
      let difference = try ImageComparison(result, alone).maximum
      #expect(
        difference <= 2 * plan.certifiedError.arithmetic + 1, "\(text) on \(backend.name)")
    }
  }

  private static let backends: [any Backend] = [
    ReferenceBackend(), FastBackend(threads: 1), FastBackend(threads: 3),
    FastBackend(threads: 2, instructions: .portable, guardedWith: 0x55),
  ]

  @Test(arguments: [PixelFormat.rgb8, .rgba8, .gray8], [false, true])
  func eachIsAsAlone(_ format: PixelFormat, linearLight: Bool) async throws {
    let image = TestImages.noise(97, 183, format)
    let plans = try plans(for: image, PlanOptions(linearLight: linearLight))
    let joined = try Plan(joining: plans)
    for backend in Self.backends {
      try await expect(try await backend.executeAll(joined, [image]), plans, from: backend, image)
    }
  }

  /// Rows in and out, the caller's memory and images side by side.
  @Test func goWhereTheyAreWanted() async throws {
    let image = TestImages.noise(61, 140, .rgba8)
    let plans = Array(try plans(for: image).prefix(3))
    let joined = try Plan(joining: plans)
    for backend in Self.backends {
      let (rows, made) = (ImageRows(joined.results[0]), ImageOutput())
      let stride = 61 * 4 + 13
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * 140, alignment: 16)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0xAA)
      _ = try await backend.run(
        joined,
        PixelIO(
          [.rows(ImageSource(image))],
          to: [
            .rows(rows), .memory(MutablePixelMemory(bytes: memory, bytesPerRow: stride)),
            .image(made),
          ]))
      let second = try Image(
        size: image.size, format: .rgba8, alpha: joined.results[1].alpha, transfer: .encoded,
        bytes: (0..<140).flatMap { Array(memory[$0 * stride..<$0 * stride + 61 * 4]) })
      let results = [rows.image, second, made.take()].compactMap { $0 }
      let expected = try await backend.executeAll(joined, [image])
      #expect(results.map(\.bytes) == expected.map(\.bytes), "\(backend.name)")
      // What lies between rows is not touched.
      #expect((0..<139).allSatisfy { memory[$0 * stride + 61 * 4] == 0xAA })
    }
  }

  /// The bytes do not depend on the number of threads and strips.
  @Test(arguments: [2, 3, 5]) func stripsAreTheWhole(threads: Int) async throws {
    let image = TestImages.noise(64, 301)
    let joined = try Plan(joining: try plans(for: image))
    let whole = try await FastBackend(threads: 1).executeAll(joined, [image])
    let strips = try await FastBackend(threads: threads).executeAll(joined, [image])
    #expect(strips.map(\.bytes) == whole.map(\.bytes))
  }

  @Test func partsAreThoseOfTheWhole() async throws {
    let image = TestImages.noise(97, 83, .rgba8)
    let joined = try Plan(joining: try plans(for: image))
    let rect = Rect(x: 13, y: 29, width: 31, height: 17)
    for backend in Self.backends {
      let whole = try await backend.executeAll(joined, [image])
      let parts = try await backend.executeAll(try joined.cropped(to: rect), [image])
      #expect(parts.map(\.bytes) == whole.map { $0.bytes(in: rect) }, "\(backend.name)")
    }
  }

  @Test func asManyOutputsAsResults() async throws {
    let image = TestImages.noise(9, 8)
    let joined = try Plan(joining: try plans(for: image))
    for backend in Self.backends {
      await #expect(throws: BackendError.self) { try await backend.execute(joined, [image]) }
    }
  }
}
