/// A program of the GPU: passes that run as one, wrapped for one stage and one way of holding the
/// pictures.
///
/// Two equal shaders have the same text, so programs are cached by it. The passes' numbers (taps,
/// matrices) are not in the text; what changes their loops and branches is.
public struct Shader: Sendable, Hashable {
  let parts: [ShaderPart]
  /// What surrounds the passes.
  public let variant: ShaderVariant

  /// - Parameter parts: at least one; the first takes pictures only.
  public init(_ parts: [ShaderPart], variant: ShaderVariant) {
    self.parts = parts
    self.variant = variant
  }

  /// The passes' names, for messages.
  public var passName: String { parts.map(\.passName).joined(separator: " + ") }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
