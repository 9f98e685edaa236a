import FrostglassCore
import FrostglassCPU
import FrostglassCUDA
import TestSupport
import Testing

extension CUDATests {
  /// The kernels' text, as C++, makes a plan's bytes.
  @Suite struct KernelTests {
    private static let formats: [(format: PixelFormat, alpha: AlphaMode)] = [
      (.gray8, .opaque), (.rgb8, .opaque), (.rgba8, .premultiplied), (.rgba8, .opaque),
      (.rgba8, .straight),
    ]

    private func image(_ number: Int, _ width: Int = 41, _ height: Int = 27) -> Image {
      let (format, alpha) = Self.formats[number]
      var image = TestImages.noise(width, height, format, alpha: alpha)
      if alpha == .premultiplied {
        for first in stride(from: 0, to: image.bytes.count, by: 4) {
          let most = image.bytes[first + 3]
          for channel in 0..<3 {
            image.bytes[first + channel] = min(most, image.bytes[first + channel])
          }
        }
      }
      return image
    }

    /// Sums are exact and rounded once a slot, as in the integers of the processor.
    @Test(arguments: 0..<5, EdgeMode.allCases)
    func sumsAreThoseOfIntegers(number: Int, edge: EdgeMode) throws {
      let image = image(number)
      guard edge != .transparent || image.format == .rgba8 else { return }
      let backend = try StubDriver.backend()
      // Each pair with other formats and edges; together all of them with each.
      let sigmas: [[Sigma]] = [
        [1.5, 1.5], [5, 5], [20, 20], [2, 12], [20, 3], [100, 100], [0, 4],
      ]
      let place = number + (EdgeMode.allCases.firstIndex(of: edge) ?? 0)
      // A single pass that makes opaque images transparent is refused.
      let fades = image.alpha == .opaque && edge == .transparent
      for sigma in [sigmas[place % 7], sigmas[(place + 2) % 7]]
      where !fades || sigma[0].value > 0 {
        let plan = try FilterChain([.gaussian(x: sigma[0], y: sigma[1])]).plan(
          for: Plan.Input(image), options: PlanOptions(edge: edge))
        let actual = try StubDriver.result(of: plan, image, gap: 12, on: backend)
        #expect(actual == (try IntegerPlan(plan, of: image).bytes()), "\(sigma)")
      }
    }

    /// Parts of images are those of the whole.
    @Test(arguments: 0..<5)
    func partsAreThoseOfTheWhole(number: Int) throws {
      let image = image(number, 130, 90)
      let backend = try StubDriver.backend()
      let plan = try FilterChain(text: "blur(9px)").plan(for: Plan.Input(image))
      let part = Rect(x: 33, y: 21, width: 64, height: 37)
      let whole = try StubDriver.result(of: plan, image, on: backend)
      let channels = image.format.bytesPerPixel
      let expected = part.rows.flatMap { y in
        whole[(y * 130 + part.x) * channels..<(y * 130 + part.x + part.width) * channels]
      }
      #expect(try StubDriver.result(of: plan.cropped(to: part), image, on: backend) == expected)
    }

    /// The fast backend computes within a level, also of chains, and of nothing to do.
    @Test(arguments: 0..<5, ["blur(3px)", "blur(25px)", "blur(2px) blur(8px)", "blur(0px)"])
    func theFastBackendAgrees(number: Int, text: String) throws {
      let image = image(number)
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
      let actual = try StubDriver.result(of: plan, image, on: StubDriver.backend())
      let output = ImageOutput()
      _ = try FastBackend(threads: 1).runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
      let expected = try #require(output.take()).bytes
      // Straight colors of nearly transparent pixels are uncertain in themselves.
      let bytes = zip(actual, expected).enumerated().filter { index, _ in
        image.alpha != .straight || index % 4 == 3 || expected[index | 3] > 64
      }
      let most = bytes.map { abs(Int($0.element.0) - Int($0.element.1)) }.max() ?? 255
      #expect(most <= (image.alpha == .straight ? 3 : 1), "\(most)")
      #expect(bytes.count > actual.count / 2)
    }

    @Test(arguments: [
      ("blur(2px) saturate(180%)", "ColorMatrix passes; Gaussians run there"),
      ("median(3)", "Median passes; Gaussians run there"),
      ("box(10)", "a Convolve whose taps are not 65536ths"),
    ])
    func othersAreRefusedWithTheReason(text: String, reason: String) throws {
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image(1)))
      let error = #expect(throws: BackendError.self) { try DevicePlan(plan) }
      #expect(error?.reason == reason && error?.mayAnotherHelp == true, "\(error.debugDescription)")
    }

    @Test func deeperImagesAndLinearLightAreRefused() throws {
      let size = Size(width: 40, height: 30)
      let deep = Plan.Input(
        size: size, format: PixelFormat(.rgb, .uint16), alpha: .opaque, transfer: .encoded)
      let plain = Plan.Input(size: size, format: .rgb8, alpha: .opaque, transfer: .encoded)
      let blur = try FilterChain(text: "blur(5px)")
      for plan in [
        try blur.plan(for: deep),
        try blur.plan(for: plain, options: PlanOptions(linearLight: true)),
        try blur.plan(for: plain, options: PlanOptions(edge: .transparent)),
      ] {
        let error = #expect(throws: BackendError.self) { try DevicePlan(plan) }
        #expect(error?.mayAnotherHelp == true)
      }
    }
  }
}

