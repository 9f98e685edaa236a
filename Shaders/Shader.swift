public import FrostglassCore

/// A program of the GPU: one pass, wrapped for one stage and one way of holding its pictures.
///
/// Two equal shaders have the same text, so programs are cached by it. The pass's numbers (taps,
/// matrices) are not in the text; what changes its loops and branches is.
public struct Shader: Sendable, Hashable {
  /// A preprocessor constant that a pass's file reads.
  struct Constant: Sendable, Hashable {
    var name: String
    var value: Int

    init(_ name: String, _ value: Int) {
      self.name = name
      self.value = value
    }

    init(_ name: String, _ value: Bool) {
      self.init(name, value ? 1 : 0)
    }
  }

  /// The pass's name, for messages.
  public let passName: String
  /// The text of the pass's file in `passes/`.
  let passText: String
  /// What surrounds the pass.
  public let variant: ShaderVariant
  let constants: [Constant]

  /// The program for a pass.
  ///
  /// - Parameter inputChannels: samples per pixel of the picture a `load` reads; 4 for other passes.
  public init(_ pass: Pass, inputChannels: Int = 4, variant: ShaderVariant) {
    self.passName = pass.name
    self.passText = Shader.text(of: pass)
    self.variant = variant
    self.constants = Shader.constants(of: pass, inputChannels: inputChannels)
  }

  /// Convolutions up to this radius get a loop of known length, which drivers unroll; one program
  /// each. Longer ones share a program.
  static let longestUnrolledRadius = 16

  private static func constants(of pass: Pass, inputChannels: Int) -> [Constant] {
    switch pass {
    case .load(let load):
      [
        Constant("CHANNELS", inputChannels), Constant("OPAQUE", load.alpha == .opaque),
        Constant("STRAIGHT", load.alpha == .straight),
        Constant("PREMULTIPLIED", load.alpha == .premultiplied),
        Constant("DECODES", load.decodesToLinear),
      ]
    case .resample(let resample):
      [
        Constant("TAPS_X", resample.x.longestPhase), Constant("TAPS_Y", resample.y.longestPhase),
      ]
    case .convolve(let convolve):
      [
        Constant("AXIS_X", convolve.axis == .x), Constant("AXIS_Y", convolve.axis == .y),
        Constant("RADIUS_IS_UNIFORM", convolve.radius > longestUnrolledRadius),
        Constant("RADIUS", min(convolve.radius, longestUnrolledRadius + 1)),
      ]
    case .colorMatrix(let matrix):
      [Constant("CLAMPS", matrix.clamps)]
    case .blend(let blend):
      [Constant("MODE", blend.mode.number)]
    case .displace(let displace):
      [Constant("DISPERSES", displace.disperses)]
    case .generate, .bilateral, .median, .cellMeans, .cellFill, .stencil, .gather, .weigh,
      .lumaCurve:
      []
    case .grain(let grain):
      [
        Constant("BELL", grain.form == .bell), Constant("COLORED", grain.isColored),
        Constant("ENCODES", grain.encodes), Constant("TAPS", grain.growth.longestPhase),
      ]
    case .store(let store):
      [
        Constant("STRAIGHT", store.alpha == .straight),
        Constant("PREMULTIPLIED", store.alpha == .premultiplied),
        Constant("HAS_BACKGROUND", store.background != nil),
        Constant("ENCODES", store.encodesFromLinear),
      ]
    }
  }

  /// The text that a pass is written in, once for all stages.
  private static func text(of pass: Pass) -> String {
    switch pass {
    case .load: text(PackageResources.transfer_glsl) + text(PackageResources.load_glsl)
    case .resample: text(PackageResources.resample_glsl)
    case .convolve: text(PackageResources.convolve_glsl)
    case .colorMatrix: text(PackageResources.color_matrix_glsl)
    case .lumaCurve: text(PackageResources.luma_curve_glsl)
    case .displace: text(PackageResources.displace_glsl)
    case .blend: text(PackageResources.blend_glsl)
    // Made on the CPU and loaded.
    case .generate: ""
    case .bilateral: text(PackageResources.bilateral_glsl)
    case .median: text(PackageResources.median_glsl)
    case .cellMeans: text(PackageResources.tiling_glsl) + text(PackageResources.cell_means_glsl)
    case .cellFill: text(PackageResources.tiling_glsl) + text(PackageResources.cell_fill_glsl)
    case .grain: text(PackageResources.transfer_glsl) + text(PackageResources.grain_glsl)
    case .stencil: text(PackageResources.stencil_glsl)
    case .gather: text(PackageResources.gather_glsl)
    case .weigh: text(PackageResources.weigh_glsl)
    case .store: text(PackageResources.transfer_glsl) + text(PackageResources.store_glsl)
    }
  }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension Blend.Mode {
  /// What the shader calls the mode.
  fileprivate var number: Int {
    switch self {
    case .mix: 0
    case .masked: 1
    case .over: 2
    case .multiply: 3
    case .divide: 4
    case .normalize: 5
    case .plusLighter: 6
    }
  }
}
