import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Fixed point and floats against the reference on images of any kind, size and layout in memory.
struct FastTests {
  /// An image and what is done to it, from a number.
  struct Case: CustomTestStringConvertible {
    let number: Int
    let image: Image
    let chain: FilterChain
    let options: PlanOptions

    /// Numbers of images that fixed point serves, and of those that need floats.
    static let fixed = 0..<240
    static let float = 1000..<1240
    static let all = (Array(fixed) + float).map(Case.init)

    var testDescription: String {
      "\(number): \(image.size) \(image.format) \(image.alpha), \(chain.text) \(options.edge)"
        + (options.linearLight ? " linear" : "")
    }

    init(_ number: Int) {
      let isFloat = Self.float.contains(number)
      var random = TestImages.Random(seed: UInt64(number))
      func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int(random.next() * Float(choices.count))]
      }
      self.number = number
      let format = PixelFormat(
        pick(PixelFormat.Layout.allCases),
        pick(isFloat ? PixelFormat.Depth.allCases : [.uint8, .uint8, .uint16]))
      let width = 1 + Int(random.next() * 150)
      let height = 1 + Int(random.next() * 150)
      image = TestImages.noise(
        width, height, format, alpha: pick([.straight, .premultiplied]), seed: UInt64(number)
      ).withGaps(Int(random.next() * 5))
      let sigmas = [0.4, 1.1, 2.6, 4.4, 6, 11, 23, 40, 90]
      let x = Sigma(pick(sigmas))
      let y = pick([x, x, Sigma(pick(sigmas)), Sigma(0)])
      let blurs: [FilterChain] = [
        [.gaussian(x: x, y: y)], [.gaussian(x: x, y: y), .saturation(1.3)],
        [.gaussian(x: y, y: x), .mix(0.4)], [.box(radius: 1 + number % 9, iterations: 2)],
      ]
      let gains: [FilterChain] = [
        [.gaussian(x: x, y: y), .saturation(3)],
        [.gaussian(x: x, y: y), .saturation(3), .mix(0.3), .saturation(4)],
      ]
      chain = pick(isFloat ? blurs + gains : blurs)
      options = PlanOptions(
        edge: pick(EdgeMode.allCases), linearLight: isFloat && pick([true, true, false]))
    }
  }

  @Test func casesAreWhatTheyAreCalled() throws {
    for (cases, arithmetic) in [
      (Case.fixed, RowArithmetic.fixed), (Case.float, .float),
    ] {
      let right = try cases.map(Case.init).filter { test in
        let plan = try test.chain.plan(for: Plan.Input(test.image), options: test.options)
        return plan.arithmetic() == arithmetic
      }
      #expect(right.count >= 180)
    }
  }

  @Test(arguments: Case.all)
  func anyImageIsTheReferences(_ test: Case) async throws {
    let plan = try test.chain.plan(for: Plan.Input(test.image), options: test.options)
    let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
    let expected = try await ReferenceBackend().execute(unrounded, [test.image])
    let actual = try await FastBackend(threads: 2).execute(unrounded, [test.image])
    try expectClose(
      actual, expected, within: plan.certifiedError.arithmetic + 0.001, test.testDescription)
  }

  /// Floats are computed by the reference's operations; only the sRGB curve may come from a table.
  @Test(arguments: Case.float.map(Case.init))
  func floatsAreTheReferences(_ test: Case) async throws {
    let plan = try test.chain.plan(for: Plan.Input(test.image), options: test.options)
    guard plan.arithmetic() == .float else { return }
    let encodes = test.options.linearLight
    for depth in PixelFormat.Depth.allCases {
      let stored = plan.storing(as: PixelFormat(plan.result.format.layout, depth))
      let expected = try await ReferenceBackend().execute(stored, [test.image])
      let actual = try await FastBackend(threads: 2).execute(stored, [test.image])
      if depth == .uint8, !(encodes && stored.result.alpha == .premultiplied) {
        #expect(actual.bytes == expected.bytes)
      }
      let unit = depth == .uint8 ? 1 : depth == .uint16 ? 0.004 : 0.001
      try expectClose(actual, expected, within: encodes ? unit : 0, test.testDescription)
    }
  }

  /// Any pass runs on its reference kernel, a few rows at a time, and gives the same bytes.
  @Test(arguments: Case.all)
  func referenceKernelsServeRows(_ test: Case) async throws {
    let plan = try test.chain.plan(for: Plan.Input(test.image), options: test.options)
    let expected = try await ReferenceBackend().execute(plan, [test.image])
    for threads in [1, 3] {
      let backend = FastBackend(threads: threads, instructions: .best, usesReference: true)
      let actual = try await backend.execute(plan, [test.image])
      #expect(actual.bytes == expected.bytes, "\(threads) threads")
    }
  }

  /// The fourth samples of an image that is called opaque mean nothing, whatever they are.
  @Test(arguments: PixelFormat.Depth.allCases, [1.5, 9])
  func opaqueImagesHaveNoAlpha(depth: PixelFormat.Depth, sigma: Double) async throws {
    let image = TestImages.noise(43, 37, PixelFormat(.rgba, depth), alpha: .opaque)
    let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: Plan.Input(image))
    let expected = try await ReferenceBackend().execute(plan, [image])
    let actual = try await FastBackend(threads: 2).execute(plan, [image])
    #expect(actual.bytes == expected.bytes)
  }

  /// NaN, infinities and values outside 0…1 stay so in floats, and are clamped in integers.
  @Test(
    arguments: [PixelFormat.Layout.gray, .rgb, .rgba],
    ["blur(3px)", "blur(12px)", "blur(5px) saturate(3)", "bilateral(1px, 0.4)"])
  func anyFloatsAreTheReferences(layout: PixelFormat.Layout, text: String) async throws {
    let odd: [Float] = [.nan, .infinity, -.infinity, -2, 7.5, 1e30, 0x1p-140, 1]
    var random = TestImages.Random(seed: 5)
    let image = TestImages.make(61, 47, PixelFormat(layout, .float32)) { _, _, channel in
      let value = random.next()
      return random.next() < 0.01 && channel < 3 ? odd[Int(value * 8)] : value * 3 - 1
    }
    for (edge, linear) in [(EdgeMode.clamp, false), (.wrap, true), (.transparent, true)] {
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge, linearLight: linear))
      for depth in PixelFormat.Depth.allCases {
        let stored = plan.storing(as: PixelFormat(plan.result.format.layout, depth))
        let expected = try await ReferenceBackend().execute(stored, [image])
        let actual = try await FastBackend(threads: 2).execute(stored, [image])
        #expect(actual.isNearly(expected), "\(depth) \(edge)")
      }
    }
  }

  /// Images that were shrunk to a quarter and more: at the ends of a period, pixels are made of fewer samples
  /// than between, and what is no number beside these does not show in them.
  @Test(
    arguments: [PixelFormat.Layout.gray, .rgb, .rgba], ["blur(20px)", "blur(45px)", "blur(90px)"])
  func anyFloatsGrowAlike(layout: PixelFormat.Layout, text: String) async throws {
    var random = TestImages.Random(seed: 5)
    let image = TestImages.make(611, 147, PixelFormat(layout, .float32)) { x, _, channel in
      let isOdd = random.next() < 0.0003 && channel < 3
      return isOdd ? (x % 2 == 0 ? .nan : .infinity) : x < 200 ? -0.0 : random.next()
    }
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
    let expected = try await ReferenceBackend().execute(plan, [image])
    for instructions in InstructionSet.allCases {
      let actual = try await FastBackend(threads: 2, instructions: instructions)
        .execute(plan, [image])
      #expect(actual.isNearly(expected), "\(instructions)")
    }
  }

  @Test(arguments: Case.all)
  func instructionsAndThreadsChangeNothing(_ test: Case) async throws {
    let plan = try test.chain.plan(for: Plan.Input(test.image), options: test.options)
    let expected = try await FastBackend(threads: 1, instructions: .portable)
      .execute(plan, [test.image])
    for instructions in InstructionSet.allCases {
      for threads in [1, 4] {
        let backend = FastBackend(threads: threads, instructions: instructions)
        let actual = try await backend.execute(plan, [test.image])
        #expect(actual.bytes == expected.bytes, "\(backend.instructions), \(threads) threads")
      }
    }
  }

  /// A backend that ran other plans before, and writes over an older image, gives the same bytes.
  @Test func memoryIsKeptAndNothingInItMatters() async throws {
    let backend = FastBackend(threads: 3)
    var result = TestImages.noise(7, 7)
    for number in (0..<60).flatMap({ [$0, 1000 + $0] }).reversed() {
      let test = Case(number)
      let plan = try test.chain.plan(for: Plan.Input(test.image), options: test.options)
      try await backend.execute(plan, [test.image], into: &result)
      let fresh = try await FastBackend(threads: 1).execute(plan, [test.image])
      #expect(result.bytes == fresh.bytes, "\(test.testDescription)")
    }
  }

  /// One backend for many at once, from many tasks.
  @Test func imagesAtOnceDoNotMeet() async throws {
    let backend = FastBackend(threads: 3)
    let right = await withTaskGroup(of: Bool.self) { group in
      for number in Array(0..<40) + Array(1000..<1020) {
        group.addTask {
          let test = Case(number)
          guard
            let plan = try? test.chain.plan(for: Plan.Input(test.image), options: test.options),
            let shared = try? await backend.execute(plan, [test.image]),
            let alone = try? await FastBackend(threads: 1).execute(plan, [test.image])
          else { return false }
          return shared.bytes == alone.bytes
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(right)
  }

  @Test(arguments: EdgeMode.allCases, [1, 3, 16])
  func everyRowIsThereWhenItIsRead(edge: EdgeMode, rowsPerBand: Int) throws {
    for text in [
      "blur(20px)", "gaussian(2, 17)", "blur(9px) mix(0.5)", "blur(5px) blur(30px)",
      "spin(0.2, 0.7, 100deg)", "zoom(0.2, 0.8, 0.6)", "motion(60px, 70deg)", "kawase(9px)",
    ] {
      let input = Plan.Input(
        size: Size(width: 40, height: 211), format: .rgb8, alpha: .opaque, transfer: .encoded)
      let plan = try FilterChain(text: text).plan(for: input, options: PlanOptions(edge: edge))
      for rows in [0..<211, 0..<50, 90..<117, 210..<211] {
        try expectRows(of: plan, rows, rowsPerBand)
      }
    }
  }

  /// Keeps the numbers of the rows that a ring of each slot's capacity would hold, and looks there
  /// for all that a step reads.
  private func expectRows(of plan: Plan, _ rows: Range<Int>, _ rowsPerBand: Int) throws {
    let schedule = RowSchedule(
      plan, target: nil, rows: rows, complete: [], rowsPerBand: rowsPerBand)
    var held = plan.slots.indices.map { [Int?](repeating: nil, count: schedule.capacity[$0]) }
    var made: [Int] = []
    for band in schedule.bands {
      let step = plan.steps[schedule.steps[band.step]]
      for (place, source) in step.sources.enumerated() {
        let ring = held[source.slot]
        let first = schedule.rows[source.slot].lowerBound
        let columns = (step.target.map { plan.slots[$0].domain } ?? plan.result.rect).columns
        let rect = Rect(columns: columns, rows: band.rows)
        for wanted in step.pass.sourceRect(for: rect, of: place).rows {
          guard let row = source.y.map({ $0.mode.resolve(wanted, in: $0.range) }) ?? wanted
          else { continue }
          #expect(ring[(row - first) % ring.count] == row, "\(step.pass.name) \(band.rows)")
        }
      }
      for y in band.rows {
        guard let target = step.target else {
          made.append(y)
          continue
        }
        held[target][(y - schedule.rows[target].lowerBound) % held[target].count] = y
      }
    }
    #expect(made == Array(rows))
  }

  /// Factors of a color matrix can be far from each other where they sum to 1, as gray takes them.
  @Test(arguments: [PixelFormat.gray8, .rgb8])
  func anySaturationIsTheReferences(format: PixelFormat) async throws {
    let image = TestImages.noise(33, 4, format, alpha: .opaque)
    for step in -200...200 {
      let chain = try FilterChain(text: "saturation(\(Double(step) / 20))")
      let plan = try chain.plan(for: Plan.Input(image))
      let expected = try await ReferenceBackend().execute(plan, [image])
      let made = try await FastBackend(threads: 1).execute(plan, [image])
      #expect(try ImageComparison(made, expected).maximum <= 1, "\(step)")
    }
  }

  /// The wider a blur, the less of its image is in memory.
  @Test func fewRowsAreKept() throws {
    let input = Plan.Input(
      size: Size(width: 4000, height: 20000), format: .rgb8, alpha: .opaque, transfer: .encoded)
    for sigma in [2.0, 20, 200] {
      let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: input)
      let schedule = RowSchedule(
        plan, target: nil, rows: 0..<20000, complete: [], rowsPerBand: 16)
      let kept = zip(plan.slots, schedule.capacity).reduce(0) {
        $0 + $1.0.domain.width * $1.1
      }
      #expect(kept * 100 < input.size.area, "σ \(sigma)")
    }
  }
}

extension Image {
  /// Returns true if integers are within a level and floats are nearly equal, both infinite alike, or both NaN.
  fileprivate func isNearly(_ other: Image) -> Bool {
    let nearest: Float = format.depth == .float32 ? 1e-5 : 1.01 / format.depth.fullScale
    return (0..<size.area * format.layout.channels).allSatisfy { index in
      let (pixel, channel) = index.quotientAndRemainder(dividingBy: format.layout.channels)
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      let mine = sample(x: x, y: y, channel: channel)
      let theirs = other.sample(x: x, y: y, channel: channel)
      if mine.isNaN || theirs.isNaN { return mine.isNaN && theirs.isNaN }
      return mine == theirs || abs(mine - theirs) <= nearest * max(abs(theirs), 1)
    }
  }

  /// The same image with `gap` pixels of other bytes after each row.
  fileprivate func withGaps(_ gap: Int) -> Image {
    let row = size.width * format.bytesPerPixel
    let filler = [UInt8](repeating: 0xA5, count: gap * format.bytesPerPixel)
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      bytes += self.bytes[y * bytesPerRow..<y * bytesPerRow + row] + filler
    }
    let image = try? Image(
      size: size, format: format, alpha: alpha, bytesPerRow: row + filler.count, bytes: bytes)
    return image ?? self
  }
}
