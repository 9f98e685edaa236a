import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// A pane of glass on images.
struct GlassTests {
  /// Outside the pane and its shadow every byte stays.
  @Test(arguments: [PixelFormat.rgb8, .rgba8, .gray8])
  func theImageStaysOutside(format: PixelFormat) async throws {
    let image = TestImages.noise(120, 90, format)
    let glass = try await PropertyTests.run(
      "glass(x=0.5, y=0.5, width=50px, height=30px, radius=10px, shadow=0)", image)
    // A transparent pixel's color is nothing that stays.
    let plain = try await PropertyTests.run("mix(1)", image)
    for y in 0..<90 {
      for x in 0..<120 where !(35..<85).contains(x) || !(30..<60).contains(y) {
        for channel in 0..<format.layout.channels {
          let (actual, expected) = (
            glass.sample(x: x, y: y, channel: channel), plain.sample(x: x, y: y, channel: channel)
          )
          #expect(actual == expected, "\(x) \(y)")
        }
      }
    }
    // Inside hardly one does.
    let kept = (35..<55).reduce(0) { count, y in
      count
        + (45..<75).count { x in
          (0..<format.layout.channels).allSatisfy {
            glass.sample(x: x, y: y, channel: $0) == plain.sample(x: x, y: y, channel: $0)
          }
        }
    }
    #expect(kept < 20 * 30 / 10)
  }

  @Test func theShadowIsSoftAndBelow() async throws {
    let image = TestImages.flat(160, 120, .rgb8, [1, 1, 1])
    let glass = try await PropertyTests.run("glass(width=60px, height=40px, shadow=0.5)", image)
    func light(_ y: Int) -> Float { glass.sample(x: 80, y: y, channel: 1) }
    #expect(light(82) < 0.95 && light(82) > 0.45)
    #expect(light(82) < light(90) && light(90) < 1)
    // 82 is two pixels below the pane, 37 two above.
    #expect(light(82) < light(37))
    #expect(light(2) == 1 && light(117) == 1)
  }

  /// Black and white behind the middle of each glass.
  @Test(
    arguments: [
      ("regular, light", 0.52, 0.9411), ("regular, dark", 0.08, 0.4458),
      ("clear, light", 0.28, 0.955),
      ("clear, dark", 0.05, 0.85),
    ] as [(String, Float, Float)])
  func grayFacesAreAsGiven(glass: String, black: Float, white: Float) async throws {
    for (level, expected) in [(Float(0), black), (1, white)] {
      let image = TestImages.flat(90, 70, PixelFormat(.rgb, .float32), [level, level, level])
      let result = try await PropertyTests.run("glass(\(glass), width=80px, height=60px)", image)
      #expect(abs(result.sample(x: 45, y: 35, channel: 0) - expected) < 2e-3)
    }
  }

  @Test func whatHasNoPaneStays() async throws {
    let image = TestImages.noise(40, 30)
    for text in ["glass(width=0px)", "glass(height=0px)", "glass(x=2, width=30px, height=20px)"] {
      let result = try await PropertyTests.run(text, image)
      #expect(result.bytes == image.bytes, "\(text)")
    }
  }

  @Test func aFlatPaneBendsNothing() throws {
    let input = Plan.Input(
      size: Size(width: 300, height: 200), format: .rgb8, alpha: .opaque, transfer: .encoded)
    for text in ["glass(depth=0px)", "glass(refraction=0px)"] {
      let names = try FilterChain(text: text).plan(for: input).steps.map(\.pass.name)
      #expect(!names.contains("Displace"), "\(text)")
    }
    let bent = try FilterChain(text: "glass()").plan(for: input)
    #expect(bent.steps.map(\.pass.name).contains("Displace"))
    // Maps are never stored as half floats, which would move pixels.
    let fast = try FilterChain(text: "glass()")
      .plan(for: input, options: PlanOptions(quality: .fast))
    for step in fast.steps where step.pass.name == "Displace" {
      #expect(fast.slots[step.sources[1].slot].precision >= .fixed16)
    }
  }

