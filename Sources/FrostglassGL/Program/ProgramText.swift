internal import CGLES
internal import FrostglassShaders

/// What a program is compiled from.
struct ProgramText {
  /// For messages.
  var pass: String
  /// The GL name of each stage, and its text.
  var stages: [(kind: Int32, text: String)]

  init(_ shader: Shader) {
    pass = shader.passName
    stages =
      switch shader.variant.stage {
      case .fragment:
        [(GL_VERTEX_SHADER, Shader.vertexSource), (GL_FRAGMENT_SHADER, shader.source)]
      case .compute, .blocked, .tiled: [(GL_COMPUTE_SHADER, shader.source)]
      }
  }
}
