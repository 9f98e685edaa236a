import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Mosaics: cells are constant, and their means.
struct PixelateTests {
  static let filters = [
    Pixelate(size: 2), Pixelate(size: 7), Pixelate(size: 16), Pixelate(size: 400),
    Pixelate(size: 2, shape: .hexagon), Pixelate(size: 9, shape: .hexagon),
    Pixelate(size: 24, shape: .hexagon), Pixelate(size: 400, shape: .hexagon),
  ]

  static let sizes = [
    Size(width: 53, height: 38), Size(width: 1, height: 1), Size(width: 1, height: 23),
    Size(width: 40, height: 40),
  ]

  @Test(arguments: filters, sizes)
  func cellsAreTheirMeans(filter: Pixelate, size: Size) async throws {
    let format = PixelFormat(.rgba, .float32)
    let image = TestImages.noise(size.width, size.height, format, alpha: .premultiplied, seed: 5)
    for edge in EdgeMode.allCases {
      let plan = try FilterChain(filter).plan(
        for: Plan.Input(image), options: PlanOptions(edge: edge))
      try plan.validate(for: .none)
      let result = try await ReferenceBackend().execute(plan, [image])
      for pixels in Self.cells(of: filter, size).values {
        for channel in 0..<4 {
          let samples = pixels.map { Double(image.sample(x: $0.x, y: $0.y, channel: channel)) }
          let mean = samples.reduce(0, +) / Double(samples.count)
          let values = Set(pixels.map { result.sample(x: $0.x, y: $0.y, channel: channel) })
          #expect(values.count == 1)
          #expect(values.allSatisfy { abs(Double($0) - mean) < 1e-5 })
        }
      }
    }
  }

  /// The same in fixed point, whose samples are 1/128 of a level; the result is rounded to its levels.
  @Test(arguments: filters, sizes)
  func cellsAreTheirMeansInFixedPoint(filter: Pixelate, size: Size) async throws {
    for depth in [PixelFormat.Depth.uint8, .uint16] {
      for layout in PixelFormat.Layout.allCases {
        let format = PixelFormat(layout, depth)
        let alpha = layout.hasAlpha ? AlphaMode.premultiplied : .opaque
        let image = TestImages.noise(size.width, size.height, format, alpha: alpha, seed: 6)
        let plan = try FilterChain(filter).plan(for: Plan.Input(image))
        let backend = FastBackend(threads: 2, instructions: .best, guardedWith: 0x5A)
        let result = try await backend.execute(plan, [image])
        let allowed = (depth == .uint8 ? 64 : 0) + 1.2
        for pixels in Self.cells(of: filter, size).values {
          for channel in 0..<format.layout.channels {
            let samples = pixels.map { Double(image.sample(x: $0.x, y: $0.y, channel: channel)) }
            let mean = samples.reduce(0, +) / Double(samples.count)
            let values = Set(pixels.map { result.sample(x: $0.x, y: $0.y, channel: channel) })
            #expect(values.count == 1)
            #expect(values.allSatisfy { abs(Double($0) - mean) * 255 * 128 < allowed })
          }
        }
      }
    }
  }

  @Test(arguments: filters, PixelFormat.all)
  func aConstantStaysConstant(filter: Pixelate, format: PixelFormat) async throws {
    let image = TestImages.flat(37, 23, format, [0.25, 0.5, 0.75, 1])
    for edge in EdgeMode.allCases {
      let result = try await PropertyTests.run(filter.text, image, PlanOptions(edge: edge))
      let opaque = result.format == format
      #expect(opaque || edge == .transparent)
      if opaque {
        try expectClose(
          result, image, within: format.depth == .float32 ? 1e-3 : 0, "\(filter.text) \(format)")
      }
      if !opaque { #expect(result.sample(x: 0, y: 0, channel: 3) == 1) }
    }
  }

  /// A pixel looks as far as its cell goes, wherever in it it lies.
  @Test func reachIsACell() throws {
    let input = Plan.Input(TestImages.noise(100, 90))
    let squares = try FilterChain([.pixelate(size: 16)]).plan(for: input).reach
    #expect(squares == (15, 15))
    // Corners of a hexagon are 2/√3 of its width apart: 18.5.
    let hexagons = try FilterChain([.pixelate(size: 16, shape: .hexagon)]).plan(for: input).reach
    #expect(hexagons.x == 15 && (18...20).contains(hexagons.y))
  }

  /// Sizes are rounded: 6.4 px are 6.
  @Test func sizesAreWholePixels() async throws {
    let image = TestImages.noise(41, 33)
    let whole = try await PropertyTests.run("pixelate(6px)", image)
    for text in ["pixelate(6.4px)", "pixelate(5.5px)"] {
      #expect(try await PropertyTests.run(text, image).bytes == whole.bytes)
    }
    #expect(try await PropertyTests.run("pixelate(1.4px)", image).bytes == image.bytes)
  }

  /// A half-transparent cell has the color of what is in it.
  @Test func transparentPixelsLendNoColor() async throws {
    let image = TestImages.disc(40, radius: 12, color: [0.2, 0.8, 0.4])
    for text in ["pixelate(8px)", "pixelate(8px, hexagon)"] {
      let result = try await PropertyTests.run(text, image)
      var soft = 0
      for y in 0..<40 {
        for x in 0..<40 {
          let alpha = result.sample(x: x, y: y, channel: 3)
          guard alpha > 0 else { continue }
          if alpha < 1 { soft += 1 }
          for (channel, value) in [Float(51), 204, 102].enumerated() {
            #expect(result.sample(x: x, y: y, channel: channel) * 255 == value)
          }
        }
      }
      #expect(soft > 0)
    }
  }

  /// An image that is its own mirror image stays so where cells and image are both even.
  @Test func mosaicsAreCentered() async throws {
    let half = TestImages.noise(20, 20)
    let image = TestImages.make(40, 40, .rgb8) { x, y, channel in
      half.sample(x: min(x, 39 - x), y: min(y, 39 - y), channel: channel)
    }
    let result = try await PropertyTests.run("pixelate(12px)", image)
    for y in 0..<40 {
      for x in 0..<40 {
        #expect(
          result.sample(x: x, y: y, channel: 1) == result.sample(x: 39 - x, y: 39 - y, channel: 1))
      }
    }
    // The middle cell is 12 wide, from 14 to 25.
    let row = (0..<40).map { result.sample(x: $0, y: 20, channel: 1) }
    #expect(Set(row[14...25]).count == 1)
    #expect(row[13] != row[14] && row[25] != row[26])
  }

  /// Pixels by the cell they lie in.
  private static func cells(of filter: Pixelate, _ size: Size) -> [SIMD2<Int>: [(x: Int, y: Int)]] {
    let tiling = filter.tiling(width: Int(filter.size.value), for: size)
    var cells: [SIMD2<Int>: [(x: Int, y: Int)]] = [:]
    for y in 0..<size.height {
      for x in 0..<size.width {
        let cell = tiling.cell(ofX: x, y: y)
        cells[SIMD2(cell.column, cell.row), default: []].append((x, y))
      }
    }
    return cells
  }
}
