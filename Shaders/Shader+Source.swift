internal import FrostglassCore

extension Shader {
  /// The vertex shader that goes with every fragment shader.
  public static var vertexSource: String { text(PackageResources.vertex_glsl) }

  /// The whole GLSL text: version, names, shared code, sources, the pass, the stage's wrapper.
  public var source: String {
    let wrapper =
      switch variant.stage {
      case .fragment: PackageResources.fragment_glsl
      case .compute: PackageResources.compute_glsl
      }
    var parts = ["#version 310 es\n", defines(constants.map { ($0.name, "\($0.value)") })]
    parts.append(defines(targetNames))
    parts.append(Shader.text(PackageResources.common_glsl))
    for (index, source) in variant.sources.enumerated() {
      let names = Shader.names(of: source, index: index)
      parts.append(defines(names))
      parts.append(Shader.text(PackageResources.source_glsl))
      parts.append(names.map { "#undef \($0.0)\n" }.joined())
    }
    parts.append(passText)
    parts.append(Shader.text(wrapper))
    return parts.joined()
  }

  private func defines(_ names: [(String, String)]) -> String {
    names.map { "#define \($0.0) \($0.1)\n" }.joined()
  }

  private static func names(of source: ShaderVariant.Source, index: Int) -> [(String, String)] {
    let columns = edgeFunctions(source.x)
    let rows = edgeFunctions(source.y)
    return [
      ("SAMPLER", source.kind.isFloat ? "sampler2D" : "usampler2D"),
      ("DECODE", decoder(of: source.kind)),
      ("TEXELS", "source\(index)"), ("TEXELS_UNIT", "\(index)"),
      ("PLACE", "place\(index)"), ("EDGE", "edge\(index)"), ("FETCH", "fetch\(index)"),
      ("RESOLVE_X", columns.resolve), ("EXISTS_X", columns.exists),
      ("RESOLVE_Y", rows.resolve), ("EXISTS_Y", rows.exists),
    ]
  }

  private static func edgeFunctions(_ mode: EdgeMode?) -> (resolve: String, exists: String) {
    switch mode {
    case nil: ("resolveNone", "existsAlways")
    case .clamp: ("resolveClamp", "existsAlways")
    case .mirror: ("resolveMirror", "existsAlways")
    case .wrap: ("resolveWrap", "existsAlways")
    case .transparent: ("resolveNone", "existsInside")
    }
  }

  private static func decoder(of kind: SampleKind) -> String {
    switch kind {
    case .float: "decodeFloat"
    case .fixed16: "decodeFixed16"
    case .floatBits: "decodeFloatBits"
    case .unsigned8: "decodeUnsigned8"
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
      case .unsigned16: ("encodeUnsigned16", "rgba16ui")
      }
    let isInteger = format.hasSuffix("ui")
    return [
      ("TARGET_ENCODE", encode), ("TARGET_FORMAT", format),
      ("TARGET_TYPE", isInteger ? "uvec4" : "vec4"),
      ("TARGET_IMAGE", isInteger ? "uimage2D" : "image2D"),
      ("TARGET_OPAQUE", variant.targetIsOpaque ? "1" : "0"),
    ]
  }
}
