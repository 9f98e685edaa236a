package import FrostglassCore

/// A program of the GPU: passes that run as one, wrapped for one stage and one way of holding the
/// images.
///
/// Two equal shaders have the same text, so programs are cached by it. The passes' numbers (taps,
/// matrices) are not in the text; what changes their loops and branches is.
package struct Shader: Sendable, Hashable {
  /// The blocks of targets that invocations make of the first pass; `nil` if each invocation makes one target.
  package let block: ShaderBlock?
  private let parts: [ShaderPart]
  /// The stage, sources and target of the passes.
  package let variant: ShaderVariant

  /// - Parameters:
  ///   - parts: at least one; the first takes images only.
  ///   - block: of the first part's pass.
  package init(_ parts: [ShaderPart], block: ShaderBlock? = nil, variant: ShaderVariant) {
    self.parts = parts
    self.block = block
    self.variant = variant
  }

  /// The passes' names, for messages.
  package var passName: String { parts.map(\.passName).joined(separator: " + ") }

  /// Targets that a group of invocations of a compute shader makes.
  package var groupSize: Size { block?.size ?? Size(width: 16, height: 8) }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension Shader {
  /// The vertex shader that goes with every fragment shader.
  package static var vertexSource: String { text(PackageResources.vertex_glsl) }

  /// The whole GLSL text: version, names, shared code, images, passes, the stage's wrapper.
  package var source: String {
    var text = ["#version 310 es\n", Shader.precision, define(targetNames)]
    text.append(Shader.text(PackageResources.common_glsl))
    if usesTransfer { text.append(Shader.text(PackageResources.transfer_glsl)) }
    for (index, source) in variant.sources.enumerated() { text.append(fetch(source, index)) }
    let written = variant.storesSums ? parts.prefix(1) : parts[...]
    for (index, part) in written.enumerated() {
      text.append(index == 0 ? block.map(head) ?? function(of: part, 0) : function(of: part, index))
    }
    text.append(define([("pass", "value\(written.count - 1)")]))
    text.append(wrapper)
    return text.joined()
  }

  /// Sums are to come out alike in every program that makes them: where the driver can be kept from
  /// joining a product and a sum in one program and not in another, it is.
  private static let precision = """
    #ifdef GL_EXT_gpu_shader5
    #extension GL_EXT_gpu_shader5 : enable
    #define PRECISE precise
    #else
    #define PRECISE
    #endif

    """

  private var wrapper: String {
    switch variant.stage {
    case .fragment: Shader.text(PackageResources.fragment_glsl)
    case .compute, .blocked:
      Shader.text(
        PackageResources.target_glsl
          + (block == nil ? PackageResources.compute_glsl : PackageResources.compute_blocks_glsl))
    }
  }

  private var usesTransfer: Bool {
    parts.contains { $0.usesTransfer }
      || variant.sources.contains { $0.loading?.decodesToLinear == true }
  }

  /// Returns the text that fetches samples of a source.
  private func fetch(_ source: ShaderVariant.Source, _ index: Int) -> String {
    if source.kind.isShape {
      let names = [
        ("WHOLE", "whole\(index)"), ("PART", "part\(index)"), ("FORM", "form\(index)"),
        ("AXES", "axes\(index)"), ("LENGTH", "length\(index)"), ("DISTANCE", "distance\(index)"),
        ("FETCH", "picture\(index)"), ("IS_ELLIPSE", source.kind == .ellipse ? "1" : "0"),
      ]
      return define(names) + Shader.text(PackageResources.shape_glsl) + undefine(names)
    }
    var text = ""
    if let loading = source.loading {
      let names = [
        ("LOAD", "load\(index)"), ("CHANNELS", "\(loading.channels)"),
        ("OPAQUE", loading.alpha == .opaque ? "1" : "0"),
        ("STRAIGHT", loading.alpha == .straight ? "1" : "0"),
        ("PREMULTIPLIED", loading.alpha == .premultiplied ? "1" : "0"),
        ("DECODES", loading.decodesToLinear ? "1" : "0"), ("LOW_BITS", "\(loading.bits)"),
      ]
      text += define(names) + Shader.text(PackageResources.load_glsl) + undefine(names)
    }
    let names =
      Shader.names(of: source, index, binding: variant.binding(of: index))
      + Shader.packing(of: source, index)
    return text + define(names) + Shader.text(PackageResources.source_glsl) + undefine(names)
  }

  /// A pass as functions whose names belong to this part alone; `value` with the part's index is
  /// what it comes to.
  private func function(of part: ShaderPart, _ index: Int) -> String {
    var names = part.constants.map { ($0.name, $0.text) }
    for (source, input) in part.inputs.enumerated() {
      let function =
        switch input {
        case .picture(let picture):
          variant.sources[picture].isWhole ? "whole\(picture)" : "picture\(picture)"
        case .previous: "value\(index - 1)"
        }
      names.append(("fetch\(source)", function))
    }
    names += Shader.declared(in: part.text).map { ($0, ShaderPart.uniform($0, of: index)) }
    if index == 0 { names += sumNames }
    return define(names) + part.text + undefine(names)
      + value(index, of: part, "pass_\(index)(p)")
  }

  /// The first pass as blocks of it are made: its wrapper puts each result into `head`.
  private func head(_ block: ShaderBlock) -> String {
    let text = block.text
    var names = [("fetch0", variant.sources[0].isWhole ? "whole0" : "picture0")] + sumNames
    names += Shader.declared(in: text, only: "uniform").map { ($0, ShaderPart.uniform($0, of: 0)) }
    // The constants stay defined, as the wrapper needs some.
    return define(
      block.constants.map { ($0.name, $0.text) } + [("READS_PRODUCTS", readsProducts ? "1" : "0")])
      + define(names) + text + undefine(names) + (sumsAreWhole ? "uvec4" : "vec4") + " head;\n"
      + value(0, of: parts[0], "head")
  }

  /// True if the first part adds up whole numbers.
  private var sumsAreWhole: Bool { variant.sources.contains(where: \.isWhole) }

  /// True if those are colors times alpha.
  private var readsProducts: Bool {
    variant.sources.contains { $0.isWhole && $0.loading?.alpha == .straight }
  }

  /// The types of the first part's taps and sums.
  private var sumNames: [(String, String)] {
    sumsAreWhole
      ? [("total", "uvec4"), ("TOTAL", "uvec4"), ("number", "uint")]
      : [("total", "vec4"), ("TOTAL", "PRECISE vec4"), ("number", "float")]
  }

  /// The function for what a part comes to.
  private func value(_ index: Int, of part: ShaderPart, _ computed: String) -> String {
    if index == 0, variant.storesSums {
      return "uvec4 value0(ivec2 p) {\n  return \(computed);\n}\n"
    }
    let computed = index == 0 && sumsAreWhole ? "fractionsOf(\(computed))" : computed
    // The target sets the last part's alpha.
    let alpha = part.isOpaque && index < parts.count - 1 ? "  v.a = 1.0;\n" : ""
    return "vec4 value\(index)(ivec2 p) {\n  vec4 v = \(computed);\n\(alpha)  return v;\n}\n"
  }

  /// The names of uniforms, constants and functions that a pass's file declares. All begin a line.
  private static func declared(in text: String, only keyword: String = "") -> [String] {
    text.split(separator: "\n").compactMap { line in
      guard let first = line.first, first.isLowercase, line.hasPrefix(keyword) else { return nil }
      var words = line.split { $0 == " " || $0 == "(" || $0 == ";" || $0 == "[" }
      while let word = words.first, word == "uniform" || word == "const" { words.removeFirst() }
      guard words.count > 1, !words[0].hasPrefix("layout") else { return nil }
      return String(words[1])
    }
  }

  private func define(_ names: [(String, String)]) -> String {
    names.map { "#define \($0.0) \($0.1)\n" }.joined()
  }

  private func undefine(_ names: [(String, String)]) -> String {
    names.map { "#undef \($0.0.prefix { $0 != "(" })\n" }.joined()
  }

  /// - Parameter binding: where the device finds the image.
  private static func names(
    of source: ShaderVariant.Source, _ index: Int, binding: Int
  ) -> [(String, String)] {
    let columns = edgeFunctions(source.x, "edges\(index).x")
    let rows = edgeFunctions(source.y, "edges\(index).y")
    return [
      ("SAMPLER", source.kind.isFloat ? "sampler2D" : "usampler2D"),
      ("DECODE", decoder(of: source)),
      ("TEXELS", "source\(index)"), ("TEXELS_UNIT", "\(binding)"),
      ("STORED", "\(source.kind.storedChannels ?? 0)"), ("BLOCK", "Block\(index)"),
      ("TEXEL", "texel\(index)"), ("HELD", source.kind.isFloat ? "vec4" : "uvec4"),
      ("BYTE", "byte\(index)"),
      ("PLACE", "place\(index)"), ("EDGE", "edge\(index)"), ("FETCH", "picture\(index)"),
      ("LOADED", source.loading == nil ? "asIs" : "load\(index)"),
      ("EDGES", "edges\(index)"),
      ("RESOLVE_X(v, low, count)", columns.resolve), ("EXISTS_X(v, low, count)", columns.exists),
      ("RESOLVE_Y(v, low, count)", rows.resolve), ("EXISTS_Y(v, low, count)", rows.exists),
      ("KEEPS", source.isKept ? "1" : "0"), ("KEPT", "kept\(index)"), ("VALUE", "loaded\(index)"),
      ("WHOLE", source.isWhole ? "1" : "0"), ("SAMPLES", "whole\(index)"),
      ("SHIFT", source.holdsBytes ? "8u" : "0u"),
      ("CHANNELS", "\(source.loading?.channels ?? 4)"),
      ("OPAQUE", source.loading?.alpha == .opaque ? "1" : "0"),
      ("STRAIGHT", source.loading?.alpha == .straight ? "1" : "0"),
    ]
  }

  private static func packing(
    of source: ShaderVariant.Source, _ index: Int
  ) -> [(String, String)] {
    guard let packing = source.packing else { return [("PACKING", "0")] }
    return [
      ("PACKING", packing == .words ? "2" : "1"), ("PACKED", "packed\(index)"),
      ("WORDS", "words\(index)"),
    ]
  }

  /// - Parameter number: where an edge that is not in the text stands.
  private static func edgeFunctions(
    _ edge: ShaderVariant.Edge, _ number: String
  ) -> (resolve: String, exists: String) {
    let (resolve, exists) =
      switch edge {
      case .none: ("resolveNone(", "existsAlways(")
      case .mode(.clamp): ("resolveClamp(", "existsAlways(")
      case .mode(.mirror): ("resolveMirror(", "existsAlways(")
      case .mode(.reflect101): ("resolveReflect101(", "existsAlways(")
      case .mode(.wrap): ("resolveWrap(", "existsAlways(")
      case .mode(.transparent): ("resolveNone(", "existsInside(")
      case .uniform: ("resolveAny(\(number), ", "existsAny(\(number), ")
      }
    return (resolve + "v, low, count)", exists + "v, low, count)")
  }

  private static func decoder(of source: ShaderVariant.Source) -> String {
    switch source.kind {
    case .float, .rectangle, .ellipse: "decodeFloat"
    case .fixed16: "decodeFixed16"
    case .floatBits: "decodeFloatBits"
    case .unsigned8, .words, .rgbBytes, .grayBytes: "decodeUnsigned8"
    case .unsigned16: "decodeUnsigned16"
    case .unorm8: "decodeUnorm8"
    }
  }

  private var targetNames: [(String, String)] {
    let (encode, format): (String, String) =
      switch variant.target {
      case .float32: ("encodeFloat", "rgba32f")
      case .half: ("encodeFloat", "rgba16f")
      case .fixed16: ("encodeFixed16", "rgba16ui")
      case .floatBits: ("encodeFloatBits", "rgba32ui")
      case .unorm8: ("encodeUnorm8", "rgba8")
      case .words: ("encodeUnsigned8", "rgba8ui")
      case .unsigned16: ("encodeUnsigned16", "rgba16ui")
      }
    let isInteger = format.hasSuffix("ui")
    return [
      ("TARGET_ENCODE", encode), ("TARGET_FORMAT", format),
      // A pass before the first part rounds.
      ("SUMS_PRODUCTS", readsProducts && block?.joinsPasses != true ? "1" : "0"),
      ("TARGET_STORES_SUMS", variant.storesSums ? variant.target.holdsBytes ? "2" : "1" : "0"),
      ("TARGET_HOLDS_WORDS", variant.target == .words ? "1" : "0"),
      ("TARGET_TYPE", isInteger ? "uvec4" : "vec4"),
      ("TARGET_IMAGE", isInteger ? "uimage2D" : "image2D"),
      ("TARGET_OPAQUE", variant.targetIsOpaque ? "1" : "0"),
    ]
  }
}

/// The part of the GPU that runs a pass.
package enum ShaderStage: Sendable, Hashable, CaseIterable {
  /// As the color of a triangle that covers the target.
  case fragment
  /// As a compute dispatch that writes an image.
  case compute
  /// As a compute dispatch whose invocations make several neighbors each, for passes written for
  /// that; for others as `compute`.
  case blocked

  /// The stage for passes without blocks.
  package var plain: ShaderStage { self == .fragment ? .fragment : .compute }
}

/// The sample representation of an image that is read.
package enum SampleKind: Sendable, Hashable, CaseIterable {
  /// Values as they are: float and half float textures.
  case float
  /// Unsigned 16-bit integers, 65280 for 1.
  case fixed16
  /// Unsigned 32-bit integers with the bits of a float.
  case floatBits
  /// Unsigned 8-bit integers, 255 for 1.
  case unsigned8
  /// Unsigned 16-bit integers, 65535 for 1.
  case unsigned16
  /// Normalized 8-bit integers, read as floats.
  case unorm8
  /// A storage buffer in which each pixel is a word of four samples of 8 bits.
  case words
  /// A storage buffer with the samples of 8 bits of three channels, without gaps.
  case rgbBytes
  /// A storage buffer with the samples of 8 bits of one channel, without gaps.
  case grayBytes
  /// No texture: what a rectangle, whose corners may be round, covers of each pixel.
  case rectangle
  /// No texture: what an ellipse covers of each pixel.
  case ellipse
}

extension SampleKind {
  /// True if samples are computed where they are read.
  package var isShape: Bool { self == .rectangle || self == .ellipse }

  /// Samples of each pixel in a storage buffer; `nil` for other images.
  package var storedChannels: Int? {
    switch self {
    case .words: 4
    case .rgbBytes: 3
    case .grayBytes: 1
    default: nil
    }
  }

  /// True if texels are fetched as floats.
  var isFloat: Bool { self == .float || self == .unorm8 }
}

/// The sample representation of an image that is written.
package enum TargetKind: Sendable, Hashable, CaseIterable {
  /// 32-bit float.
  case float32
  /// 16-bit float.
  case half
  /// Unsigned 16-bit integers, 65280 for 1; values are limited to 0…1.
  case fixed16
  /// Unsigned 32-bit integers with the bits of a float.
  case floatBits
  /// Normalized 8-bit integers; values are limited to 0…1 and rounded.
  case unorm8
  /// The same as unsigned integers, four to a word of a storage buffer. Dispatches alone can write them.
  case words
  /// Unsigned 16-bit integers, 65535 for 1; values are limited to 0…1 and rounded.
  case unsigned16

  /// True if an image is samples of 8 bits.
  package var holdsBytes: Bool { self == .unorm8 || self == .words }
}

/// The context of a pass: its stage, and the representations of its sources and its target.
package struct ShaderVariant: Sendable, Hashable {
  /// The conversion of an input image's samples to values as they are fetched; see `Load`.
  package struct Loading: Sendable, Hashable {
    /// Samples per pixel that the texture's texels hold.
    package var channels: Int
    package var alpha: AlphaMode
    package var decodesToLinear: Bool
    /// The number of low bits of a word that a sample uses; 0 for all.
    package var bits: Int

    package init(_ load: Load, channels: Int) {
      self.channels = channels
      alpha = load.alpha
      decodesToLinear = load.decodesToLinear
      bits = load.bits ?? 0
    }
  }

  /// The samples outside an image along one axis.
  package enum Edge: Sendable, Hashable {
    /// Nothing there is read.
    case none
    case mode(EdgeMode)
    /// A uniform says, so that images with different edges share a program; see `number`.
    case uniform

    /// Returns the value of an edge's uniform; `nil` is no edge.
    package static func number(of mode: EdgeMode?) -> Int {
      switch mode {
      case nil: 0
      case .clamp: 1
      case .mirror: 2
      case .wrap: 3
      case .transparent: 4
      case .reflect101: 5
      }
    }
  }

  /// One image that is read.
  package struct Source: Sendable, Hashable {
    package var kind: SampleKind
    /// `nil` for images that passes wrote.
    package var loading: Loading?
    /// Columns outside the image.
    package var x: Edge
    /// Rows outside the image.
    package var y: Edge
    /// True if samples are read as whole numbers and summed up as such; see `holdsWhole`.
    package var isWhole = false
    /// The origin of the 8-bit samples that a block adds two at a time; `nil` for other programs.
    package var packing: Packing?
    /// True if a block keeps an input's 8-bit texels as they are and converts them where it reads them.
    package var isKept = false

    /// The origin of 8-bit samples in the halves of words.
    package enum Packing: Sendable, Hashable {
      /// From fetched texels.
      case texels
      /// From the words that texels of four channels are, as an image.
      case words
    }

    /// True if samples are whole numbers: 65280ths in slots that hold such and in inputs of 8 bits, and 65025ths
    /// where the loading multiplies these by alpha.
    package var holdsWhole: Bool {
      guard let loading else { return kind == .fixed16 }
      return holdsBytes && !loading.decodesToLinear && loading.bits == 0
    }

    /// True if loading leaves samples of 8 bits as they are.
    package var keepsBytes: Bool { holdsBytes && holdsWhole && loading?.alpha != .straight }

    /// True if texels are samples of 8 bits.
    package var holdsBytes: Bool {
      kind == .unsigned8 || kind == .unorm8 || kind.storedChannels != nil
    }

    package init(
      kind: SampleKind, loading: Loading? = nil, x: Edge = .none, y: Edge = .none
    ) {
      self.kind = kind
      self.loading = loading
      self.x = x
      self.y = y
    }
  }

  package var stage: ShaderStage
  package var sources: [Source]
  package var target: TargetKind
  /// True if alpha is 1 everywhere because the target has no alpha.
  package var targetIsOpaque: Bool
  /// True if the first part's sums of whole numbers are stored as such, rounded once. Then the parts after it
  /// are stores that change nothing.
  package var storesSums = false

  package init(stage: ShaderStage, sources: [Source], target: TargetKind, targetIsOpaque: Bool) {
    self.stage = stage
    self.sources = sources
    self.target = target
    self.targetIsOpaque = targetIsOpaque
  }

  /// Storage buffers that a program reads, at most: every device takes four, and one may be the target.
  package static let mostBuffers = 3

  /// Returns the binding of a source: a texture unit, or a storage buffer's index. The target has storage buffer 0.
  package func binding(of source: Int) -> Int {
    guard sources[source].kind.storedChannels != nil else { return source }
    return 1 + sources[..<source].filter { $0.kind.storedChannels != nil }.count
  }
}
