import FrostglassCore
import FrostglassShaders
import Testing

/// The texts that shaders are put together from.
@Suite struct ShaderTests {
  static let passes: [Pass] = [
    .load(Load(input: 0, alpha: .straight, decodesToLinear: true)),
    .resample(Resample(x: .identity, y: .identity)),
    .convolve(Convolve(axis: .x, taps: [1])),
    .colorMatrix(ColorMatrix(scale: 1)),
    .lumaCurve(PassParityTests.curve),
    .displace(Displace(span: SIMD3(9, 8, 7))),
    .blend(Blend(.mix(0.5))),
    .packChannels(PackChannels()),
    .stencil(Stencil([Stencil.Tap(dx: 0, dy: 0, weight: 1)])),
    .gather(Gather(views: [])),
    .highlightWeight(HighlightWeight(highlights: 1, luma: SIMD3(0.2, 0.7, 0.1))),
    .bilateral(Bilateral(x: [1], y: [1], range: .linear(fall: 1))),
    .median(Median(radius: 1, rank: 4)),
    .cellMeans(CellMeans(tiling: tiling, picture: Rect(x: 0, y: 0, width: 9, height: 9))),
    .cellFill(CellFill(tiling: tiling)),
    .grain(Grain(form: .bell, seed: 0, amplitude: 0.1)),
    .store(
      Store(format: .rgba8, alpha: .straight, encodesFromLinear: false, background: nil)),
  ]

  static let tiling = Tiling(width: 4, height: 4, isStaggered: false, centerX: 0, centerY: 0)

  @Test func everyPassIsWritten() {
    // Generated images are loaded.
    #expect(Self.passes.map(\.name) == Pass.names.filter { $0 != "Generate" })
    for pass in Self.passes {
      for stage in ShaderStage.allCases {
        let text = Self.shader(pass, stage).source
        #expect(text.hasPrefix("#version 310 es\n"))
        #expect(text.contains("// \(pass.name): "), "\(pass.name)")
        #expect(text.contains(" pass(ivec2 p) {"))
      }
    }
  }

  /// Phones take 16 bits for what is not said to be more.
  @Test func nothingIsLessThanHighlyPrecise() throws {
    for pass in Self.passes {
      for stage in ShaderStage.allCases {
        let text = Self.shader(pass, stage).source
        // Before anything else is declared.
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("//") }
        let declared = lines.firstIndex { $0.hasPrefix("uniform") || $0.hasPrefix("layout") }
        #expect(
          try #require(lines.firstIndex(of: "precision highp int;")) < #require(declared))
        #expect(!lines.contains { $0.contains("mediump") || $0.contains("lowp") })
        for line in lines where line.contains("image2D ") {
          #expect(line.contains("highp "), "\(line)")
        }
      }
    }
  }

  @Test func numbersAreNotInTheText() {
    let first = Self.shader(.convolve(Convolve(axis: .x, taps: [0.5, 0.25])))
    let second = Self.shader(.convolve(Convolve(axis: .x, taps: [0.4, 0.3])))
    let other = Self.shader(.convolve(Convolve(axis: .y, taps: [0.4, 0.3])))
    #expect(first == second && first.source == second.source)
    #expect(first != other && first.source != other.source)
  }

  @Test func longConvolutionsShareAProgram() {
    let shaders = [40, 41].map { count in
      Self.shader(.convolve(Convolve(axis: .x, taps: [Float](repeating: 0.01, count: count))))
    }
    #expect(shaders[0] == shaders[1])
  }

  /// The names that two equal passes declare stay apart, and each pass reads the one before.
  @Test func fusedPassesKeepTheirNamesApart() {
    let matrix = ShaderPart(
      .colorMatrix(ColorMatrix(scale: 1)), inputs: [.previous], isOpaque: true, isSpecialized: true)
    let head = ShaderPart(
      .convolve(Convolve(axis: .x, taps: [1])), inputs: [.picture(0)], isOpaque: false,
      isSpecialized: true)
    let text = Shader([head, matrix, matrix], variant: Self.variant(.fragment, sources: 1)).source
    for line in [
      "#define fetch0 picture0\n", "#define fetch0 value0\n", "#define fetch0 value1\n",
      "#define red red_1\n", "#define red red_2\n", "#define pass pass_2\n",
      "#define pass value2\n",
    ] { #expect(text.contains(line), "\(line)") }
    // After the first of the two, and in what encodes the target.
    #expect(text.ranges(of: "v.a = 1.0;").count == 2)
  }

  /// If speed does not matter, one program serves all convolutions.
  @Test func smallImagesShareProgramsEvenMore() {
    let shaders = [Axis.x, .y].flatMap { axis in
      [2, 9, 40].map { count in
        Self.shader(
          .convolve(Convolve(axis: axis, taps: [Float](repeating: 0.1, count: count))),
          isSpecialized: false)
      }
    }
    #expect(Set(shaders).count == 1)
    #expect(shaders[0] != Self.shader(.convolve(Convolve(axis: .x, taps: [1]))))
  }

  static func shader(
    _ pass: Pass, _ stage: ShaderStage = .fragment, isSpecialized: Bool = true
  ) -> Shader {
    let isLoad = if case .load = pass { true } else { false }
    let count = isLoad ? 1 : pass.kind.sourceCount
    let part = ShaderPart(
      pass, inputs: (0..<count).map { .picture($0) }, isOpaque: false,
      isSpecialized: isSpecialized)
    var variant = variant(stage, sources: count)
    if case .load(let load) = pass {
      variant.sources[0].loading = ShaderVariant.Loading(load, channels: 4)
    }
    return Shader([part], variant: variant)
  }

  static func variant(_ stage: ShaderStage, sources: Int) -> ShaderVariant {
    ShaderVariant(
      stage: stage,
      sources: [ShaderVariant.Source](repeating: .init(kind: .float), count: sources),
      target: .float32, targetIsOpaque: false)
  }
}
