import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

/// Blurs whose standard deviation changes over the image, against the Gaussian of each pixel.
@Suite struct VariableBlurTests {
  /// An image with the standard deviation of each pixel.
  struct Case: CustomStringConvertible {
    var description: String
    var chain: FilterChain
    /// σ / most, from the pixel's center and the image's size.
    var share: (_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Double
  }

  static let most = 14.0

  static func smooth(_ t: Double) -> Double {
    let t = min(max(t, 0), 1)
    return t * t * (3 - 2 * t)
  }

  static func cases() throws -> [Case] {
    [
      Case(
        description: "up", chain: try FilterChain(text: "progressive-blur(14px)"),
        share: { _, y, _, height in 1 - y / height }),
      Case(
        description: "to the right, eased, in part",
        chain: try FilterChain(
          text: "progressive-blur(14px, 90deg, from=0.2, to=0.9, easing=smooth)"),
        share: { x, _, width, _ in smooth((x / width - 0.2) / 0.7) }),
      Case(
        description: "aslant",
        chain: try FilterChain(text: "progressive-blur(14px, 135deg, easing=ease-in)"),
        share: { x, y, width, height in
          let t = ((x - width / 2) + (y - height / 2)) / (width + height) + 0.5
          return t * t
        }),
      Case(
        description: "circle",
        chain: try FilterChain(text: "selective-blur(14px, radius=20px, falloff=40px)"),
        share: { x, y, width, height in
          let (dx, dy) = (x - width / 2, y - height / 2)
          return smooth(((dx * dx + dy * dy).squareRoot() - 20) / 40)
        }),
      Case(
        description: "band",
        chain: try FilterChain(text: "tilt-shift(14px, band=0.2, falloff=0.3)"),
        share: { _, y, _, height in
          smooth((abs(y - height / 2) - 0.1 * height) / (0.3 * height))
        }),
    ]
  }

  @Test(arguments: ["astronaut.jpg", "chelsea.png", "camera.png"])
  func isTheGaussianOfEachPixel(name: String) async throws {
    let photograph = try Photographs.load(name)
    let image = TestImages.make(128, 96, photograph.format) { x, y, channel in
      photograph.sample(x: 170 + x, y: 90 + y, channel: channel)
    }
    for item in try Self.cases() {
      let plan = try item.chain.plan(for: Plan.Input(image), options: PlanOptions(edge: .mirror))
      let result = try await FastBackend(threads: 2).execute(plan, [image])
      let (mean, worst) = Self.difference(result, image, item)
      #expect(mean <= 0.5, "\(name), \(item): mean \(mean)")
      #expect(worst <= 4, "\(name), \(item): at most \(worst)")
    }
  }

