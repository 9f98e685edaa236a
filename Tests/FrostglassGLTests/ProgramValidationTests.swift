import FrostglassCore
import FrostglassGL
import FrostglassShaders
import Glibc
import TestSupport
import Testing

/// Programs are what the language allows, and not only what Mesa forgives: Khronos' own front end
/// takes all of them, as OpenGL ES 3.1 and 3.2.
@Suite(
  .enabled(
    if: access("/usr/bin/glslangValidator", X_OK) == 0,
    "glslang-tools is not installed: scripts/deps.sh shaders"))
struct ProgramValidationTests {
  @Test(arguments: ["310 es", "320 es"])
  func everyProgramIsValid(_ version: String) throws {
    let folder = CacheFolder()
    let names = try Self.write(to: folder.path, as: version)
    // It prints the name of each file, and then what is wrong with it.
    let output = try Self.output(of: "glslangValidator \(names.joined(separator: " ")) 2>&1")
    let complaints = output.split(separator: "\n").filter { !$0.hasPrefix(folder.path) }
    #expect(complaints.isEmpty, "\(complaints.prefix(20))")
    #expect(output.split(separator: "\n").count >= names.count)
  }

  /// As SPIR-V, programs keep the rules of that language too: of control flow, of types, of what is
  /// stored where. The compiler makes it of ES texts for Vulkan only, whose bindings and blocks it is
  /// told to make up. It takes them one by one and starts anew for each, so every seventh is tried: of each pass
  /// another kind of texture.
  @Test(
    .enabled(
      if: access("/usr/bin/spirv-val", X_OK) == 0,
      "spirv-tools is not installed: scripts/deps.sh shaders"))
  func everyProgramIsValidAsSPIRV() throws {
    let folder = CacheFolder()
    let all = try Self.write(to: folder.path, as: "310 es")
    let names = all.enumerated().filter { $0.offset % 7 == 0 }.map(\.element)
    let output = try Self.output(
      of: """
        for name in \(names.joined(separator: " ")); do
          glslangValidator -V -R --aml --amb -o $name.spv $name >/dev/null || echo $name
          spirv-val --target-env vulkan1.1 $name.spv && echo valid
        done 2>&1
        """)
    let complaints = output.split(separator: "\n").filter { $0 != "valid" }
    #expect(complaints.isEmpty, "\(complaints.prefix(20))")
    #expect(output.split(separator: "\n").count == names.count)
    #expect(try Self.output(of: "spirv-val \(names[0]) 2>&1").contains("error"))
  }

  /// Without this, a validator that takes everything would do.
  @Test func whatIsWrongIsRefused() throws {
    let folder = CacheFolder()
    mkdir(folder.path, 0o700)
    let name = "\(folder.path)/wrong.comp"
    let file = try #require(fopen(name, "w"))
    fputs(Self.text(Self.programs[1]).text.replacing("vec4", with: "vec5"), file)
    fclose(file)
    #expect(try Self.output(of: "glslangValidator \(name) 2>&1").contains("ERROR"))
  }

  /// Writes every program to a file of its own in a new folder.
  ///
  /// - Parameter version: of the language, in place of the programs' own.
  /// - Returns: the files' names, that of the vertex shader first.
  private static func write(to folder: String, as version: String) throws -> [String] {
    mkdir(folder, 0o700)
    var names: [String] = []
    let vertex = (suffix: "vert", text: Shader.vertexSource)
    for (index, program) in ([vertex] + programs.map(text)).enumerated() {
      let text = program.text.replacing("#version 310 es", with: "#version \(version)")
      #expect(text.hasPrefix("#version \(version)\n"))
      let name = "\(folder)/\(index).\(program.suffix)"
      let file = try #require(fopen(name, "w"))
      #expect(fputs(text, file) >= 0)
      fclose(file)
      names.append(name)
    }
    #expect(names.count > 250)
    return names
  }

  private static func text(_ shader: Shader) -> (suffix: String, text: String) {
    (shader.variant.stage == .fragment ? "frag" : "comp", shader.source)
  }

