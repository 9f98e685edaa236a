package import FrostglassCore

/// A program of the GPU: passes that run as one, wrapped for one stage and one way of holding the
/// pictures.
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
  ///   - parts: at least one; the first takes pictures only.
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

  /// The whole GLSL text: version, names, shared code, pictures, passes, the stage's wrapper.
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

  /// - Parameter binding: where the device finds the picture.
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
