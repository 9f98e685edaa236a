import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

/// Images whose planes are each filtered alone.
@Suite struct SampledPlaneTests {
  private let reference = ReferenceBackend()
  private let fast = FastBackend(threads: 2)

  /// Planes of fast and reference, and those of a prepared plan between rows that are farther apart.
  private func results(_ plan: YCbCrPlan, _ picture: YCbCrImage) async throws -> [[[UInt8]]] {
    [
      try await reference.execute(plan, picture).planes.map(\.bytes),
      try await fast.execute(plan, picture).planes.map(\.bytes),
      try prepared(plan, picture),
    ]
  }

  private func prepared(_ plan: YCbCrPlan, _ picture: YCbCrImage) throws -> [[UInt8]] {
    let gap = 6
    var sources: [PixelMemory] = []
    var results: [MutablePixelMemory] = []
    defer {
      for memory in sources { memory.bytes.deallocate() }
      for memory in results { memory.bytes.deallocate() }
    }
    for plane in picture.planes {
      let stride = plane.bytesPerRow + gap
      let source = UnsafeMutableRawBufferPointer.allocate(
        byteCount: stride * plane.size.height, alignment: 2)
      let result = UnsafeMutableRawBufferPointer.allocate(
        byteCount: stride * plane.size.height, alignment: 2)
      for index in source.indices { (source[index], result[index]) = (0xA5, 0x5A) }
      for (index, byte) in plane.bytes.enumerated() {
        source[index / plane.bytesPerRow * stride + index % plane.bytesPerRow] = byte
      }
      sources.append(
        PixelMemory(
          Plan.Input(plane), bytes: UnsafeRawBufferPointer(source), bytesPerRow: stride))
      results.append(MutablePixelMemory(bytes: result, bytesPerRow: stride))
    }
    _ = try fast.preparePlanes(plan).runNow(sources, into: results)
    return zip(picture.planes, results).map { plane, result in
      (0..<plane.size.height).flatMap { y in
        let row = result.bytes[y * result.bytesPerRow..<(y + 1) * result.bytesPerRow]
        // What lies between rows is the caller's.
        #expect(row.dropFirst(plane.bytesPerRow).allSatisfy { $0 == 0x5A })
        return Array(row.prefix(plane.bytesPerRow))
      }
    }
  }

  @Test func whatIsLeftAloneIsTheSameByteForByte() async throws {
    for (index, format) in TestPlanes.formats.enumerated() where index % 3 == 0 {
      let picture = try TestPlanes.noise(13, 7, format, seed: UInt64(index))
      for chain: FilterChain in [[], [.gaussian(sigma: 0)]] {
        let plan = try chain.plan(for: format, size: picture.size)
        #expect(plan.isByPlanes)
        for planes in try await results(plan, picture) {
          #expect(planes == picture.planes.map(\.bytes), "\(format)")
        }
      }
    }
  }

