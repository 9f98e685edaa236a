import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

/// Bilateral filters against their formula, computed apart, and against what they are for.
struct BilateralTests {
  static let rgba = PixelFormat(.rgba, .float32)
  static let gray = PixelFormat(.gray, .float32)

  @Test(arguments: ["bilateral(3px)", "bilateral-separable(9px)", "gpuimage-bilateral()"])
  func aConstantStaysConstant(text: String) async throws {
    for format in PixelFormat.all {
      let image = TestImages.flat(19, 13, format, [0.25, 0.5, 0.75, 1])
      let result = try await PropertyTests.run(text, image)
      try expectClose(
        result, image, within: format.depth == .float32 ? 1e-3 : 0, "\(text) \(format)")
    }
  }

  /// Weights are off by a share of themselves that moves a mean by at most twice that share of full
  /// scale; floats add a thousandth of a level.
  @Test(arguments: EdgeMode.allCases)
  func theFormulaHolds(edge: EdgeMode) async throws {
    let image = TestImages.noise(15, 12, Self.rgba, alpha: .premultiplied, seed: 4)
    let result = try await PropertyTests.run(
      "bilateral(1.5px, 0.3)", image, PlanOptions(edge: edge))
    let sigma = 1.5
    let expected = Self.direct(image, edge, radius: (5, 5), spacing: 1) { dx, dy, difference in
      let range = difference / 3 / (2 * 0.3 * 0.3)
      return exp(-Double(dx * dx + dy * dy) / (2 * sigma * sigma) - range)
    }
    let weights = 255 * 2 * PowerOfTwo.relativeError
    try expectClose(result, expected, within: weights + 0.001, "bilateral \(edge)")
  }

  /// Blocks of columns, vectors that are not full, every number of channels and kind of sample.
  @Test(
    arguments: PixelFormat.all,
    [
      "bilateral(1.5px, 0.08)", "bilateral(1px, 10)", "bilateral-separable(5px)",
      "gpuimage-bilateral(3)",
    ])
  func kernelsAreTheReferences(format: PixelFormat, text: String) async throws {
    let image = TestImages.noise(291, 21, format, alpha: .premultiplied, seed: 12)
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
    let unrounded = plan.storing(as: PixelFormat(format.layout, .float32))
    let expected = try await ReferenceBackend().execute(unrounded, [image])
    let first = try await FastBackend(threads: 1, instructions: .portable)
      .execute(unrounded, [image])
    let isFloat = plan.arithmetic() == .float
    try expectClose(
      first, expected, within: isFloat ? 0 : plan.certifiedError.arithmetic, "\(text) \(format)")
    for instructions in InstructionSet.allCases {
      let backend = FastBackend(threads: 2, instructions: instructions)
      let actual = try await backend.execute(unrounded, [image])
      #expect(actual.bytes == first.bytes, "\(backend.instructions)")
    }
  }

  @Test func gpuImagesFormulaHolds() async throws {
    let image = TestImages.noise(30, 27, Self.rgba, alpha: .premultiplied, seed: 6)
    let result = try await PropertyTests.run("gpuimage-bilateral(1.1, 3)", image)
    let table = [0.18, 0.15, 0.12, 0.09, 0.05]
    let weight = { (distance: Int, difference: Double) in
      table[abs(distance)] * (1 - min(1, difference.squareRoot() * 1.1))
    }
    let columns = Self.direct(image, .clamp, radius: (0, 4), spacing: 3) { weight($1, $2) }
    let expected = Self.direct(columns, .clamp, radius: (4, 0), spacing: 3) { dx, _, difference in
      weight(dx, difference)
    }
    try expectClose(result, expected, within: 0.001, "gpuimage-bilateral")
  }

  /// Without regard to color GPUImage's nine weights are seen as they are.
  @Test func gpuImagesWeightsAreSeen() async throws {
    let image = TestImages.impulse(41, 41, Self.gray)
    let result = try await PropertyTests.run("gpuimage-bilateral(0)", image)
    let table: [Float] = [0.18, 0.15, 0.12, 0.09, 0.05]
    for j in -4...4 {
      for i in -4...4 {
        let sample = result.sample(x: 20 + 4 * i, y: 20 + 4 * j, channel: 0)
        #expect(abs(sample - table[abs(i)] * table[abs(j)]) < 1e-6)
      }
    }
    #expect(result.sample(x: 21, y: 20, channel: 0) == 0)
  }

  /// An edge that a Gaussian smears stays, and the noise on both sides goes.
  @Test(arguments: ["bilateral(4px, 0.1)", "bilateral-separable(4px, 0.1)"])
  func edgesStayAndNoiseGoes(text: String) async throws {
    var random = TestImages.Random(seed: 8)
    let image = TestImages.make(64, 48, Self.gray) { x, _, _ in
      (x < 32 ? 0.2 : 0.8) + 0.06 * (random.next() - 0.5)
    }
    let result = try await PropertyTests.run(text, image)
    let gaussian = try await PropertyTests.run("gaussian(4px)", image)
    #expect(Self.deviation(result, 10..<24) < 0.35 * Self.deviation(image, 10..<24))
    for y in 0..<48 {
      #expect(result.sample(x: 31, y: y, channel: 0) < 0.25)
      #expect(result.sample(x: 32, y: y, channel: 0) > 0.75)
      #expect(gaussian.sample(x: 31, y: y, channel: 0) > 0.4)
    }
  }

