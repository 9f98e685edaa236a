internal import CGLES
internal import FrostglassCore

/// One texture of fixed size and format, read by `texelFetch` only.
final class GLTexture {
  let name: GLuint
  let size: Size
  let format: TextureFormat
  private let context: GLContext

  var bytes: Int { size.area * format.bytesPerTexel }

  init(_ size: Size, _ format: TextureFormat, in context: GLContext) throws(GLFailure) {
    var name: GLuint = 0
    glGenTextures(1, &name)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    self.name = name
    self.size = size
    self.format = format
    self.context = context
    try context.allocate(.texture(size, format)) {
      // Immutable storage, as image stores refuse any other.
      glTexStorage2D(
        GLenum(GL_TEXTURE_2D), 1, format.sized, GLsizei(size.width), GLsizei(size.height))
    }
    // An integer texture with the default linear filter is incomplete and reads as nothing.
    for parameter in [GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER] {
      glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(parameter), GL_NEAREST)
    }
  }

  /// Takes over a texture that has its memory already, or is about to get it.
  init(taking name: GLuint, _ size: Size, _ format: TextureFormat, in context: GLContext) {
    self.name = name
    self.size = size
    self.format = format
    self.context = context
  }

  deinit {
    context.delete {
      var name = name
      glDeleteTextures(1, &name)
    }
  }
}
