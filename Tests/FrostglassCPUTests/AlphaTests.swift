import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Invisible colors never show, and nothing gets a dark fringe.
struct AlphaTests {
  @Test(arguments: PixelFormat.Depth.allCases, [2.0, 9, 30])
  func anOpaqueRedDiscStaysRed(depth: PixelFormat.Depth, sigma: Double) async throws {
    let disc = TestImages.disc(81, radius: 20, color: [1, 0, 0], depth: depth)
    let result = try await PropertyTests.run("blur(\(sigma))", disc)
    var visible = 0
    for y in 0..<81 {
      for x in 0..<81 where result.sample(x: x, y: y, channel: 3) > 0.02 {
        visible += 1
        #expect(result.sample(x: x, y: y, channel: 0) > 0.97)
        #expect(result.sample(x: x, y: y, channel: 1) < 0.03)
      }
    }
    #expect(visible > 1256)
  }

  /// If all is opaque, straight alpha is halved and grown like images without alpha. The opaque pixels do not depend
  /// on instructions, threads or parts.
  @Test(arguments: [6.0, 11, 23], EdgeMode.allCases)
  func opaquePixelsAreThoseWithoutAlpha(sigma: Double, edge: EdgeMode) async throws {
    let colors = TestImages.noise(131, 97, .rgb8, seed: UInt64(sigma))
    let chain = FilterChain([.gaussian(sigma: Sigma(sigma))])
    let options = PlanOptions(edge: edge)
    // Rows without the hole are opaque, and some pixels beside it.
    for hole in [Rect(x: 0, y: 0, width: 0, height: 0), Rect(x: 101, y: 71, width: 9, height: 5)] {
      let image = TestImages.make(131, 97, .rgba8) { x, y, channel in
        if channel < 3 { return colors.sample(x: x, y: y, channel: channel) }
        return hole.columns.contains(x) && hole.rows.contains(y) ? Float((x + y) % 3) / 4 : 1
      }
      let plan = try chain.plan(for: Plan.Input(image), options: options)
      let whole = try await FastBackend(threads: 1, instructions: .portable).execute(plan, [image])
      for instructions in InstructionSet.allCases {
        for threads in [1, 3] {
          let backend = FastBackend(
            threads: threads, instructions: instructions, guardedWith: threads == 1 ? 0x55 : nil)
          let result = try await backend.execute(plan, [image])
          #expect(result.bytes == whole.bytes, "\(backend.instructions), \(threads) threads")
        }
      }
      for rect in [
        Rect(x: 13, y: 0, width: 31, height: 23), Rect(x: 97, y: 60, width: 34, height: 37),
        Rect(x: 64, y: 48, width: 1, height: 1),
      ] {
        let part = try await FastBackend(threads: 2).execute(plan.cropped(to: rect), [image])
        #expect(part.bytes == whole.bytes(in: rect), "\(rect)")
      }
      let reference = try await ReferenceBackend().execute(
        plan.storing(as: PixelFormat(.rgba, .float32)), [image])
      // Colors are rounded, and alpha, and both count in their product.
      try expectClose(whole, reference, within: 1.1 + plan.certifiedError.arithmetic, "\(hole)")
      guard hole.isEmpty, edge != .transparent else { continue }
      let expected = try await FastBackend(threads: 1).execute(
        try chain.plan(for: Plan.Input(colors), options: options), [colors])
      let all = Rect(whole.size)
      let (stored, without) = (whole.bytes(in: all), expected.bytes(in: all))
      let differs = (0..<131 * 97).contains { pixel in
        stored[4 * pixel + 3] != 255
          || (0..<3).contains { stored[4 * pixel + $0] != without[3 * pixel + $0] }
      }
      #expect(!differs)
    }
  }

  @Test func colorsUnderZeroAlphaDoNotBleed() async throws {
    var garish = TestImages.disc(41, radius: 9, color: [0, 0, 1])
    for y in 0..<41 {
      for x in 0..<41 where garish.sample(x: x, y: y, channel: 3) == 0 {
        garish.setSample(1, x: x, y: y, channel: 1)
      }
    }
    let clean = TestImages.disc(41, radius: 9, color: [0, 0, 1])
    for text in ["blur(5)", "box(4)", "blur(3) saturate(2)", "light()"] {
      let expected = try await PropertyTests.run(text, clean)
      let result = try await PropertyTests.run(text, garish)
      #expect(result.bytes == expected.bytes, "\(text)")
    }
  }

  @Test func fullyTransparentPixelsAreStoredAsZeros() async throws {
    let image = TestImages.flat(3, 3, .rgba8, [1, 0.5, 0.25, 0])
    let result = try await PropertyTests.run("saturation(1)", image)
    #expect(result.bytes.allSatisfy { $0 == 0 })
  }

  @Test func transparentEdgesFadeAndKeepTheColor() async throws {
    let image = TestImages.flat(40, 40, .rgb8, [0, 0.5, 1])
    let result = try await PropertyTests.run("blur(6)", image, PlanOptions(edge: .transparent))
    #expect(abs(result.sample(x: 0, y: 20, channel: 3) - 0.533) < 0.01)
    #expect(abs(result.sample(x: 0, y: 0, channel: 3) - 0.284) < 0.01)
    for x in 0..<40 {
      #expect(abs(result.sample(x: x, y: 1, channel: 1) - 0.5) < 0.01)
      #expect(abs(result.sample(x: x, y: 1, channel: 2) - 1) < 0.01)
    }
  }

  @Test func aBackgroundIsComposedWhereTheOutputHasNoAlpha() async throws {
    let disc = TestImages.disc(21, radius: 6, color: [1, 0, 0])
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(disc))
      .storing(as: .rgb8, on: Color(red: 0, green: 0, blue: 1))
    let result = try await ReferenceBackend().execute(plan, [disc])
    #expect(Array(result.bytes.prefix(3)) == [0, 0, 255])
    let middle = (10 * 21 + 10) * 3
    #expect(result.bytes[middle] > 250)
    #expect(result.bytes[middle + 1] == 0)
  }
}
