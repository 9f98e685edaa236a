import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Masks and redactions: the same image everywhere, and nothing of what is hidden anywhere.
@Suite struct MaskParityTests {
  static let masks = [
    "10,8,30,20", "ellipse(10,5,45,30)", "continuous(-5,20,40,30,9)",
    "polygon(5 5, 55 12, 20 40); rounded(40,25,15,15,4)", "gradient(0 0, 100% 0, smooth)",
  ]

  private func options() throws -> [(String, PlanOptions)] {
    var all: [(String, PlanOptions)] = []
    for (index, text) in Self.masks.enumerated() {
      let shapes = try MaskShape.list(text: text)
      for use in Mask.Use.allCases {
        let mask = Mask(
          shapes, feather: index % 2 == 0 ? 0 : 5, isInverted: index % 3 == 1, use: use)
        let edge: EdgeMode = index % 2 == 0 ? .clamp : .transparent
        all.append(
          ("\(text) \(use)", PlanOptions(edge: edge, linearLight: index == 2, mask: mask)))
      }
      guard !text.hasPrefix("gradient") else { continue }
      for fill in Redaction.Fill.allCases {
        let mask = Mask(
          shapes, feather: index % 2 == 0 ? 3 : 0, grow: 2, isInverted: index % 3 == 1,
          redaction: Redaction(fill, color: Color(red: 0.9, green: 0.3, blue: 0)))
        all.append(("\(text) \(fill)", PlanOptions(mask: mask)))
      }
    }
    return all
  }

  /// Masks and redactions of all and half of very small images.
  private func smallOptions() throws -> [(String, PlanOptions)] {
    try ["0,0,100%,50%", "ellipse(0,0,100%,100%)", "-9,-9,99,99"].flatMap { text in
      let shapes = try MaskShape.list(text: text)
      let redacting = Redaction.Fill.allCases.map { Mask(shapes, redaction: Redaction($0)) }
      return (Mask.Use.allCases.map { Mask(shapes, use: $0) } + redacting)
        .map { ("\(text) small", PlanOptions(mask: $0)) }
    }
  }

  private static let references = SharedResults<String, Image>()

  private func compare(
    _ backend: any Backend, _ name: String, straight: Double, storesSixteenBits: Bool
  ) async throws {
    let chain = try FilterChain(text: "blur(4px) tint(white, 0.2)")
    for (number, image) in [
      TestImages.noise(61, 47), TestImages.noise(61, 47, .rgba8), TestImages.noise(61, 47, .gray8),
      TestImages.noise(61, 47, PixelFormat(.rgba, .uint16)),
      TestImages.noise(61, 47, PixelFormat(.rgb, .float32)), TestImages.noise(1, 1),
      TestImages.noise(1, 23),
    ].enumerated() {
      let all = try image.size.width > 1 ? options() : smallOptions()
      for (index, (label, options)) in all.enumerated() {
        let plan = try chain.plan(for: Plan.Input(image), options: options)
        try plan.validate(for: .none)
        let expected = try await Self.references.value("\(number) \(index)") {
          try await ReferenceBackend().execute(plan, [image])
        }
        let actual = try await backend.execute(plan, [image])
        let integers = plan.result.alpha == .straight ? straight : 1
        let float = 0.02 + (storesSixteenBits ? plan.certifiedError.arithmetic : 0)
        try expectClose(
          actual, expected, within: image.format.depth == .uint8 ? integers : float,
          "\(name) \(image.format) \(label)")
      }
    }
  }

  @Test func fastIsTheReference() async throws {
    try await compare(FastBackend(threads: 3), "fast", straight: 2, storesSixteenBits: true)
  }

  @Test(arguments: ParityTests.setups)
  func glIsTheReference(name: String, options: GLOptions) async throws {
    let backend = try await GLBackend.start(options)
    let isMinimum = options.restrictToES31Minimum && options.stage == .fragment
    try await compare(backend, name, straight: 1, storesSixteenBits: isMinimum)
  }

  /// Softly confined medians, of which hardly any weight may be picked.
  @Test(arguments: ParityTests.setups)
  func glConfinesMedians(name: String, options: GLOptions) async throws {
    let backend = try await GLBackend.start(options)
    let chain = FilterChain(MedianFilter(radius: 2, rank: 0.2))
    for format in [PixelFormat.gray8, .rgb8, .rgba8] {
      let image = TestImages.noise(61, 47, format, alpha: .premultiplied)
      for text in Self.masks {
        let mask = Mask(try MaskShape.list(text: text), feather: 5, use: .confine)
        let plan = try chain.plan(for: Plan.Input(image), options: PlanOptions(mask: mask))
        try expectClose(
          try await backend.execute(plan, [image]),
          try await ReferenceBackend().execute(plan, [image]), within: 1,
          "\(name) \(format) \(text)")
      }
    }
  }

  /// On the GPU, too, changing covered pixels in any way changes no byte.
  @Test(arguments: ParityTests.setups)
  func noByteDependsOnCoveredPixels(name: String, options: GLOptions) async throws {
    let backend = try await GLBackend.start(options)
    let look = try FilterChain(text: "saturation(1.4) blur(3px) mix(0.7)")
    let formats = [PixelFormat.rgb8, .rgba8, PixelFormat(.rgba, .uint16)]
    // One of the formats each time: each mask has all of them, with one backend or another.
    let setup = ParityTests.setups.firstIndex { $0.name == name } ?? 0
    for (number, fill) in Redaction.Fill.allCases.enumerated() {
      for (place, item) in RedactionCases.all(Redaction(fill)).enumerated() {
        let format = formats[(number + place + setup) % formats.count]
        let (first, second) = RedactionCases.pictures(item, format)
        let plan = try look.plan(for: Plan.Input(first), options: PlanOptions(mask: item.mask))
        let one = try await backend.execute(plan, [first])
        let two = try await backend.execute(plan, [second])
        #expect(one.bytes == two.bytes, "\(name) \(format) \(item)")
      }
    }
  }
}