  /// Only dispersion makes colors of black and white.
  @Test func dispersionPartsColors() async throws {
    let image = TestImages.checkerboard(90, 70, cell: 9)
    for (dispersion, parts) in [(0, false), (1, true)] {
      let result = try await PropertyTests.run(
        "glass(clear, width=80px, height=60px, blur=0px, dispersion=\(dispersion))", image)
      let colored = (0..<90 * 70).filter { pixel in
        let values = (0..<3).map { result.sample(x: pixel % 90, y: pixel / 90, channel: $0) }
        return (values.max() ?? 0) - (values.min() ?? 0) > 2.5 / 255
      }
      #expect(colored.isEmpty != parts)
    }
  }

  /// A displacement moves by whole pixels without loss, and by half ones to the mean.
  @Test(arguments: [(0.5, 0), (0.75, 4), (0.25, -4)] as [(Float, Int)])
  func displacementsAreWhatTheMapSays(level: Float, pixels: Int) async throws {
    let plan = try Self.displacing(TestImages.noise(23, 9), span: 16)
    let image = TestImages.make(23, 9, PixelFormat(.rgba, .float32), alpha: .premultiplied) {
      x, y, channel in
      channel == 0 ? level : channel == 1 ? 0.5 : channel == 3 ? 1 : Float((5 * x + y) % 7) / 7
    }
    let result = try await ReferenceBackend().execute(plan, [image])
    for x in 0..<23 {
      let from = min(max(x + pixels, 0), 22)
      let expected = image.sample(x: from, y: 4, channel: 2)
      #expect(abs(result.sample(x: x, y: 4, channel: 2) - expected) < 1e-6, "\(x)")
    }
  }

  /// A plan that displaces its input by its own red and green.
  static func displacing(_ like: Image, span: Float) throws -> Plan {
    let rect = Rect(like.size)
    let slot = Slot(domain: rect, layout: .rgba, precision: .float32)
    let format = PixelFormat(.rgba, .float32)
    let input = Plan.Input(
      size: like.size, format: format, alpha: .premultiplied, transfer: .encoded)
    let edges = (AxisEdge(.clamp, rect.columns), AxisEdge(.clamp, rect.rows))
    let plan = Plan(
      inputs: [input], slots: [slot, slot],
      steps: [
        Step(
          pass: .load(Load(input: 0, alpha: .premultiplied, decodesToLinear: false)), sources: [],
          target: 0),
        Step(
          pass: .displace(Displace(span: SIMD3(repeating: span))),
          sources: [Source(slot: 0, x: edges.0, y: edges.1), Source(slot: 0)], target: 1),
        Step(
          pass: .store(
            Store(format: format, alpha: .premultiplied, encodesFromLinear: false, background: nil)),
          sources: [Source(slot: 1)], target: nil),
      ],
      results: [
        Plan.Result(
          rect: rect, format: format, alpha: .premultiplied, transfer: .encoded)
      ])
    try plan.validate(for: .none)
    return plan
  }

  /// Vibrant content: the material beneath through the content's alpha.
  @Test func vibrancyShowsThroughAMask() async throws {
    let beneath: [Double] = [0.8, 0.4, 0.2]
    let image = TestImages.flat(8, 8, .rgb8, beneath.map { Float($0) })
    let content = TestImages.flat(8, 8, .rgba8, [0, 1, 0, 0.6])
    for (appearance, gain, contrast, bias) in [
      ("light", 2.0, 0.375, 0.0625), ("dark", 1.75, 0.5, 0.5),
    ] {
      let options = PlanOptions(mask: Mask([.picture(MaskImage(content, .alpha))]))
      let result = try await PropertyTests.run("vibrancy(label, \(appearance))", image, options)
      let gray = 0.299 * beneath[0] + 0.587 * beneath[1] + 0.114 * beneath[2]
      for channel in 0..<3 {
        let vivid = gain * (beneath[channel] - gray) + contrast * gray + bias
        let expected = 0.4 * beneath[channel] + 0.6 * min(max(vivid, 0), 1)
        let actual = Double(result.sample(x: 3, y: 3, channel: channel))
        #expect(abs(actual - expected) < 1 / 255.0, "\(appearance) \(channel)")
      }
    }
  }
}
