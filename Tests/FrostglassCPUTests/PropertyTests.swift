import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Properties that hold for every filter and format.
struct PropertyTests {
  static func run(
    _ text: String, _ image: Image, _ options: PlanOptions = PlanOptions()
  ) async throws -> Image {
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image), options: options)
    try plan.validate(for: .none)
    return try await ReferenceBackend().execute(plan, [image])
  }

  @Test(arguments: PixelFormat.all, [EdgeMode.clamp, .mirror, .wrap])
  func aConstantStaysConstant(format: PixelFormat, edge: EdgeMode) async throws {
    let image = TestImages.flat(37, 23, format, [0.25, 0.5, 0.75, 1])
    // What a wide sum adds up depends on its taps and not on the format it began with.
    let wide = format == .rgba8 || format.depth == .float32 ? ["40", "700"] : []
    for sigma in ["0.5", "3", "9"] + wide {
      let result = try await Self.run("blur(\(sigma))", image, PlanOptions(edge: edge))
      // Depth decides what is left of a float's rounding.
      let tolerance = format.depth == .float32 ? 1e-3 : 0
      try expectClose(result, image, within: tolerance, "\(format) \(edge) \(sigma)")
    }
  }

  @Test(arguments: PixelFormat.all)
  func zeroSigmaIsIdentity(format: PixelFormat) async throws {
    let image = TestImages.noise(19, 11, format, seed: 5)
    for text in [
      "blur(0)", "gaussian(0, 0)", "box(0)", "saturation(1)", "mix(0)", "blur(9) mix(0)",
      "bilateral(0)", "bilateral(3, 0)", "bilateral-separable(0)", "median(0)", "pixelate(1)",
      "pixelate(1, hexagon)", "grain(0)",
    ] {
      let result = try await Self.run(text, image)
      let tolerance = format.depth == .float32 ? 1e-3 : 0
      try expectClose(result, image, within: tolerance, "\(format) \(text)")
    }
  }

  @Test func boxIsTheMeanOfItsSquare() async throws {
    let image = TestImages.noise(30, 20, PixelFormat(.gray, .float32))
    let result = try await Self.run("box(3)", image)
    for (x, y) in [(10, 9), (3, 3), (26, 16)] {
      var sum: Float = 0
      for dy in -3...3 {
        for dx in -3...3 { sum += image.sample(x: x + dx, y: y + dy, channel: 0) }
      }
      #expect(abs(result.sample(x: x, y: y, channel: 0) - sum / 49) < 1e-5)
    }
  }

  /// Variance of n boxes of width d: n (d² − 1) / 12 exactly.
  @Test(arguments: [(1, 1), (4, 1), (9, 3), (19, 3), (5, 10)])
  func boxVarianceIsExact(radius: Int, iterations: Int) async throws {
    let side = 2 * radius * iterations + 21
    let image = TestImages.impulse(side, side, PixelFormat(.gray, .float32))
    let result = try await Self.run("box(\(radius), \(iterations))", image)
    var variance = 0.0
    for x in 0..<side {
      for y in 0..<side {
        let distance = Double(x - side / 2)
        variance += distance * distance * Double(result.sample(x: x, y: y, channel: 0))
      }
    }
    let width = Double(2 * radius + 1)
    #expect(abs(variance / (Double(iterations) * (width * width - 1) / 12) - 1) < 1e-3)
  }

  /// Several boxes blur the endless continuation, not again and again its cut.
  @Test(arguments: EdgeMode.allCases)
  func repeatedBoxesSeeTheEndlessImage(edge: EdgeMode) async throws {
    let format = PixelFormat(.rgba, .float32)
    let small = TestImages.noise(24, 1, format, alpha: .premultiplied, seed: 3)
    let margin = 40
    let large = TestImages.make(24 + 2 * margin, 1, format, alpha: .premultiplied) {
      x, _, channel in
      edge.resolve(x - margin, in: 0..<24).map { small.sample(x: $0, y: 0, channel: channel) } ?? 0
    }
    let direct = try await Self.run("box(4, 3)", small, PlanOptions(edge: edge))
    let around = try await Self.run("box(4, 3)", large, PlanOptions(edge: edge))
    for x in 0..<24 {
      for channel in 0..<4 {
        let difference =
          direct.sample(x: x, y: 0, channel: channel)
          - around.sample(x: x + margin, y: 0, channel: channel)
        // A row one pixel high continues in y as well, in both images alike.
        #expect(abs(difference) < 1e-5, "\(edge) \(x)")
      }
    }
  }

  @Test(arguments: [AlphaMode.straight, .premultiplied])
  func alphaModesAgree(alpha: AlphaMode) async throws {
    let straight = TestImages.make(21, 17, PixelFormat(.rgba, .float32)) { x, y, channel in
      channel == 3 ? Float(x % 4) / 4 + 0.25 : Float((x + y + channel) % 5) / 5
    }
    let image = TestImages.make(21, 17, PixelFormat(.rgba, .float32), alpha: alpha) {
      x, y, channel in
      let value = straight.sample(x: x, y: y, channel: channel)
      let coverage = straight.sample(x: x, y: y, channel: 3)
      return alpha == .premultiplied && channel < 3 ? value * coverage : value
    }
    let text = "blur(4px) saturation(1.8) tint(red, 0.2) invert(0.3)"
    let expected = try await Self.run(text, straight)
    let result = try await Self.run(text, image)
    #expect(result.alpha == alpha)
    try expectClose(result, expected, within: 1e-3, "\(alpha)")
  }

  @Test func stridesAreRespected() async throws {
    let packed = TestImages.noise(17, 9)
    var bytes = [UInt8](repeating: 77, count: 9 * 64)
    for y in 0..<9 {
      for index in 0..<51 { bytes[y * 64 + index] = packed.bytes[y * 51 + index] }
    }
    let strided = try Image(size: packed.size, format: .rgb8, bytesPerRow: 64, bytes: bytes)
    let expected = try await Self.run("blur(5)", packed)
    try expectClose(try await Self.run("blur(5)", strided), expected, within: 0, "strided")
  }

  @Test func sixteenBitsAreFinerThanEight() async throws {
    let image = TestImages.noise(33, 33, PixelFormat(.rgb, .uint16))
    let chain: FilterChain = [.gaussian(sigma: 6)]
    let plan = try chain.plan(for: Plan.Input(image))
    #expect(plan.result.format.depth == .uint16)
    let result = try await ReferenceBackend().execute(plan, [image])
    let truth = TruthImage(image).gaussian(x: 6, y: 6, edge: .clamp).image(transfer: .encoded)
    try expectClose(result, truth, within: plan.certifiedError.total + 0.5 / 257, "16 bit")
  }

  @Test func aWrongImageIsRefused() async throws {
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(TestImages.noise(8, 8)))
    await #expect(throws: BackendError.self) {
      try await ReferenceBackend().execute(plan, [TestImages.noise(8, 9)])
    }
    await #expect(throws: BackendError.self) { try await FastBackend(threads: 2).execute(plan, []) }
    var cut = TestImages.noise(8, 8)
    cut.bytes = [1, 2, 3]
    await #expect(throws: BackendError.self) { try await ReferenceBackend().execute(plan, [cut]) }
  }
}
