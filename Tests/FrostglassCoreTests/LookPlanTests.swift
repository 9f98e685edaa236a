import FrostglassCore
import Testing

/// Plans of looks.
struct LookPlanTests {
  static let photo = Plan.Input(
    size: Size(width: 640, height: 427), format: .rgb8, alpha: .opaque, transfer: .encoded)

  static func names(_ text: String) throws -> [String] {
    try FilterChain(text: text).plan(for: photo).steps.map(\.pass.name)
  }

  /// Colors change on a quarter of the size, within the passes of the plain blur.
  @Test(arguments: [22.5, 29.5, 45, 90, 300])
  func materialsColorAQuarter(sigma: Double) throws {
    var names = try Self.names("thin-light(\(sigma)px)")
    #expect(Array(names[1...3]) == ["Resample", "Resample", "LumaCurve"])
    names.remove(at: 3)
    #expect(try names == Self.names("gaussian(\(sigma)px)"))
  }

  @Test func smallBlursColorWhereTheyCan() throws {
    #expect(try Self.names("thin-light(0px)") == ["Load", "LumaCurve", "Store"])
    #expect(
      try Self.names("thin-light(2px)") == ["Load", "LumaCurve", "Convolve", "Convolve", "Store"])
    let halved = try #require(
      [3.0, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7].map { try Self.names("thin-light(\($0)px)") }
        .first { names in names.filter { $0 == "Resample" }.count == 2 })
    #expect(Array(halved[1...2]) == ["Resample", "LumaCurve"])
  }

  @Test func looksAreCertified() throws {
    for filter in Catalog.styles {
      let plan = try FilterChain(filter).plan(for: Self.photo)
      #expect(plan.certifiedError.total < 1, "\(filter.name): \(plan.certifiedError)")
    }
  }

  /// Points are pixels times the scale.
  @Test func pointsAreScaled() throws {
    for (name, at2) in [
      ("thin-dark()", "thin-dark(59px)"), ("7blur-sky()", "7blur-sky(60px)"),
      ("image-effects-dark()", "image-effects-dark(40px)"), ("light()", "light(60px)"),
    ] {
      let scaled = try FilterChain(text: name)
        .plan(for: Self.photo, options: PlanOptions(scale: 2))
      #expect(try scaled == FilterChain(text: at2).plan(for: Self.photo), "\(name)")
    }
  }

  /// Radius, width of the boxes and what the three have as standard deviation.
  @Test(
    arguments: [
      (1, 3, 1.41), (2, 5, 2.45), (4, 9, 4.47), (6, 11, 5.48), (8, 15, 7.48), (10, 19, 9.49),
      (12, 23, 11.49), (20, 39, 19.49), (30, 57, 28.50), (40, 75, 37.50),
    ] as [(Double, Int, Double)])
  func boxesAreAsInTheSample(radius: Double, width: Int, sigma: Double) {
    let box = OddBoxes(radius: radius)
    #expect(box.width == width)
    #expect(abs(box.sigma - sigma) < 0.006)
    #expect(OddBoxes(radius: 0).width == 1)
  }

  /// A style's σ can be asked for; the sample's boxes come near it.
  @Test func imageEffectsTakeSigma() throws {
    var style = ImageEffects(.dark)
    style.sigma = 20
    let radius = try style.radius.pixels(
      for: Self.photo.size, scale: 1, in: 0...1000, filter: "", parameter: "")
    #expect(abs(OddBoxes(radius: radius).sigma - 20) < 0.6)
  }

  @Test func theWordsOfLooksAreChecked() {
    for text in [
      "thin-light(intensity=1.5)", "thin-light(sigma=2000px)", "7blur-sky(intensity=-1)",
      "image-effects-light(radius=1001px)", "custom-style(grayscale-tint-alpha=2)",
    ] {
      #expect(throws: (any Error).self, "\(text)") {
        try FilterChain(text: text).plan(for: Self.photo)
      }
    }
    #expect(throws: FilterTextError.self) { try FilterChain(text: "vibrancy(level=text)") }
  }

  /// The two matrices that were read from live layers.
  @Test func vibrancyHasThePublishedMatrices() throws {
    let published: [(FilterChain.Appearance, [SIMD3<Float>], Float)] = [
      (
        .light,
        [
          SIMD3(1.51412, -0.95475, -0.18437), SIMD3(-0.48560, 1.04619, -0.18558),
          SIMD3(-0.48681, -0.95294, 1.81475),
        ], 0.0625
      ),
      (
        .dark,
        [
          SIMD3(1.37625, -0.73452, -0.14173), SIMD3(-0.37351, 1.01630, -0.14279),
          SIMD3(-0.37457, -0.73293, 1.60750),
        ], 0.5
      ),
    ]
    for (appearance, rows, bias) in published {
      let plan = try FilterChain([.vibrancy(.label, appearance)]).plan(for: Self.photo)
      guard case .colorMatrix(let matrix) = plan.steps[1].pass else {
        Issue.record("not a matrix")
        continue
      }
      #expect(matrix.clamps)
      for (row, expected) in zip([matrix.red, matrix.green, matrix.blue], rows) {
        // The published numbers differ from their own common form by this.
        for column in 0..<3 { #expect(abs(row[column] - expected[column]) < 0.003) }
        #expect(row.w == bias)
      }
    }
  }
}