  /// With a range that counts nothing, only the cut at 3σ and the range's last bit remain: twice the
  /// weight that is cut off, and twice the most that a weight falls.
  @Test func aHugeRangeIsAGaussian() async throws {
    let image = TestImages.noise(50, 40, PixelFormat(.rgb, .float32), seed: 2)
    let result = try await PropertyTests.run("bilateral(4px, 10)", image)
    let truth = TruthImage(image).gaussian(x: 4, y: 4, edge: .clamp).image(transfer: .encoded)
    let weights = GaussianKernel(sigma: 4).weights
    let kept = 2 * weights[0...12].reduce(0, +) - weights[0]
    let lost = 1 - kept * kept
    let fall = 1 - exp(-1.0 / 200)
    try expectClose(result, truth, within: 255 * 2 * (lost + fall), "bilateral without range")
  }

  /// A row of pixels, repeated beyond its borders, has only one dimension to filter.
  @Test func onOneRowTheApproximationIsExact() async throws {
    let image = TestImages.noise(60, 1, PixelFormat(.rgb, .float32), seed: 3)
    let exact = try await PropertyTests.run("bilateral(3px, 0.4)", image)
    let separable = try await PropertyTests.run("bilateral-separable(3px, 0.4)", image)
    try expectClose(separable, exact, within: 0.001, "one row")
    let square = TestImages.noise(30, 30, PixelFormat(.rgb, .float32), seed: 3)
    let both = [
      try await PropertyTests.run("bilateral(3px, 0.4)", square),
      try await PropertyTests.run("bilateral-separable(3px, 0.4)", square),
    ]
    #expect(try ImageComparison(both[0], both[1]).maximum > 5)
  }

  /// Colors stay as they are where alpha falls off.
  @Test(arguments: ["bilateral(3px, 2)", "bilateral-separable(3px, 2)", "gpuimage-bilateral(0.3)"])
  func alphaEdgesAreNotDark(text: String) async throws {
    let image = TestImages.disc(31, radius: 9, color: [1, 0.5, 0.25], depth: .float32)
    let result = try await PropertyTests.run(text, image)
    var soft = 0
    for y in 0..<31 {
      for x in 0..<31 {
        let alpha = result.sample(x: x, y: y, channel: 3)
        guard alpha > 0.001 else { continue }
        if alpha < 0.9 { soft += 1 }
        for (channel, value) in [Float(1), 0.5, 0.25].enumerated() {
          #expect(abs(result.sample(x: x, y: y, channel: channel) - value) < 1e-3)
        }
      }
    }
    #expect(soft > 20)
  }

  @Test func tooLargeASigmaIsRefused() {
    let input = Plan.Input(TestImages.noise(4, 4))
    #expect(throws: PlanError.self) {
      try FilterChain([.bilateral(sigma: 11)]).plan(for: input)
    }
    #expect(throws: PlanError.self) {
      try FilterChain([.separableBilateral(sigma: 101)]).plan(for: input)
    }
  }

  /// The standard deviation of some columns.
  private static func deviation(_ image: Image, _ columns: Range<Int>) -> Double {
    let samples = columns.flatMap { x in
      (0..<image.size.height).map { Double(image.sample(x: x, y: $0, channel: 0)) }
    }
    let mean = samples.reduce(0, +) / Double(samples.count)
    return (samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(samples.count))
      .squareRoot()
  }

  /// A weighted mean in double precision; `weight` gets steps along x and y, and the squared
  /// distance of two colors.
  private static func direct(
    _ image: Image, _ edge: EdgeMode, radius: (x: Int, y: Int), spacing: Int,
    _ weight: (Int, Int, Double) -> Double
  ) -> Image {
    func pixel(_ x: Int, _ y: Int) -> SIMD4<Double> {
      guard let x = edge.resolve(x, in: 0..<image.size.width),
        let y = edge.resolve(y, in: 0..<image.size.height)
      else { return .zero }
      return SIMD4((0..<4).map { Double(image.sample(x: x, y: y, channel: $0)) })
    }
    var result = image
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        let center = pixel(x, y)
        var (sum, weights) = (SIMD4<Double>.zero, 0.0)
        for dy in -radius.y...radius.y {
          for dx in -radius.x...radius.x {
            let sample = pixel(x + dx * spacing, y + dy * spacing)
            let difference = sample - center
            let w = weight(dx, dy, (difference * difference).sum())
            sum += w * sample
            weights += w
          }
        }
        for channel in 0..<4 {
          result.setSample(Float(sum[channel] / weights), x: x, y: y, channel: channel)
        }
      }
    }
    return result
  }
}
