import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// The median against sorting each window.
struct MedianTests {
  static let cases: [(radius: Int, rank: Double)] = [
    (1, 0.5), (2, 0.5), (7, 0.5), (15, 0.5), (2, 0), (2, 1), (3, 0.25),
  ]

  @Test(arguments: cases, EdgeMode.allCases)
  func itIsTheSortedWindows(_ setting: (radius: Int, rank: Double), edge: EdgeMode) async throws {
    for layout in [PixelFormat.Layout.gray, .rgb, .rgba] {
      let image = TestImages.noise(
        17, 11, PixelFormat(layout, .float32), alpha: .premultiplied, seed: 9)
      let plan = try FilterChain(MedianFilter(radius: setting.radius, rank: setting.rank)).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      for backend: any Backend in [ReferenceBackend(), FastBackend(threads: 2)] {
        let result = try await backend.execute(plan, [image])
        for y in 0..<11 {
          for x in 0..<17 {
            for channel in 0..<layout.channels {
              let window = Self.window(image, x, y, channel, setting.radius, edge).sorted()
              let index = Int((setting.rank * Double(window.count - 1)).rounded())
              #expect(result.sample(x: x, y: y, channel: channel) == window[index])
            }
          }
        }
      }
    }
  }

  /// A softly confined chain stays within its bound also where hardly any weight is picked, and a constant
  /// stays one.
  @Test(arguments: ["20,20,60,50", "polygon(10 10, 80 20, 12 60)"], [0.5, 0.1, 0])
  func confinedMediansKeepTheirBound(shapes: String, rank: Double) async throws {
    let options = PlanOptions(
      mask: Mask(try MaskShape.list(text: shapes), feather: 8, use: .confine))
    let chain = FilterChain(MedianFilter(radius: 5, rank: rank))
    for format in [PixelFormat.gray8, .rgb8, .rgba8] {
      let image = TestImages.noise(96, 80, format, alpha: .premultiplied, seed: 11)
      let plan = try chain.plan(for: Plan.Input(image), options: options)
      #expect(plan.certifiedError.total < 1 && plan.arithmetic() == .fixed)
      let unrounded = plan.storing(as: PixelFormat(plan.result.format.layout, .float32))
      try expectClose(
        try await FastBackend(threads: 2).execute(unrounded, [image]),
        try await ReferenceBackend().execute(unrounded, [image]),
        within: plan.certifiedError.arithmetic + 0.001, "\(shapes) \(rank) \(format)")
      let flat = TestImages.flat(96, 80, format, [0.8, 0.8, 0.8, 1])
      let flatPlan = try chain.plan(for: Plan.Input(flat), options: options)
      try expectClose(
        try await FastBackend(threads: 2).execute(flatPlan, [flat]), flat, within: 1,
        "flat \(shapes) \(rank) \(format)")
    }
  }

  static let fixedCases: [(radius: Int, rank: Double)] = [
    (1, 0.5), (1, 0.1), (2, 0.5), (2, 0), (3, 0.5), (3, 0.9), (4, 0.5), (4, 1), (5, 0.5),
    (15, 0.5), (15, 0.01),
  ]

  /// The same in fixed point, where small windows are put in order and samples of large ones counted.
  @Test(arguments: fixedCases, EdgeMode.allCases)
  func itIsTheSortedWindowsInFixedPoint(
    _ setting: (radius: Int, rank: Double), edge: EdgeMode
  ) async throws {
    for format in [PixelFormat.gray8, .rgba8] {
      let image = TestImages.noise(41, 13, format, alpha: .premultiplied, seed: 10)
      let plan = try FilterChain(MedianFilter(radius: setting.radius, rank: setting.rank)).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      var results: [Image] = []
      for instructions in InstructionSet.allCases {
        let backend = FastBackend(threads: 2, instructions: instructions, guardedWith: 0x5A)
        results.append(try await backend.execute(plan, [image]))
      }
      #expect(Set(results.map(\.bytes)).count == 1)
      for y in 0..<13 {
        for x in 0..<41 {
          for channel in 0..<format.layout.channels {
            let window = Self.window(image, x, y, channel, setting.radius, edge).sorted()
            let index = Int((setting.rank * Double(window.count - 1)).rounded())
            #expect(results[0].sample(x: x, y: y, channel: channel) == window[index])
          }
        }
      }
    }
  }

