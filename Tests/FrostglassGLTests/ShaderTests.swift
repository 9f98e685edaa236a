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
    .stencil(Stencil([Stencil.Tap(dx: 0, dy: 0, weight: 1)])),
    .gather(Gather(views: [])),
    .weigh(Weigh(highlights: 1, luma: SIMD3(0.2, 0.7, 0.1))),
    .bilateral(Bilateral(x: [1], y: [1], range: [1, 0], fineness: 1)),
    .median(Median(radius: 1, rank: 4)),
    .cellMeans(CellMeans(tiling: tiling, picture: Rect(x: 0, y: 0, width: 9, height: 9))),
    .cellFill(CellFill(tiling: tiling)),
    .grain(Grain(form: .bell, seed: 0, amplitude: 0.1)),
    .store(
      Store(format: .rgba8, alpha: .straight, encodesFromLinear: false, background: nil)),
  ]

  static let tiling = Tiling(width: 4, height: 4, isStaggered: false, centerX: 0, centerY: 0)

  @Test func everyPassIsWritten() {
    // Generated pictures are loaded.
    #expect(Self.passes.map(\.name) == Pass.names.filter { $0 != "Generate" })
    for pass in Self.passes {
      let sources = ["Blend", "Displace"].contains(pass.name) ? 2 : 1
      for stage in ShaderStage.allCases {
        let text = Shader(pass, variant: Self.variant(stage, sources: sources)).source
        #expect(text.hasPrefix("#version 310 es\n"))
        #expect(text.contains("// \(pass.name): "), "\(pass.name)")
        #expect(text.contains("vec4 pass(ivec2 p)"))
      }
    }
  }

  @Test func numbersAreNotInTheText() {
    let variant = Self.variant(.fragment, sources: 1)
    let first = Shader(.convolve(Convolve(axis: .x, taps: [0.5, 0.25])), variant: variant)
    let second = Shader(.convolve(Convolve(axis: .x, taps: [0.4, 0.3])), variant: variant)
    let other = Shader(.convolve(Convolve(axis: .y, taps: [0.4, 0.3])), variant: variant)
    #expect(first == second && first.source == second.source)
    #expect(first != other && first.source != other.source)
  }

  @Test func longConvolutionsShareAProgram() {
    let variant = Self.variant(.compute, sources: 1)
    let shaders = [40, 41].map { count in
      Shader(
        .convolve(Convolve(axis: .x, taps: [Float](repeating: 0.01, count: count))),
        variant: variant)
    }
    #expect(shaders[0] == shaders[1])
  }

  static func variant(_ stage: ShaderStage, sources: Int) -> ShaderVariant {
    ShaderVariant(
      stage: stage,
      sources: [ShaderVariant.Source](repeating: .init(kind: .float), count: sources),
      target: .float32, targetIsOpaque: false)
  }
}