  /// Every sample against sums in double precision, with σ in samples.
  @Test func eachPlaneIsBlurredWithItsOwnSigma() async throws {
    let sigma = 2.5
    for format in TestPlanes.someFormats {
      let picture = try TestPlanes.noise(26, 19, format)
      let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(for: format, size: picture.size)
      let largest = Double(1 << format.bits.rawValue - 1)
      let error = plan.toPlanes.map(\.certifiedError.total).max() ?? 0
      #expect(error < 1)
      for backend: any Backend in [reference, fast] {
        let made = try await backend.execute(plan, picture)
        for (component, isRed) in [(0, false), (1, false), (2, true)] {
          let isLuma = component == 0
          let columns = isLuma ? 1 : Double(format.sampling.columns)
          let rows = isLuma ? 1 : Double(format.sampling.rows)
          let size =
            isLuma
            ? picture.size
            : Size(
              width: Int((26 / columns).rounded(.up)), height: Int((19 / rows).rounded(.up)))
          func code(_ picture: YCbCrImage, _ x: Int, _ y: Int) -> Int {
            isLuma ? picture.luma(x, y) : picture.chroma(x, y, isRed: isRed)
          }
          for (x, y) in [(0, 0), (5, 4), (size.width - 1, size.height - 1), (2, size.height / 2)] {
            let across = Self.weights(sigma / columns)
            let down = Self.weights(sigma / rows)
            var sum = 0.0
            for (dy, wy) in down {
              for (dx, wx) in across {
                let place = (
                  min(max(x + dx, 0), size.width - 1), min(max(y + dy, 0), size.height - 1)
                )
                sum += wx * wy * Double(code(picture, place.0, place.1))
              }
            }
            let distance = abs(Double(code(made, x, y)) - sum)
            #expect(
              distance <= error * largest / 255 + 0.51,
              "\(backend.name) \(format) component \(component) at \(x), \(y)")
          }
        }
      }
    }
  }

  private static func weights(_ sigma: Double) -> [(Int, Double)] {
    let all = (-20...20).map { ($0, exp(-Double($0 * $0) / (2 * sigma * sigma))) }
    let sum = all.reduce(0) { $0 + $1.1 }
    return all.map { ($0.0, $0.1 / sum) }
  }

  /// By way of colors, inside the colors of screens, the same comes out within what the samples'
  /// interpolation adds.
  @Test func planesAreNearToColors() async throws {
    for format in TestPlanes.someFormats {
      let picture = try TestPlanes.make(40, 28, format) { x, y in
        (120 + (x * 5 + y * 3) % 20) << (format.bits.rawValue - 8)
      } chroma: { x, y, isRed in
        (isRed ? 118 + x / 3 : 130 - y / 2) << (format.bits.rawValue - 8)
      }
      let chain: FilterChain = [.gaussian(sigma: 4)]
      let planes = try await fast.execute(
        try chain.plan(for: format, size: picture.size), picture)
      let colors = try await fast.execute(
        try chain.planByColors(for: format, size: picture.size), picture)
      #expect(try #require(planes.distance(to: colors)) <= 1.5, "\(format)")
    }
  }

  @Test(arguments: [nil, Redaction(.surroundings), Redaction(.color)])
  func outsideAMaskNoByteChanges(_ redaction: Redaction?) async throws {
    for format in TestPlanes.someFormats {
      let picture = try TestPlanes.noise(60, 44, format)
      let mask = Mask(
        try MaskShape.list(text: "ellipse(20,14,14,10)"), redaction: redaction)
      let chains: [FilterChain] = [[.gaussian(sigma: 3)], [.gaussian(sigma: 3), .saturation(1.5)]]
      for (chain, planes) in try await allResults(chains, picture, mask) {
        let isByColors = chain.filters.count > 1
        for (index, plane) in picture.planes.enumerated() {
          // Whole samples of the plane around the ellipse, and of a redaction's margin.
          let (scaleX, scaleY) = (60.0 / Double(plane.size.width), 44.0 / Double(plane.size.height))
          let pitch = Double(format.sampling.columns)
          // A sample, and what a redaction hides beside it: at most 2 (columns − 1) + 1 pixels.
          // By way of colors, the samples that have to do with those pixels.
          let hidden = redaction == nil ? pitch + 0.5 : 3 * pitch + 2
          let reach = isByColors && index > 0 ? hidden + 8 : hidden
          var changed = 0
          for (place, (made, was)) in zip(planes[index], plane.bytes).enumerated()
          where made != was {
            changed += 1
            let x = Double(place % plane.bytesPerRow / plane.format.depth.bytes) * scaleX
            let y = Double(place / plane.bytesPerRow) * scaleY
            #expect(
              (20 - reach...34 + reach).contains(x) && (14 - reach...24 + reach).contains(y),
              "\(format) plane \(index) at \(x), \(y)")
          }
          #expect(changed > 8, "\(format) plane \(index)")
        }
      }
    }
  }

  /// Returns the results of chains on an image inside a mask, on every backend.
  private func allResults(
    _ chains: [FilterChain], _ picture: YCbCrImage, _ mask: Mask
  ) async throws -> [(FilterChain, [[UInt8]])] {
    var all: [(FilterChain, [[UInt8]])] = []
    for chain in chains {
      let plan = try chain.plan(
        for: picture.format, size: picture.size, options: PlanOptions(mask: mask))
      let made = try await results(plan, picture)
      #expect(made[1] == made[2], "\(picture.format)")
      all += made.map { (chain, $0) }
    }
    return all
  }

  /// Parts that are far from each other are computed each by itself, and come to what the whole does.
  @Test(arguments: [false, true]) func partsAreThoseOfTheWhole(_ isLinear: Bool) async throws {
    for format in TestPlanes.someFormats {
      let picture = try TestPlanes.noise(210, 70, format)
      let mask = Mask(
        try MaskShape.list(text: "8,6,30,20;ellipse(150,30,40,30);30,20,9,9"), feather: 2,
        redaction: isLinear ? nil : Redaction())
      let plan = try FilterChain([.saturation(1.6), .gaussian(sigma: 4)]).plan(
        for: format, size: picture.size, options: PlanOptions(linearLight: isLinear, mask: mask))
      #expect(plan.parts.allSatisfy { $0.count == 2 })
      try plan.validate(for: .none)
      let made = try await results(plan, picture)
      #expect(made[1] == made[2], "\(format)")
      let expected = try await reference.execute(plan, picture)
      let actual = try await fast.execute(plan, picture)
      #expect(try #require(actual.distance(to: expected)) <= 1, "\(format)")
    }
  }

  @Test func onlyWhatLeavesColorsAloneWorksOnPlanes() throws {
    func works(
      _ text: String, _ width: Int = 8, _ options: PlanOptions = PlanOptions()
    ) throws -> Bool {
      try FilterChain(text: text).worksOnPlanes(
        of: YCbCrFormat(), Size(width: width, height: 8), options)
    }
    #expect(try works("gaussian(3px)") && works("blur(3px) box(2)") && works("none"))
    #expect(try !works("gaussian(3px) saturation(2)"))
    #expect(try !works("gaussian(3px)", 8, PlanOptions(linearLight: true)))
    #expect(try !works("gaussian(3px)", 8, PlanOptions(edge: .transparent)))
    #expect(try works("gaussian(3px)", 8, PlanOptions(edge: .wrap)))
    #expect(try !works("gaussian(3px)", 7, PlanOptions(edge: .wrap)))
    #expect(try works("gaussian(3px)", 7, PlanOptions(edge: .mirror)))
    #expect(try !works("gaussian(3px, edge=transparent)"))
    let shapes = try MaskShape.list(text: "1,1,4,4")
    #expect(try works("gaussian(3px)", 8, PlanOptions(mask: Mask(shapes))))
    #expect(try !works("gaussian(3px)", 8, PlanOptions(mask: Mask(shapes, use: .scale))))
  }

  /// Words above the largest code are limited, and none is written.
  @Test func codesStayInTheirBits() async throws {
    for bits in [YCbCrFormat.Bits.ten, .twelve] {
      let format = YCbCrFormat(range: .full, bits: bits)
      let largest = 1 << bits.rawValue - 1
      let picture = try TestPlanes.make(20, 12, format) { x, _ in
        x < 10 ? 65535 : largest
      } chroma: { _, y, _ in
        y < 3 ? 40000 : largest
      }
      for chain: FilterChain in [[.gaussian(sigma: 2)], [.gaussian(sigma: 40)], [.box(radius: 2)]] {
        let plan = try chain.plan(for: format, size: picture.size)
        for planes in try await results(plan, picture) {
          for plane in planes {
            let codes = stride(from: 0, to: plane.count, by: 2).map {
              Int(plane[$0]) + Int(plane[$0 + 1]) << 8
            }
            #expect(codes.allSatisfy { $0 == largest })
          }
        }
      }
    }
  }

  /// A mean over pixels, of which samples at the ends count in part.
  @Test func boxesAreAsWideAsInPixels() async throws {
    let format = YCbCrFormat(siting: .center)
    let picture = try TestPlanes.make(32, 32, format) { _, _ in
      128
    } chroma: { x, y, _ in
      x == 8 && y == 8 ? 228 : 128
    }
    let plan = try FilterChain([.box(radius: 2)]).plan(for: format, size: picture.size)
    // Five pixels are 2½ samples: shares of 0.3, 0.4 and 0.3.
    for backend: any Backend in [reference, fast] {
      let made = try await backend.execute(plan, picture)
      for (x, y, share) in [(8, 8, 0.16), (7, 8, 0.12), (9, 9, 0.09), (6, 8, 0)] {
        let code = Double(made.chroma(x, y, isRed: false))
        #expect(abs(code - 128 - 100 * share) <= 0.6, "\(backend.name) at \(x), \(y)")
      }
    }
  }
}
