import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Filters on images in planes.
@Suite struct YCbCrChainTests {
  private let backend = ReferenceBackend()

  /// Unfiltered planes come back to within a code of 8 bits, or within the precision that is exact.
  @Test func whatIsLeftAloneComesBack() async throws {
    let sizes = [(16, 10), (7, 5), (1, 1), (2, 1), (1, 7), (13, 8)]
    for (index, format) in TestPlanes.formats.enumerated() {
      let (width, height) = sizes[index % sizes.count]
      // A last sample between a last pixel and none is not known exactly.
      let (columns, rows) = (format.sampling.columns, format.sampling.rows)
      if format.siting.x == .centered && width % columns != 0 { continue }
      if format.siting.y == .centered && height % rows != 0 { continue }
      let picture = try TestPlanes.noise(width, height, format, seed: UInt64(index))
      let plan = try FilterChain([]).planByColors(for: format, size: picture.size)
      let back = try await backend.execute(plan, picture)
      let distance = try #require(back.distance(to: picture))
      #expect(distance <= 1, "\(format) \(picture.size)")
    }
  }

  /// Color differences that change little from sample to sample come back wherever they lie.
  @Test func oddImagesComeBackToo() async throws {
    for format in TestPlanes.shapes {
      let picture = try TestPlanes.make(13, 9, format) { x, y in
        100 + (x * 7 + y * 13) % 50
      } chroma: { x, y, isRed in
        isRed ? 120 + 2 * x : 136 - x - y
      }
      let plan = try FilterChain([]).planByColors(for: format, size: picture.size)
      let back = try await backend.execute(plan, picture)
      #expect(try #require(back.distance(to: picture)) <= 1, "\(format)")
    }
  }

  /// Blurring planes is blurring their image, converted first and stored with 8 bits.
  @Test func aBlurIsThatOfTheImage() async throws {
    for format in TestPlanes.someFormats {
      let picture = try TestPlanes.noise(41, 30, format)
      let convert = try FilterChain([]).planByColors(for: format, size: picture.size)
        .toImage[0]
      let rgb = try await backend.execute(
        convert.storing(as: .rgb8), picture.planes)
      for chain: FilterChain in [[.gaussian(sigma: 2)], [.gaussian(sigma: 9), .saturation(1.5)]] {
        let plan = try chain.planByColors(for: format, size: picture.size)
        let actual = try await backend.execute(plan.toImage[0], picture.planes)
        let expected = try await backend.execute(try chain.plan(for: Plan.Input(rgb)), [rgb])
        #expect(try ImageComparison(actual, expected).maximum <= 1.5, "\(format)")
        // The same with the planes of both.
        var planes: [Image] = []
        for step in plan.toPlanes {
          planes.append(
            try await backend.execute(step, [try expected.with16Bits()]))
        }
        let converted = try YCbCrImage(size: picture.size, format: format, planes: planes)
        let made = try await backend.execute(plan, picture)
        #expect(try #require(made.distance(to: converted)) <= 1, "\(format)")
      }
    }
  }

  @Test func interleavedPlanesAreTheSameImage() async throws {
    let chain: FilterChain = [.gaussian(sigma: 3)]
    for shape in TestPlanes.shapes where shape.arrangement == .separate {
      var other = shape
      other.arrangement = .interleaved
      let apart = try TestPlanes.noise(19, 11, shape)
      let together = try TestPlanes.make(19, 11, other) { x, y in
        apart.luma(x, y)
      } chroma: { x, y, isRed in
        apart.chroma(x, y, isRed: isRed)
      }
      let one = try await backend.execute(try chain.plan(for: shape, size: apart.size), apart)
      let two = try await backend.execute(try chain.plan(for: other, size: apart.size), together)
      #expect(one.planes[0].bytes == two.planes[0].bytes)
      for y in 0..<one.planes[1].size.height {
        for x in 0..<one.planes[1].size.width {
          for isRed in [false, true] {
            #expect(one.chroma(x, y, isRed: isRed) == two.chroma(x, y, isRed: isRed))
          }
        }
      }
    }
  }

  @Test func linearLightIsAPlanOfItsOwn() async throws {
    let format = YCbCrFormat()
    let picture = try TestPlanes.noise(23, 17, format)
    let options = PlanOptions(linearLight: true)
    let chain: FilterChain = [.gaussian(sigma: 4)]
    let plan = try chain.plan(for: format, size: picture.size, options: options)
    #expect(plan.toImage.count == 2)
    try plan.validate(for: .none)
    let rgb = try await backend.execute(plan.toImage[0], picture.planes)
    let blurred = try await backend.execute(
      try chain.plan(for: Plan.Input(rgb), options: options), [rgb])
    let made = try await backend.execute(plan, picture)
    let luma = try await backend.execute(plan.toPlanes[0], [blurred])
    #expect(made.planes[0].bytes == luma.bytes)
    // Not what encoded values give.
    let encoded = try await backend.execute(
      try chain.plan(for: format, size: picture.size), picture)
    #expect(made.planes[0].bytes != encoded.planes[0].bytes)
  }

  /// Transparent results show the background, because planes have no alpha.
  @Test func transparencyShowsTheBackground() async throws {
    let format = YCbCrFormat(matrix: .bt601)
    let picture = try TestPlanes.flat(40, 40, format, [16, 128, 128])
    let chain: FilterChain = [.gaussian(sigma: 4)]
    let options = PlanOptions(edge: .transparent)
    let white = try await backend.execute(
      try chain.plan(for: format, size: picture.size, options: options), picture)
    let black = try await backend.execute(
      try chain.plan(for: format, size: picture.size, options: options, background: .black),
      picture)
    // Near ¾ of white in a corner of black, and black in the middle.
    #expect(white.luma(0, 0) > 160 && white.luma(20, 20) == 16)
    #expect(black.luma(0, 0) == 16 && black.luma(20, 20) == 16)
  }

  /// Outside a mask, planes are those that came in.
  @Test func outsideAMaskNothingChanges() async throws {
    let format = YCbCrFormat()
    let picture = try TestPlanes.noise(48, 32, format)
    let options = PlanOptions(mask: Mask(try MaskShape.list(text: "20,0,28,32")))
    let plan = try FilterChain([.gaussian(sigma: 5)]).plan(
      for: format, size: picture.size, options: options)
    let made = try await backend.execute(plan, picture)
    var changes = 0
    for y in 0..<32 {
      for x in 0..<48 {
        let change = abs(made.luma(x, y) - picture.luma(x, y))
        if x < 20 { #expect(change == 0) } else if change > 1 { changes += 1 }
      }
    }
    #expect(changes > 400)
    for y in 0..<16 {
      // A sample at an even pixel reads two to each side.
      for x in 0..<9 {
        let change = made.chroma(x, y, isRed: true) - picture.chroma(x, y, isRed: true)
        #expect(abs(change) <= 1)
      }
    }
  }
}

extension Image {
  /// The same image with 16 bits.
  fileprivate func with16Bits() throws -> Image {
    TestImages.make(size.width, size.height, PixelFormat(format.layout, .uint16)) { x, y, channel in
      sample(x: x, y: y, channel: channel)
    }
  }
}
