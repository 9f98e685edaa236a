internal import FrostglassCore
internal import FrostglassShaders

/// One pass with the textures it reads and writes.
struct PassCall {
  /// A picture that is read.
  struct Source {
    var texture: GLTexture
    var kind: SampleKind
    /// What the texture holds, in the source's grid.
    var domain: Rect
    var x: AxisEdge?
    var y: AxisEdge?
  }

  var pass: Pass
  var sources: [Source]
  var target: GLTexture
  var targetKind: TargetKind
  /// What is computed, in the target's grid; the target's size.
  var rect: Rect
  var layout: Layout
  /// Samples per pixel of the input that a `load` reads.
  var inputChannels = 4

  func shader(stage: ShaderStage) -> Shader {
    let variant = ShaderVariant(
      stage: stage,
      sources: sources.map { .init(kind: $0.kind, x: $0.x?.mode, y: $0.y?.mode) },
      target: targetKind, targetIsOpaque: !layout.hasAlpha)
    return Shader(pass, inputChannels: inputChannels, variant: variant)
  }

  /// Bands of rows none of which keeps a GPU busy for long: displays freeze while one runs, and
  /// drivers end what takes too long.
  var bands: [Range<Int>] {
    // A weak GPU fetches some 10^9 samples a second: this many in a tenth of one.
    let most = 100_000_000
    let perRow = max(1, rect.width * pass.multiplyAdds)
    let rows = max(8, most / perRow / 8 * 8)
    return stride(from: 0, to: rect.height, by: rows).map { $0..<min($0 + rows, rect.height) }
  }
}