  private static func output(of command: String) throws -> String {
    let pipe = try #require(popen(command, "r"))
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    var byte = fgetc(pipe)
    while byte != EOF {
      bytes.append(UInt8(byte))
      byte = fgetc(pipe)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Every pass in both plain stages from every kind of texture, every block, edge, load and packing.
  private static var programs: [Shader] {
    var programs: [Shader] = []
    for (place, pass) in ShaderTests.passes.enumerated() {
      for stage in [ShaderStage.fragment, .compute] {
        for (index, kind) in SampleKind.allCases.enumerated() {
          var variant = ShaderTests.shader(pass, stage).variant
          for source in variant.sources.indices { variant.sources[source].kind = kind }
          variant.target = TargetKind.allCases[(place + index) % TargetKind.allCases.count]
          programs.append(Shader([part(pass, isSpecialized: index % 2 == 0)], variant: variant))
        }
      }
    }
    return programs + sums + blocks + loads + packs
  }

  private static func part(_ pass: Pass, isSpecialized: Bool = true) -> ShaderPart {
    let isLoad = if case .load = pass { true } else { false }
    return ShaderPart(
      pass, inputs: (0..<(isLoad ? 1 : pass.kind.sourceCount)).map { .picture($0) },
      isOpaque: false, isSpecialized: isSpecialized)
  }

  /// Sums of whole numbers: plain and in blocks, into slots, results and fractions.
  private static var sums: [Shader] {
    let passes: [Pass] = [
      .convolve(Convolve(axis: .y, taps: [0.5, 0.25])),
      .resample(
        Resample(x: PyramidKernel(levels: 3).growing, y: PyramidKernel(levels: 3).growing)),
    ]
    let store = ShaderPart(
      .store(
        Store(format: .rgba8, alpha: .premultiplied, encodesFromLinear: false, background: nil)),
      inputs: [.previous], isOpaque: false, isSpecialized: true)
    var sums: [Shader] = []
    for pass in passes {
      for stage in ShaderStage.allCases {
        for (kind, edge) in [
          (SampleKind.fixed16, ShaderVariant.Edge.none), (.unsigned8, .mode(.transparent)),
          (.unorm8, .uniform), (.grayBytes, .mode(.clamp)),
        ] {
          for target in [TargetKind.fixed16, .unorm8, .words, .float32] {
            var variant = ShaderTests.variant(stage, sources: 1)
            variant.target = target
            variant.storesSums = target != .float32
            variant.sources[0] = .init(kind: kind, x: edge, y: edge)
            if kind != .fixed16 {
              let load = Load(
                input: 0, alpha: kind == .unorm8 ? .straight : .opaque, decodesToLinear: false)
              variant.sources[0].loading = .init(load, channels: kind == .unorm8 ? 4 : 1)
            }
            variant.sources[0].isWhole = true
            let parts = [part(pass, isSpecialized: edge != .uniform)]
            sums.append(
              Shader(
                target.holdsBytes ? parts + [store] : parts,
                block: .of(pass, stage: stage, isWhole: true), variant: variant))
          }
        }
      }
    }
    return sums
  }

  private static var blocks: [Shader] {
    let halves = Polyphase(
      stride: 2, phases: [.init(first: -1, taps: [0.125, 0.375, 0.375, 0.125])])
    let grown = Polyphase(
      stride: 1, phases: (0..<4).map { .init(first: $0 < 2 ? -1 : 0, taps: [0.5, 0.5]) })
    let passes: [Pass] = [
      .convolve(Convolve(axis: .x, taps: [Float](repeating: 0.1, count: 6))),
      .convolve(Convolve(axis: .y, taps: [Float](repeating: 0.1, count: 12))),
      .resample(Resample(x: halves, y: halves)), .resample(Resample(x: grown, y: grown)),
    ]
    var blocks: [Shader] = []
    for pass in passes {
      guard let block = ShaderBlock.of(pass, stage: .blocked) else { continue }
      for edge in [nil] + EdgeMode.allCases.map({ $0 }) {
        var variant = ShaderTests.variant(.blocked, sources: 1)
        let outside = edge.map { ShaderVariant.Edge.mode($0) } ?? .uniform
        (variant.sources[0].x, variant.sources[0].y) = (outside, outside)
        blocks.append(Shader([part(pass)], block: block, variant: variant))
      }
    }
    return blocks + halvings + medians + windows
  }

  /// Halvings of bytes, once and twice, from texels and from words.
  private static var halvings: [Shader] {
    var halvings: [Shader] = []
    for (kind, packing, reduction) in [
      (SampleKind.unsigned8, ShaderVariant.Source.Packing.texels, PyramidKernel.halving),
      (.unorm8, .texels, PyramidKernel.halving), (.unsigned8, .words, PyramidKernel.halving),
      (.unorm8, .words, PyramidKernel.halving), (.unsigned8, .texels, PyramidKernel.quartering),
      (.unorm8, .words, PyramidKernel.quartering),
    ] {
      let pass = Pass.resample(Resample(x: reduction, y: reduction))
      for (index, edge) in EdgeMode.allCases.enumerated() {
        var variant = ShaderTests.variant(.blocked, sources: 1)
        let load = Load(
          input: 0, alpha: index % 2 == 0 ? .opaque : .premultiplied, decodesToLinear: false)
        variant.target = .fixed16
        variant.sources[0] = .init(
          kind: kind, loading: .init(load, channels: index % 2 == 0 ? 1 : 4), x: .mode(edge),
          y: .mode(edge))
        variant.sources[0].isWhole = true
        variant.storesSums = true
        variant.sources[0].packing = packing
        halvings.append(
          Shader([part(pass)], block: .reducingBytes(pass), variant: variant))
      }
    }
    return halvings + joined
  }

  /// Joined passes whose second pass reads around the first one's samples, and shrinking by groups.
  private static var joined: [Shader] {
    let halving = Pass.resample(Resample(x: PyramidKernel.halving, y: PyramidKernel.halving))
    let quartering = Pass.resample(
      Resample(x: PyramidKernel.quartering, y: PyramidKernel.quartering))
    let taps: [Float] = [0.5, 0.25]
    let rows = Pass.convolve(Convolve(axis: .x, taps: taps))
    let columns = Pass.convolve(Convolve(axis: .y, taps: taps))
    let load = Load(input: 0, alpha: .opaque, decodesToLinear: false)
    return EdgeMode.allCases.flatMap { edge in
      let pairs: [(Pass?, Pass)] = [
        (quartering, halving), (nil, halving), (nil, quartering), (rows, columns),
      ]
      let kinds = [SampleKind.unsigned8, .words, .rgbBytes]
      return kinds.flatMap { kind in pairs.map { (kind, $0.0, $0.1) } }.map { kind, lead, pass in
        var variant = ShaderTests.variant(.compute, sources: 1)
        variant.target = .fixed16
        variant.storesSums = true
        variant.sources[0] = .init(
          kind: kind, loading: .init(load, channels: kind == .rgbBytes ? 3 : 1), x: .mode(edge),
          y: .mode(edge))
        variant.sources[0].isWhole = true
        if lead != rows { variant.sources[0].packing = .texels }
        let block =
          lead.map { ShaderBlock.joining($0, pass) }
          ?? .of(pass, stage: .compute, isWhole: true, readsBytes: true, sharesWindows: true)
        #expect(block != nil)
        return Shader([part(pass)], block: block, variant: variant)
      }
    }
  }

  /// Medians of bytes that a group keeps.
  private static var medians: [Shader] {
    let pass = Pass.median(Median(radius: 3, rank: 24))
    return [SampleKind.unsigned8, .unorm8].flatMap { kind in
      [AlphaMode.opaque, .premultiplied].map { alpha in
        var variant = ShaderTests.variant(.compute, sources: 1)
        let load = Load(input: 0, alpha: alpha, decodesToLinear: false)
        variant.sources[0] = .init(
          kind: kind, loading: .init(load, channels: alpha == .opaque ? 1 : 4), x: .mode(.mirror),
          y: .mode(.wrap))
        variant.sources[0].isKept = true
        let isPaired = (kind == .unorm8) == (alpha == .opaque)
        let block = ShaderBlock.pickingBytes(pass, isPaired: isPaired)
        return Shader([part(pass)], block: block, variant: variant)
      }
    }
  }

  /// Windows whose samples groups share: of both kinds of weights, of a row, of a column, and a stencil's.
  private static var windows: [Shader] {
    let (one, taps): ([Float], [Float]) = ([1], [0.3, 0.2, 0.1, 0.05, 0.01])
    let square = (0..<6).flatMap { y in
      (0..<6).map { Stencil.Tap(dx: $0, dy: y, weight: 1.0 / 36) }
    }
    let passes: [Pass] = [
      .bilateral(Bilateral(x: taps, y: taps, range: .gaussian(exponent: -9))),
      .bilateral(Bilateral(x: taps, y: one, range: .linear(fall: 2))),
      .bilateral(Bilateral(x: one, y: taps, range: .gaussian(exponent: -9))),
      .stencil(Stencil(square)),
    ]
    return passes.flatMap { pass in
      let block = ShaderBlock.sharingWindow(pass)
      #expect(block != nil)
      return EdgeMode.allCases.map { edge in
        var variant = ShaderTests.variant(.compute, sources: 1)
        (variant.sources[0].x, variant.sources[0].y) = (.mode(edge), .mode(edge))
        return Shader([part(pass)], block: block, variant: variant)
      }
    }
  }

  private static var loads: [Shader] {
    var loads: [Shader] = []
    for alpha in [AlphaMode.opaque, .straight, .premultiplied] {
      for linear in [false, true] {
        for channels in [1, 3, 4] {
          let load = Load(input: 0, alpha: alpha, decodesToLinear: linear)
          var variant = ShaderTests.variant(.compute, sources: 1)
          variant.sources[0].loading = ShaderVariant.Loading(load, channels: channels)
          loads.append(Shader([part(.colorMatrix(ColorMatrix(scale: 1)))], variant: variant))
        }
      }
    }
    return loads
  }

  private static var packs: [Shader] {
    PixelFormat.all.flatMap { format in
      [ShaderStage.fragment, .compute].map { stage in
        Shader([ShaderPart(packing: format)], variant: ShaderTests.variant(stage, sources: 1))
      }
    }
  }
}
