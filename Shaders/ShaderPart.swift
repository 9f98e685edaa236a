package import FrostglassCore

/// One pass of a program: the first reads images around each place, those after it take what the
/// pass before them computed at the same place.
package struct ShaderPart: Sendable, Hashable {
  /// The origin of a pass's source.
  package enum Input: Sendable, Hashable {
    /// The image with this index among those of the program.
    case picture(Int)
    /// The value of the part before.
    case previous
  }

  /// A preprocessor constant that a pass's file reads.
  struct Constant: Sendable, Hashable {
    var name: String
    var text: String

    init(_ name: String, text: String) {
      self.name = name
      self.text = text
    }

    init(_ name: String, _ value: Int) {
      self.init(name, text: "\(value)")
    }

    init(_ name: String, _ value: Bool) {
      self.init(name, value ? 1 : 0)
    }
  }

  /// The pass's name, for messages.
  let passName: String
  /// The pass's file in `passes/`.
  private let file: [UInt8]
  var text: String { Shader.text(file) }
  let constants: [Constant]
  let inputs: [Input]
  /// True if alpha is 1 everywhere because the pass's target has no alpha.
  let isOpaque: Bool
  /// True if the pass calls the functions of `transfer.glsl`.
  let usesTransfer: Bool

  /// - Parameters:
  ///   - inputs: a place for each of the pass's sources; a `load` reads one image.
  ///   - isSpecialized: loops get known lengths, which drivers unroll; else passes of one kind share
  ///     a program.
  package init(_ pass: Pass, inputs: [Input], isOpaque: Bool, isSpecialized: Bool) {
    passName = pass.name
    file = ShaderPart.file(of: pass)
    constants = ShaderPart.constants(of: pass, isSpecialized)
    self.inputs = inputs
    self.isOpaque = isOpaque
    usesTransfer =
      switch pass {
      case .grain, .store: true
      default: false
      }
  }

  /// Packs a result of four channels into the bytes of its rows; no pass of a plan's, as all that
  /// changes is how the image is held.
  package init(packing format: PixelFormat) {
    passName = "pack"
    file = PackageResources.pack_glsl
    constants = [
      Constant("CHANNELS", format.layout.channels), Constant("BYTES", format.depth.bytes),
    ]
    inputs = [.picture(0)]
    isOpaque = false
    usesTransfer = false
  }

  // The text follows from the name, and is long: programs are looked up with every draw.
  package static func == (left: ShaderPart, right: ShaderPart) -> Bool {
    left.passName == right.passName && left.constants == right.constants
      && left.inputs == right.inputs && left.isOpaque == right.isOpaque
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(passName)
    hasher.combine(constants)
    hasher.combine(inputs)
    hasher.combine(isOpaque)
  }

  /// Returns the program's name for the uniform that a pass's file calls `name`. Each part has names of its own.
  package static func uniform(_ name: String, of part: Int) -> String { "\(name)_\(part)" }

  /// Convolutions up to this radius get a loop of known length, which drivers unroll; one program
  /// each. Longer ones share a program.
  static let longestUnrolledRadius = 16

  private static func constants(of pass: Pass, _ isSpecialized: Bool) -> [Constant] {
    switch pass {
    case .resample(let resample):
      [
        Constant("TAPS_ARE_UNIFORM", !isSpecialized),
        Constant("TAPS_X", isSpecialized ? resample.x.longestPhase : 0),
        Constant("TAPS_Y", isSpecialized ? resample.y.longestPhase : 0),
      ]
    case .convolve(let convolve):
      constants(of: convolve, isSpecialized)
    case .colorMatrix(let matrix):
      [Constant("CLAMPS", matrix.clamps)]
    case .blend(let blend):
      [Constant("MODE", blend.mode.number)]
    case .displace(let displace):
      [Constant("DISPERSES", displace.disperses)]
    case .load, .generate, .median, .cellMeans, .cellFill, .stencil, .gather, .highlightWeight,
      .lumaCurve, .packChannels:
      []
    case .bilateral:
      [Constant("FALLS_LINEARLY", text: "fallsLinearly")]
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
        Constant("ENCODES", store.encodesFromLinear), Constant("LOW_BITS", store.bits ?? 0),
      ]
    }
  }

  private static func constants(of convolve: Convolve, _ isSpecialized: Bool) -> [Constant] {
    let unrolls = isSpecialized && convolve.radius <= longestUnrolledRadius
    return [
      Constant("RADIUS_IS_UNIFORM", !unrolls), Constant("RADIUS", unrolls ? convolve.radius : 0),
      Constant("AXIS_IS_UNIFORM", !isSpecialized),
      Constant("AXIS_X", isSpecialized && convolve.axis == .x),
      Constant("AXIS_Y", isSpecialized && convolve.axis == .y),
    ]
  }

  /// The text that a pass is written in, once for all stages.
  private static func file(of pass: Pass) -> [UInt8] {
    switch pass {
    // The image is loaded as it is fetched; `generate` is made on the CPU and loaded.
    case .load, .generate: PackageResources.copy_glsl
    case .resample: PackageResources.resample_glsl
    case .convolve: PackageResources.convolve_glsl
    case .colorMatrix: PackageResources.color_matrix_glsl
    case .lumaCurve: PackageResources.luma_curve_glsl
    case .displace: PackageResources.displace_glsl
    case .blend: PackageResources.blend_glsl
    case .packChannels: PackageResources.pack_channels_glsl
    case .bilateral: PackageResources.range_weight_glsl + PackageResources.bilateral_glsl
    case .median: PackageResources.median_glsl
    case .cellMeans:
      PackageResources.tiling_glsl + PackageResources.cell_means_glsl
    case .cellFill:
      PackageResources.tiling_glsl + PackageResources.cell_fill_glsl
    case .grain: PackageResources.grain_glsl
    case .stencil: PackageResources.stencil_glsl
    case .gather: PackageResources.gather_glsl
    case .highlightWeight: PackageResources.highlight_weight_glsl
    case .store: PackageResources.store_glsl
    }
  }
}

extension Blend.Mode {
  /// The shader's number for the mode.
  fileprivate var number: Int {
    switch self {
    case .mix: 0
    case .masked: 1
    case .over: 2
    case .multiply: 3
    case .divide: 4
    case .normalize: 5
    case .plusLighter: 6
    case .normalizeAbove: 7
    }
  }
}
