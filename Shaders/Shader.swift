package import FrostglassCore

/// A program of the GPU: passes that run as one, wrapped for one stage and one way of holding the
/// pictures.
///
/// Two equal shaders have the same text, so programs are cached by it. The passes' numbers (taps,
/// matrices) are not in the text; what changes their loops and branches is.
package struct Shader: Sendable, Hashable {
  /// How invocations make blocks of the first pass; `nil` where each makes one target.
  package let block: ShaderBlock?
  let parts: [ShaderPart]
  /// What surrounds the passes.
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
  package var groupSize: Size { block?.size ?? Size(width: 8, height: 8) }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