/// A plan of a load, changes of scale, convolutions and a store, in integers.
private struct IntegerPlan {
  private let plan: Plan
  private let image: Image
  /// Four samples a pixel, in 65280ths; those of the last step as sums of 2³²nds of them.
  private var slots: [[UInt64]]

  init(_ plan: Plan, of image: Image) throws {
    self.plan = plan
    self.image = image
    slots = plan.slots.map { _ in [] }
    for (index, step) in plan.steps.enumerated() {
      guard let target = step.target else { continue }
      let isLast = index == plan.steps.count - 2 && !makesStraight
      let isLoad = index == 0
      // The first sums of straight images are of products of 255ths.
      let areProducts = isStraight && index == 1
      slots[target] = plan.slots[target].domain.columnsOfRows.flatMap { sums(of: step, $0, $1) }
        .map {
          if areProducts { return ($0 >> 16 + 32640) / 65280 }
          return isLast || isLoad ? $0 : Self.rounded($0, by: 32)
        }
    }
  }

  private var isStraight: Bool { image.format == .rgba8 && image.alpha == .straight }
  /// True if the result's colors are divided by its alpha.
  private var makesStraight: Bool {
    isStraight
      || image.format == .rgba8 && image.alpha == .opaque
        && plan.steps.contains { step in
          step.sources.contains { $0.x?.mode == .transparent || $0.y?.mode == .transparent }
        }
  }

  private static func rounded(_ sum: UInt64, by bits: UInt64) -> UInt64 {
    (sum + 1 << (bits - 1)) >> bits
  }

  func bytes() throws -> [UInt8] {
    let step = try #require(plan.steps.last)
    return plan.result.rect.columnsOfRows.flatMap { x, y -> [UInt8] in
      let values = samples(of: step.sources[0], x, y)
      guard makesStraight else {
        return values.prefix(image.format.layout.channels).map {
          UInt8(Self.rounded($0, by: 40))
        }
      }
      let alpha = values[3]
      guard alpha > 0 else { return [0, 0, 0, 0] }
      return values.prefix(3).map { UInt8(min(255, (510 * $0 + alpha) / (2 * alpha))) }
        + [UInt8((alpha + 128) >> 8)]
    }
  }

  /// In 2³²nds.
  private func sums(of step: Step, _ x: Int, _ y: Int) -> [UInt64] {
    var sums: [UInt64] = [0, 0, 0, 0]
    func add(_ tap: Double, _ x: Int, _ y: Int) {
      let samples = samples(of: step.sources[0], x, y)
      for channel in 0..<4 { sums[channel] += UInt64(tap * 0x1p32) * samples[channel] }
    }
    switch step.pass {
    case .load:
      let channels = image.format.layout.channels
      let first = (y * image.size.width + x) * channels
      let alpha =
        channels < 4 || image.alpha == .opaque ? 255 : UInt64(image.bytes[first + 3])
      return (0..<4).map { channel in
        if channel == 3 { return isStraight ? alpha * 255 : alpha << 8 }
        let byte = UInt64(image.bytes[first + min(channel, channels - 1)])
        return isStraight ? byte * alpha : byte << 8
      }
    case .convolve(let convolve):
      for distance in -convolve.radius...convolve.radius {
        let isX = convolve.axis == .x
        add(
          Double(convolve.taps[abs(distance)]), isX ? x + distance : x, isX ? y : y + distance)
      }
    case .resample(let resample):
      let (columns, rows) = (resample.x.start(of: x), resample.y.start(of: y))
      for (down, row) in resample.y.phases[rows.phase].taps.enumerated() {
        for (right, tap) in resample.x.phases[columns.phase].taps.enumerated() {
          add(Double(tap) * Double(row), columns.source + right, rows.source + down)
        }
      }
    default: Issue.record("\(step.pass.name)")
    }
    return sums
  }

  private func samples(of source: Source, _ x: Int, _ y: Int) -> [UInt64] {
    func place(_ v: Int, _ edge: AxisEdge?) -> Int? {
      edge.map { $0.mode.resolve(v, in: $0.range) } ?? v
    }
    guard let x = place(x, source.x), let y = place(y, source.y) else { return [0, 0, 0, 0] }
    let domain = plan.slots[source.slot].domain
    let first = 4 * ((y - domain.y) * domain.width + x - domain.x)
    return Array(slots[source.slot][first..<first + 4])
  }
}

extension Rect {
  fileprivate var columnsOfRows: [(Int, Int)] {
    rows.flatMap { y in columns.map { ($0, y) } }
  }
}
