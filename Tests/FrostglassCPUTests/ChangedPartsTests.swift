import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Pixels that a mask leaves unchanged are copied, and the rest is computed part by part. The bytes are those of a
/// run over all rows.
@Suite struct ChangedPartsTests {
  static let masks = [
    "60,50,40,30", "10,10,20,20; 150,100,30,40", "10,10,40,40; 30,30,40,40",
    "ellipse(60,40,70,50)", "ellipse(5,5,30,20); polygon(150 20, 190 70, 140 90)",
    "continuous(60,40,80,70,20)", "rounded(-10,100,40,40,9); 100,20.5,30.25,9",
  ]
  static let formats: [(PixelFormat, AlphaMode)] = [
    (.rgb8, .opaque), (.rgba8, .premultiplied), (.rgba8, .straight), (.gray8, .opaque),
    (PixelFormat(.rgb, .uint16), .opaque), (PixelFormat(.rgba, .float32), .premultiplied),
  ]
  static let chains = [
    "gaussian(6px)", "gaussian(1px)", "blur(9px) saturate(1.6)", "median(1)", "gaussian(4px, 11px)",
  ]

  @Test(arguments: masks)
  func partsHaveTheBytesOfStreamedRows(text: String) async throws {
    let backends = [
      FastBackend(threads: 1), FastBackend(threads: 3),
      FastBackend(threads: 2, instructions: .best, guardedWith: 0xAA),
      FastBackend(threads: 2, instructions: .portable),
    ]
    for (place, (format, alpha)) in Self.formats.enumerated() {
      // Each mask and each chain with every format, and not all of all three.
      let turn = place + (Self.masks.firstIndex(of: text) ?? 0)
      for (number, chain) in Self.chains.enumerated() where (number + turn) % 3 == 0 {
        let image = TestImages.noise(200, 160, format, alpha: alpha, seed: UInt64(place))
        let mask = Mask(
          try MaskShape.list(text: text), feather: (place + number) % 2 == 0 ? 0 : 6,
          isInverted: (place + number) % 5 == 4,
          use: (place + number) % 3 == 2 && alpha != .straight ? .confine : .show)
        let plan = try FilterChain(text: chain).plan(
          for: Plan.Input(image), options: PlanOptions(mask: mask))
        var expected: [UInt8]?
        for backend in backends {
          let rows = ImageRows(plan.result)
          _ = try await backend.run(
            plan, PixelIO([.rows(ImageSource(image))], to: [.rows(rows)]))
          let streamed = try #require(rows.image).bytes
          #expect(streamed == expected ?? streamed, "\(format) \(alpha) \(chain)")
          expected = streamed
          let whole = try await backend.execute(plan, [image])
          #expect(whole.bytes == streamed, "\(format) \(alpha) \(chain) \(mask)")
          let output = ImageOutput()
          _ = try await backend.prepareRows(plan).run(
            PixelIO([.image(image)], to: [.image(output)]))
          #expect(output.take()?.bytes == streamed, "\(format) \(alpha) \(chain) \(mask)")
        }
      }
    }
  }

  /// Also against the kernels that say what passes mean.
  @Test(arguments: masks)
  func partsAreTheReference(text: String) async throws {
    for (place, (format, alpha)) in Self.formats.prefix(4).enumerated() {
      let image = TestImages.noise(200, 160, format, alpha: alpha)
      let mask = Mask(try MaskShape.list(text: text), feather: 5)
      for (number, chain) in Self.chains.enumerated() where (number + place) % 2 == 0 {
        let plan = try FilterChain(text: chain).plan(
          for: Plan.Input(image), options: PlanOptions(mask: mask))
        let expected = try await ReferenceBackend().execute(plan, [image])
        try expectClose(
          try await FastBackend(threads: 2).execute(plan, [image]), expected,
          within: alpha == .straight ? 2 : 1, "\(format) \(chain)")
      }
    }
  }

  /// Only the part around a region is computed, and the input's rows elsewhere are not looked at.
  @Test func whatIsFarFromARegionKeepsItsBytes() async throws {
    let image = TestImages.noise(300, 200, .rgba8, alpha: .premultiplied)
    let mask = Mask([.ellipse(x: 40, y: 40, width: 60, height: 50)], feather: 8)
    let plan = try FilterChain(text: "gaussian(5px)").plan(
      for: Plan.Input(image), options: PlanOptions(mask: mask))
    let result = try await FastBackend(threads: 2).execute(plan, [image])
    for y in 0..<200 {
      for x in 0..<300 where !(31..<109).contains(x) || !(31..<99).contains(y) {
        let place = y * image.bytesPerRow + 4 * x
        #expect(result.bytes[place..<place + 4] == image.bytes[place..<place + 4])
      }
    }
    try expectClose(
      result, try await ReferenceBackend().execute(plan, [image]), within: 1.001, "an ellipse")
    // In the middle, as if there were no mask.
    let blurred = try await PropertyTests.run("gaussian(5px)", image)
    for channel in 0..<4 {
      let difference =
        result.sample(x: 70, y: 65, channel: channel)
        - blurred.sample(x: 70, y: 65, channel: channel)
      #expect(abs(difference) * 255 < 1.5)
    }
  }
}