  /// Mean and largest distance from the true Gaussian of each pixel, in levels.
  private static func difference(
    _ result: Image, _ image: Image, _ item: Case
  ) -> (mean: Double, worst: Double) {
    let size = image.size
    let channels = image.format.layout.channels
    var (sum, worst) = (0.0, 0.0)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let share = item.share(
          Double(x) + 0.5, Double(y) + 0.5, Double(size.width), Double(size.height))
        let truth = gaussian(image, x, y, sigma: most * min(max(share, 0), 1))
        for channel in 0..<channels {
          let actual = Double(result.sample(x: x, y: y, channel: channel)) * 255
          let difference = abs(actual - truth[channel])
          sum += difference
          worst = max(worst, difference)
        }
      }
    }
    return (sum / Double(size.width * size.height * channels), worst)
  }

  /// One pixel of a blurred image, mirrored at its borders, in levels.
  private static func gaussian(_ image: Image, _ x: Int, _ y: Int, sigma: Double) -> [Double] {
    let kernel = GaussianKernel(sigma: max(sigma, 1e-3))
    let radius = sigma < 0.05 ? 0 : Int((4.5 * sigma).rounded(.up))
    let taps = kernel.cut(at: radius)
    let total = taps.dropFirst().reduce(taps[0]) { $0 + 2 * $1 }
    let size = image.size
    let rowBytes = image.bytesPerRow
    let channels = image.format.layout.channels
    func place(_ value: Int, _ count: Int) -> Int {
      EdgeMode.mirror.resolve(value, in: 0..<count) ?? 0
    }
    let columns = (-radius...radius).map { place(x + $0, size.width) * channels }
    var result = [Double](repeating: 0, count: channels)
    image.bytes.withUnsafeBufferPointer { bytes in
      for dy in -radius...radius {
        let row = place(y + dy, size.height) * rowBytes
        let weight = taps[abs(dy)] / total
        for channel in 0..<channels {
          var sum = 0.0
          for (index, column) in columns.enumerated() {
            sum += taps[abs(index - radius)] * Double(bytes[row + column + channel])
          }
          result[channel] += weight * sum / total
        }
      }
    }
    return result
  }

  /// Sharp pixels are bit-identical to the input.
  @Test func sharpPixelsAreUntouched() async throws {
    let image = TestImages.noise(80, 60)
    let chain = try FilterChain(text: "selective-blur(9px, radius=20px, falloff=10px)")
    let plan = try chain.plan(for: Plan.Input(image))
    let result = try await FastBackend(threads: 1).execute(plan, [image])
    var sharp = 0
    for y in 0..<60 {
      for x in 0..<80 {
        let (dx, dy) = (Double(x) + 0.5 - 40, Double(y) + 0.5 - 30)
        guard (dx * dx + dy * dy).squareRoot() < 20 else { continue }
        sharp += 1
        for channel in 0..<3 {
          #expect(
            result.sample(x: x, y: y, channel: channel)
              == image.sample(x: x, y: y, channel: channel))
        }
      }
    }
    #expect(sharp > 1000)
  }

  /// A falloff of nothing is a border, not a blur of everything.
  @Test(arguments: [
    "tilt-shift(9px, band=0.4, falloff=0)", "progressive-blur(9px, from=0.5, to=0.5)",
  ])
  func withoutAFalloffThereIsABorder(text: String) async throws {
    let image = TestImages.noise(40, 60)
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
    let result = try await FastBackend(threads: 1).execute(plan, [image])
    let same = { (y: Int) in
      (0..<40).allSatisfy { x in
        result.sample(x: x, y: y, channel: 1) == image.sample(x: x, y: y, channel: 1)
      }
    }
    // The sharp rows: the middle of a band, the lower half.
    #expect(same(32) && same(36))
    #expect(!same(2))
  }

  /// A constant stays constant, whatever the strength.
  @Test func constantsStay() async throws {
    let image = TestImages.make(70, 50, PixelFormat(.rgb, .uint8)) { _, _, channel in
      [0.2, 0.6, 0.8][channel]
    }
    for item in try Self.cases() {
      let plan = try item.chain.plan(for: Plan.Input(image))
      let result = try await FastBackend(threads: 1).execute(plan, [image])
      #expect(result.bytes == image.bytes, "\(item)")
    }
  }

  /// A mask that scales σ makes a progressive blur of a plain Gaussian.
  @Test func masksScaleSigma() async throws {
    let image = TestImages.noise(60, 50)
    let gradient = MaskShape.gradient(
      from: .init(x: 0, y: Length(100, .percent)), to: .init(x: 0, y: 0))
    let options = PlanOptions(mask: Mask([gradient], use: .scale))
    let input = Plan.Input(image)
    let masked = try FilterChain(text: "gaussian(9px)").plan(for: input, options: options)
    let progressive = try FilterChain(text: "progressive-blur(9px)").plan(for: input)
    let backend = ReferenceBackend()
    #expect(
      try await backend.execute(masked, [image]).bytes
        == backend.execute(progressive, [image]).bytes)
  }

  /// The scales begin at nothing, end at the most, and none is over 5/4 of the one before.
  @Test(arguments: [0.1, 0.3, 0.5, 0.51, 1, 7.7, 50, 1000])
  func scalesRiseInSmallSteps(most: Double) throws {
    let sigmas = BlurScales(upTo: most).sigmas
    #expect(sigmas.first == 0)
    #expect(sigmas.last == most)
    for (low, high) in zip(sigmas.dropFirst(), sigmas.dropFirst(2)) {
      #expect(high / low < 1.2501 && high > low)
    }
    #expect(sigmas[1] <= 0.46)
  }

  /// The bound that plans state: every mix of two scales against the kernel it stands for. From 3 on all kernels
  /// are the same bell, of another size.
  @Test func noMixIsFartherThanStated() {
    var worst = 0.0
    for most in stride(from: 0.3, through: 4, by: 0.11) {
      let sigmas = BlurScales(upTo: most).sigmas
      for (low, high) in zip(sigmas, sigmas.dropFirst()) {
        for step in 2..<9 {
          let sigma = low + (high - low) * Double(step) / 10
          worst = max(worst, Self.distance(low, high, sigma))
        }
      }
    }
    #expect(worst <= BlurScales.worstError)
    #expect(worst > 0.95 * BlurScales.worstError)
  }

  /// An image for which the mix is as far off as it can be comes out within what the plan says, and near it.
  @Test func theWorstImageIsWithinTheBound() async throws {
    let (middle, side) = (20, 41)
    // The least blurred of the two scales that make σ 1.5 of the most, 1.664.
    let sigmas = BlurScales(upTo: 1.664).sigmas
    let (low, sigma) = (sigmas[sigmas.count - 2], 1.497)
    let signs = Self.difference(low, 1.664, sigma)
    let image = TestImages.make(side, side, PixelFormat(.gray, .float32)) { x, y, _ in
      signs[(y - middle + 40) * 81 + x - middle + 40] > 0 ? 1 : 0
    }
    var coverage = Image(zeros: image.size, format: PixelFormat(.gray, .float32))
    coverage.withUnsafeMutableBytes { bytes in
      for index in 0..<side * side {
        bytes.storeBytes(of: Float(sigma / 1.664), toByteOffset: 4 * index, as: Float.self)
      }
    }
    let options = PlanOptions(
      mask: Mask([.picture(MaskImage(coverage))], use: .scale))
    let input = Plan.Input(image)
    let plan = try FilterChain(text: "gaussian(1.664px)").plan(for: input, options: options)
    let made = try await ReferenceBackend().execute(plan, [image])
    let exact = try FilterChain(text: "gaussian(\(sigma)px)").plan(for: input)
    let wanted = try await ReferenceBackend().execute(exact, [image])
    let error =
      255
      * abs(
        made.sample(x: middle, y: middle, channel: 0)
          - wanted.sample(x: middle, y: middle, channel: 0))
    #expect(Double(error) < plan.certifiedError.total)
    #expect(Double(error) > 0.9 * BlurScales.worstError)
  }

  /// 127.5 × the absolute difference of the two-dimensional kernels, summed.
  private static func distance(_ low: Double, _ high: Double, _ sigma: Double) -> Double {
    127.5 * difference(low, high, sigma).reduce(0) { $0 + abs($1) }
  }

  /// The two-dimensional kernel of a mix, less the one that it stands for.
  private static func difference(_ low: Double, _ high: Double, _ sigma: Double) -> [Double] {
    func kernel(_ sigma: Double) -> [Double] {
      let taps = (-40...40).map {
        sigma == 0 ? ($0 == 0 ? 1 : 0) : exp(-Double($0 * $0) / (2 * sigma * sigma))
      }
      let sum = taps.reduce(0, +)
      return taps.map { $0 / sum }
    }
    func variance(_ kernel: [Double]) -> Double {
      zip(-40...40, kernel).reduce(0) { $0 + Double($1.0 * $1.0) * $1.1 }
    }
    let (a, b, c) = (kernel(low), kernel(high), kernel(sigma))
    let share = (variance(c) - variance(a)) / (variance(b) - variance(a))
    return a.indices.flatMap { y in
      a.indices.map { x in (1 - share) * a[x] * a[y] + share * b[x] * b[y] - c[x] * c[y] }
    }
  }

  /// A blur that shows in a part only computes that part.
  @Test func computesOnlyWhatShows() throws {
    let size = Size(width: 1000, height: 800)
    let input = Plan.Input(size: size, format: .rgb8, alpha: .opaque, transfer: .encoded)
    let whole = try FilterChain(text: "gaussian(12px)").plan(for: input)
    var options = PlanOptions()
    options.mask = Mask([.rectangle(x: 100, y: 100, width: 200, height: 100)])
    let part = try FilterChain(text: "gaussian(12px)").plan(for: input, options: options)
    let samples = { (plan: Plan) in
      plan.steps.filter { if case .resample = $0.pass { true } else { false } }
        .compactMap(\.target).reduce(0) { $0 + plan.slots[$1].domain.area }
    }
    // 200 × 100 and the reach around them, of 1000 × 800.
    #expect(Double(samples(part)) < 0.12 * Double(samples(whole)))
  }
}
