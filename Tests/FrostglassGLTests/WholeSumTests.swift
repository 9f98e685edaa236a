import FrostglassCore
import FrostglassGL
import Testing

/// Sums of whole numbers are the same bytes in every stage, and those of plain integers.
@Suite struct WholeSumTests {
  @Test func sumsAreThoseOfIntegers() async throws {
    for (number, format) in [PixelFormat.rgba8, .rgb8, .gray8].enumerated() {
      let image = Image.noise(
        45 + number, 38 - number, format, alpha: format.layout.hasAlpha ? .premultiplied : .opaque)
      // What lies beyond a transparent edge makes opaque images no longer so.
      for (place, edge) in EdgeMode.allCases.enumerated()
      where format.layout.hasAlpha || edge != .transparent {
        for sigma in [[1.5, 20], [5, 40], [2, 12]][(number + place) % 3] as [Sigma] {
          let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(
            for: Plan.Input(image), options: PlanOptions(edge: edge))
          let expected = try IntegerPlan(plan, of: image).bytes()
          for setup in Setup.allCases {
            let backend = try await GLBackend.shared(setup.options)
            let actual = try await backend.execute(plan, [image])
            #expect(actual.bytes == expected, "\(setup) \(format) \(edge) \(sigma)")
          }
        }
      }
    }
  }

  /// Groups share their fetches: a small Gaussian is one draw and a larger one three, except with mirrored or wrapped
  /// edges. Images of many groups, odd sizes and parts give the same bytes as without groups.
  @Test(arguments: EdgeMode.allCases)
  func groupsShareWhatTheyFetch(_ edge: EdgeMode) async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    let groups = try await GLBackend.shared(Setup.windows.options)
    let image = Image.noise(531, 270, alpha: .premultiplied)
    for (sigma, count) in [(2, 1), (5, 3), (12, 3), (20, 3)] as [(Sigma, Int)] {
      let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      let draws = try await groups.draws(of: plan)
      // An image of odd size does not go on beyond a mirror as its halves do.
      let isMirrored = edge == .mirror || edge == .wrap
      #expect(draws.count == count || isMirrored, "\(sigma) \(draws.map(\.name))")
      #expect(
        try await groups.execute(plan, [image]).bytes == fragment.execute(plan, [image]).bytes,
        "\(sigma)")
      let part = try plan.cropped(to: Rect(x: 101, y: 37, width: 211, height: 97))
      #expect(
        try await groups.execute(part, [image]).bytes == fragment.execute(part, [image]).bytes,
        "\(sigma), a part")
    }
  }
}

/// A plan of loads, changes of scale, convolutions and a store, in the integers of a processor.
private struct IntegerPlan {
  private let plan: Plan
  private let image: Image
  /// Four samples a pixel, in 65280ths.
  private var slots: [[UInt64]]

  init(_ plan: Plan, of image: Image) throws {
    self.plan = plan
    self.image = image
    slots = plan.slots.map { _ in [] }
    for (index, step) in plan.steps.enumerated() {
      guard let target = step.target else { continue }
      // What the last blur makes is rounded to levels where it is stored.
      let isLast = index == plan.steps.count - 2
      slots[target] = plan.slots[target].domain.pixels.flatMap { sums(of: step, $0, $1) }
        .map { isLast ? $0 : ($0 + 0x8000) >> 16 }
    }
  }

  /// The result.
  func bytes() throws -> [UInt8] {
    let step = try #require(plan.steps.last)
    let channels = image.format.layout.channels
    return plan.result.rect.pixels.flatMap { x, y in
      samples(of: step.sources[0], x, y).prefix(channels).map {
        UInt8(($0 + 0x80_0000) >> 24)
      }
    }
  }

  /// In 65536ths of 65280ths.
  private func sums(of step: Step, _ x: Int, _ y: Int) -> [UInt64] {
    var sums: [UInt64] = [0, 0, 0, 0]
    func add(_ tap: Float, _ x: Int, _ y: Int) {
      let samples = samples(of: step.sources[0], x, y)
      for channel in 0..<4 { sums[channel] += UInt64(tap * 65536) * samples[channel] }
    }
    switch step.pass {
    case .load:
      let pixel = y * image.size.width + x
      let channels = image.format.layout.channels
      for channel in 0..<4 {
        let byte =
          channel == 3 && channels < 4
          ? 255 : image.bytes[pixel * channels + min(channel, channels - 1)]
        sums[channel] = UInt64(byte) << 24
      }
    case .convolve(let convolve):
      for distance in -convolve.radius...convolve.radius {
        let isX = convolve.axis == .x
        add(
          convolve.taps[abs(distance)], isX ? x + distance : x, isX ? y : y + distance)
      }
    case .resample(let resample):
      let (columns, rows) = (resample.x.start(of: x), resample.y.start(of: y))
      for (down, row) in resample.y.phases[rows.phase].taps.enumerated() {
        for (right, tap) in resample.x.phases[columns.phase].taps.enumerated() {
          add(tap * row, columns.source + right, rows.source + down)
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
  fileprivate var pixels: [(Int, Int)] {
    rows.flatMap { y in columns.map { ($0, y) } }
  }
}
