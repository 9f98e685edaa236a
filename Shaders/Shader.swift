public import FrostglassCore

/// A program of the GPU: passes that run as one, wrapped for one stage and one way of holding the
/// pictures.
///
/// Two equal shaders have the same text, so programs are cached by it. The passes' numbers (taps,
/// matrices) are not in the text; what changes their loops and branches is.
public struct Shader: Sendable, Hashable {
  /// How groups of invocations work on the first pass; `nil` where each works alone.
  public let tile: ShaderTile?
  let parts: [ShaderPart]
  /// What surrounds the passes.
  public let variant: ShaderVariant

  /// - Parameters:
  ///   - parts: at least one; the first takes pictures only.
  ///   - tile: of the first part's pass, for the `tiled` stage.
  public init(_ parts: [ShaderPart], tile: ShaderTile? = nil, variant: ShaderVariant) {
    self.parts = parts
    self.tile = tile
    self.variant = variant
  }

  /// The passes' names, for messages.
  public var passName: String { parts.map(\.passName).joined(separator: " + ") }

  /// Targets that a group of invocations of a compute shader makes.
  public var block: Size { tile?.block ?? Size(width: 8, height: 8) }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