  /// Wider than what is counted at once, medians of medians, and 16 bits, which are no levels.
  @Test(arguments: ["median(15)", "median(2) median(6, 30%)", "median(1) median(3)"])
  func wideRowsAreTheReference(text: String) async throws {
    for format in [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.gray, .uint16)] {
      let image = TestImages.noise(531, 19, format, alpha: .premultiplied, seed: 11)
      let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
      let expected = try await ReferenceBackend().execute(plan, [image])
      var results: [Image] = []
      for instructions in InstructionSet.allCases {
        let backend = FastBackend(threads: 2, instructions: instructions)
        results.append(try await backend.execute(plan, [image]))
      }
      #expect(Set(results.map(\.bytes)).count == 1)
      try expectClose(
        results[0], expected, within: format.depth == .uint8 ? 0 : 0.01, "\(text) \(format)")
    }
  }

  /// Counts of columns are carried from row to row, but not past rows where all samples are equal.
  @Test(arguments: [PixelFormat.gray8, .rgb8])
  func countsGoOnWherePartsAreAlike(format: PixelFormat) async throws {
    let noise = TestImages.noise(531, 60, format, alpha: .premultiplied, seed: 13)
    let image = TestImages.make(531, 60, format) { x, y, channel in
      x < 500 && (14..<44).contains(y) ? 0.4 : noise.sample(x: x, y: y, channel: channel)
    }
    let plan = try FilterChain(text: "median(6)").plan(for: Plan.Input(image))
    let expected = try await ReferenceBackend().execute(plan, [image])
    for instructions in InstructionSet.allCases {
      for threads in [1, 3] {
        let backend = FastBackend(threads: threads, instructions: instructions, guardedWith: 0x5A)
        // The second run begins with what the first left.
        for _ in 0..<2 {
          #expect(try await backend.execute(plan, [image]).bytes == expected.bytes)
        }
      }
    }
  }

  @Test(arguments: PixelFormat.all)
  func aConstantStaysConstant(format: PixelFormat) async throws {
    let image = TestImages.flat(9, 7, format, [0.25, 0.5, 0.75, 1])
    let result = try await PropertyTests.run("median(3)", image)
    try expectClose(result, image, within: format.depth == .float32 ? 1e-6 : 0, "\(format)")
  }

  /// A step stays as sharp as it is; specks go.
  @Test func edgesStayAndSpecksGo() async throws {
    let step = TestImages.step(24, 20)
    let specks = TestImages.make(24, 20, .rgb8) { x, y, _ in
      x % 6 == 2 && y % 5 == 2 ? (x < 12 ? 1 : 0) : (x < 12 ? 0 : 1)
    }
    try expectClose(try await PropertyTests.run("median(2)", step), step, within: 0, "step")
    try expectClose(try await PropertyTests.run("median(2)", specks), step, within: 0, "specks")
    let gaussian = try await PropertyTests.run("gaussian(2px)", step)
    #expect(try ImageComparison(gaussian, step).maximum > 80)
  }

  /// A disc keeps its color to its edge, where a mean would need alpha to say so.
  @Test func alphaStaysValid() async throws {
    let image = TestImages.noise(20, 20, .rgba8, alpha: .premultiplied, seed: 12)
    let result = try await PropertyTests.run("median(3)", image)
    for y in 0..<20 {
      for x in 0..<20 {
        let alpha = result.sample(x: x, y: y, channel: 3)
        for channel in 0..<3 { #expect(result.sample(x: x, y: y, channel: channel) <= alpha) }
      }
    }
  }

  private static func window(
    _ image: Image, _ x: Int, _ y: Int, _ channel: Int, _ radius: Int, _ edge: EdgeMode
  ) -> [Float] {
    (y - radius...y + radius).flatMap { row in
      (x - radius...x + radius).map { column in
        guard let column = edge.resolve(column, in: 0..<image.size.width),
          let row = edge.resolve(row, in: 0..<image.size.height)
        else { return 0 }
        return image.sample(x: column, y: row, channel: channel)
      }
    }
  }
}
