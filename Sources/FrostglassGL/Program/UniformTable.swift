internal import CGLES

/// A uniform block's storage: 1024 vectors, the 16 KiB that every device takes.
final class UniformTable {
  static let vectors = 1024
  private static let bytes = vectors * MemoryLayout<SIMD4<Float>>.stride

  private let buffer: GLuint
  private let binding: GLuint
  private let context: GLContext

  init(binding: Int, in context: GLContext) {
    var buffer: GLuint = 0
    glGenBuffers(1, &buffer)
    self.buffer = buffer
    self.binding = GLuint(binding)
    self.context = context
  }

  deinit {
    context.delete {
      var buffer = buffer
      glDeleteBuffers(1, &buffer)
    }
  }

  /// Replaces the contents and binds the table for the next pass.
  func fill(_ values: [SIMD4<Float>]) {
    glBindBuffer(GLenum(GL_UNIFORM_BUFFER), buffer)
    // Fresh storage each time, so that nothing waits for the pass that still reads the old one.
    glBufferData(
      GLenum(GL_UNIFORM_BUFFER), GLsizeiptr(UniformTable.bytes), nil, GLenum(GL_STREAM_DRAW))
    values.withUnsafeBytes { bytes in
      glBufferSubData(GLenum(GL_UNIFORM_BUFFER), 0, GLsizeiptr(bytes.count), bytes.baseAddress)
    }
    glBindBufferBase(GLenum(GL_UNIFORM_BUFFER), binding, buffer)
  }
}
