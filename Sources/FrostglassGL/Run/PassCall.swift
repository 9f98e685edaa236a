internal import FrostglassCore
internal import FrostglassShaders

/// Passes that run as one, with the textures they read and write.
struct PassCall {
  /// One of the passes; see `ShaderPart`.
  struct Part: Hashable {
    var pass: Pass
    var inputs: [ShaderPart.Input]
    /// What the pass's own target holds.
    var layout: PixelFormat.Layout

    init(_ pass: Pass, inputs: [ShaderPart.Input], _ layout: PixelFormat.Layout) {
      self.pass = pass
      self.inputs = inputs
      self.layout = layout
    }
  }

  /// A picture that is read.
  struct Source {
    var texture: GLTexture
    var kind: SampleKind
    /// How an input is loaded; `nil` for what passes wrote.
    var loading: ShaderVariant.Loading?
    /// What the texture holds, in the source's grid.
    var domain: Rect
    var x: AxisEdge?
    var y: AxisEdge?
  }

  var parts: [Part]
  var sources: [Source]
  var target: GLTexture
  var targetKind: TargetKind
  /// What is computed, in the target's grid; the target's size.
  var rect: Rect
  /// Whether the program is made for these lengths and edges, which takes longer to compile and less
  /// to run.
  var isSpecialized: Bool

  /// The passes' names, for messages.
  var name: String { parts.map(\.pass.name).joined(separator: " + ") }

  /// - Parameter sharedBytes: what a group of compute invocations may share.
  func shader(stage: ShaderStage, sharedBytes: Int) -> Shader {
    func edge(_ edge: AxisEdge?) -> ShaderVariant.Edge {
      isSpecialized ? edge.map { .mode($0.mode) } ?? .none : .uniform
    }
    var block = isSpecialized ? ShaderBlock.of(parts[0].pass, stage: stage) : nil
    if let needed = block?.sharedBytes, needed > sharedBytes { block = nil }
    return Shader(
      parts.map {
        ShaderPart(
          $0.pass, inputs: $0.inputs, isOpaque: !$0.layout.hasAlpha, isSpecialized: isSpecialized)
      }, block: block,
      variant: ShaderVariant(
        stage: block == nil ? stage.plain : stage,
        sources: sources.map {
          .init(kind: $0.kind, loading: $0.loading, x: edge($0.x), y: edge($0.y))
        },
        target: targetKind, targetIsOpaque: parts.last?.layout.hasAlpha == false))
  }

  /// Bands of rows none of which keeps a GPU busy for long: displays freeze while one runs, and
  /// drivers end what takes too long.
  ///
  /// - Parameter height: rows that are made together; bands are multiples of them.
  func bands(of height: Int) -> [Range<Int>] {
    // A weak GPU fetches some 10^9 samples a second: this many in a tenth of one.
    let most = 100_000_000
    let perPixel = parts.reduce(0) { $0 + $1.pass.multiplyAdds }
    let perRow = max(1, rect.width * perPixel)
    let rows = max(height, most / perRow / height * height)
    return stride(from: 0, to: rect.height, by: rows).map { $0..<min($0 + rows, rect.height) }
  }
}
