import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Chains that act in a part of the image.
@Suite struct MaskedPlanTests {
  static let chains = ["blur(6px)", "box(3) saturate(1.5)", "blur(9px) mix(0.5)"]

  /// Inside, a region shows the whole image's effect; outside, the bytes of the original.
  ///
  /// What a mask adds to the error a plan may make up for with tighter kernels: so a level, not the
  /// same bytes.
  @Test(arguments: chains, EdgeMode.allCases)
  func regionsShowTheWholeEffect(text: String, edge: EdgeMode) async throws {
    let image = TestImages.noise(90, 70)
    let chain = try FilterChain(text: text)
    var options = PlanOptions(edge: edge)
    let whole = try chain.plan(for: Plan.Input(image), options: options)
    let plain = try FilterChain([]).plan(for: Plan.Input(image), options: options)
    options.mask = Mask([
      .rectangle(x: 30, y: 20, width: 25, height: 30),
      .rectangle(x: 80, y: 60, width: 30, height: 9),
    ])
    let masked = try chain.plan(for: Plan.Input(image), options: options)
    for backend in [ReferenceBackend(), FastBackend(threads: 2)] as [any Backend] {
      let effect = try await backend.execute(whole, [image])
      let original = try await backend.execute(plain, [image])
      let result = try await backend.execute(masked, [image])
      for y in 0..<70 {
        for x in 0..<90 {
          let inside =
            (30..<55).contains(x) && (20..<50).contains(y) || x >= 80 && (60..<69).contains(y)
          for channel in 0..<3 {
            let expected = (inside ? effect : original).sample(x: x, y: y, channel: channel)
            let difference = abs(result.sample(x: x, y: y, channel: channel) - expected) * 255
            #expect(difference < (inside ? 1.01 : 0.01), "\(x), \(y)")
          }
        }
      }
    }
  }

  /// A confined chain sees nothing of what the mask leaves out: no halo around a subject on its own
  /// blurred background.
  @Test func confinedChainsDoNotSeeOutside() async throws {
    let subject = MaskShape.ellipse(x: 25, y: 10, width: 40, height: 50)
    for isInverted in [true, false] {
      for format in [PixelFormat.rgb8, .rgba8] {
        let mask = Mask([subject], isInverted: isInverted, use: .confine)
        let first = TestImages.noise(90, 70, format, seed: 1)
        let other = TestImages.noise(90, 70, format, seed: 2)
        var second = first
        var changed: [(Int, Int)] = []
        for y in 0..<70 {
          for x in 0..<90 {
            let (u, v) = ((Double(x) + 0.5 - 45) / 20, (Double(y) + 0.5 - 35) / 25)
            let level = u * u + v * v
            // Well off the border, where the mask covers nothing.
            guard isInverted ? level < 0.8 : level > 1.25 else { continue }
            changed.append((x, y))
            for channel in 0..<format.layout.channels {
              second.setSample(
                other.sample(x: x, y: y, channel: channel), x: x, y: y, channel: channel)
            }
          }
        }
        #expect(changed.count > 500)
        let plan = try FilterChain([.gaussian(sigma: 8)]).plan(
          for: Plan.Input(first), options: PlanOptions(mask: mask))
        for backend in [ReferenceBackend(), FastBackend(threads: 2)] as [any Backend] {
          let one = try await backend.execute(plan, [first])
          var two = try await backend.execute(plan, [second])
          // What is left out is shown as it is, in each its own.
          for (x, y) in changed {
            for channel in 0..<format.layout.channels {
              two.setSample(one.sample(x: x, y: y, channel: channel), x: x, y: y, channel: channel)
            }
          }
          #expect(one.bytes == two.bytes, "\(backend.name) \(format) \(isInverted)")
        }
      }
    }
  }

  /// Parts of a masked image are the whole's.
  @Test(arguments: Mask.Use.allCases)
  func croppedBytesAreThoseOfTheWhole(use: Mask.Use) async throws {
    let image = TestImages.noise(97, 83, .rgba8)
    for text in [
      "ellipse(20,10,60,30)", "continuous(-5,20,50,50,14); 70,60,20,20",
      "polygon(10 10, 90 20, 40 80)", "gradient(0 0, 0 100%, smooth)",
    ] {
      var mask = Mask(try MaskShape.list(text: text), use: use)
      for (feather, isInverted) in [(Length(0), false), (7, false), (5, true)] {
        mask.feather = feather
        mask.isInverted = isInverted
        let plan = try FilterChain([.gaussian(sigma: 7)]).plan(
          for: Plan.Input(image), options: PlanOptions(mask: mask))
        for backend in [ReferenceBackend(), FastBackend(threads: 2)] as [any Backend] {
          let whole = try await backend.execute(plan, [image])
          for rect in [
            Rect(x: 0, y: 0, width: 97, height: 1), Rect(x: 13, y: 29, width: 31, height: 17),
            Rect(x: 96, y: 82, width: 1, height: 1),
          ] {
            let cropped = try plan.cropped(to: rect)
            try cropped.validate(for: .none)
            let part = try await backend.execute(cropped, [image])
            #expect(part.bytes == whole.part(rect), "\(backend.name) \(text) \(use) \(rect)")
          }
        }
      }
    }
  }

  /// Confined filters compute means of covered pixels, on gray images too: a constant stays constant.
  @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8])
  func confinedConstantsStay(format: PixelFormat) async throws {
    let image = TestImages.flat(60, 50, format, [0.8, 0.8, 0.8, 1])
    let mask = Mask([.ellipse(x: 10, y: 10, width: 30, height: 25)], feather: 6, use: .confine)
    let plan = try FilterChain([.gaussian(sigma: 7)]).plan(
      for: Plan.Input(image), options: PlanOptions(mask: mask))
    for backend in [ReferenceBackend(), FastBackend(threads: 2)] as [any Backend] {
      try expectClose(
        try await backend.execute(plan, [image]), image, within: 1, "\(backend.name) \(format)")
    }
  }

  /// A mask cannot scale what has no σ.
  @Test func onlyGaussiansAreScaled() throws {
    let mask = Mask([.rectangle(x: 1, y: 1, width: 5, height: 5)], use: .scale)
    let input = Plan.Input(TestImages.noise(9, 9))
    let options = PlanOptions(mask: mask)
    #expect(throws: PlanError.self) {
      try FilterChain([.box(radius: 2)]).plan(for: input, options: options)
    }
    #expect(throws: Never.self) {
      try FilterChain(text: "thin-light(4px)").plan(for: input, options: options)
    }
  }

  @Test func aMaskOfAnotherSizeIsStretched() async throws {
    let image = TestImages.noise(40, 30)
    let half = MaskImage(
      TestImages.make(4, 1, .gray8) { x, _, _ in x < 2 ? 1 : 0 })
    let plan = try FilterChain([.tint(.white, alpha: 1)]).plan(
      for: Plan.Input(image), options: PlanOptions(mask: Mask([.picture(half)])))
    let result = try await FastBackend(threads: 1).execute(plan, [image])
    #expect(result.part(Rect(x: 0, y: 0, width: 14, height: 30)).allSatisfy { $0 == 255 })
    let right = Rect(x: 26, y: 0, width: 14, height: 30)
    #expect(result.part(right) == image.part(right))
  }
}
