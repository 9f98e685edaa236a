internal import CGLES
internal import FrostglassCore

extension TextureFormat {
  /// The barriers after a dispatch that stores to the texture, for all that may come next: a fetch, another store, a
  /// read-back or an upload. Each needs a barrier of its own, and textures need others than buffers.
  var barriers: GLbitfield {
    let bits =
      isBuffer
      ? [GL_SHADER_STORAGE_BARRIER_BIT, GL_BUFFER_UPDATE_BARRIER_BIT]
      : [
        GL_TEXTURE_FETCH_BARRIER_BIT, GL_SHADER_IMAGE_ACCESS_BARRIER_BIT,
        GL_FRAMEBUFFER_BARRIER_BIT, GL_TEXTURE_UPDATE_BARRIER_BIT,
      ]
    return bits.reduce(0) { $0 | GLbitfield($1) }
  }
}

/// Bytes of textures and of the storage buffers in their place.
extension GLTexture {
  /// Bytes of a row as it is transferred to a storage buffer.
  private var rowBytes: Int { size.width * format.bytesPerTexel }
  private static let storage = GLenum(GL_SHADER_STORAGE_BUFFER)

  /// Has the device keep bytes for the buffer that is bound. Programs read whole words.
  func allocateBuffer(in context: GLContext) throws(GLFailure) {
    try context.allocate(.texture(size, format)) {
      glBufferData(
        GLTexture.storage, GLsizeiptr((bytes + 3) / 4 * 4), nil, GLenum(GL_DYNAMIC_COPY))
    }
  }

  /// Replaces rows of what is bound by pixels that lie one after another.
  ///
  /// - Parameter pixels: `nil` for the start of the buffer that is bound for uploads.
  func load(_ rows: Range<Int>, from pixels: UnsafeRawPointer?) {
    guard format.isBuffer else {
      return glTexSubImage2D(
        GLenum(GL_TEXTURE_2D), 0, 0, GLint(rows.lowerBound), GLsizei(size.width),
        GLsizei(rows.count), format.client, format.type, pixels)
    }
    let (place, count) = (rows.lowerBound * rowBytes, GLsizeiptr(rows.count * rowBytes))
    if let pixels {
      glBufferSubData(GLTexture.storage, place, count, pixels)
    } else {
      glCopyBufferSubData(GLenum(GL_PIXEL_UNPACK_BUFFER), GLTexture.storage, 0, place, count)
    }
  }

  /// Copies the storage buffer that is bound to the start of the buffer that is bound for read-backs.
  func copyToBuffer() {
    glCopyBufferSubData(
      GLTexture.storage, GLenum(GL_PIXEL_PACK_BUFFER), 0, 0, GLsizeiptr(bytes))
  }

  /// Gives `body` the bytes of the storage buffer that is bound.
  func withBytes(
    in context: GLContext, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(GLFailure) {
    let start =
      context.isToFail(.access)
      ? nil : glMapBufferRange(GLTexture.storage, 0, GLsizeiptr(bytes), GLbitfield(GL_MAP_READ_BIT))
    guard let start else {
      try context.check("access to a result")
      throw .outOfMemory(during: "access to a result of \(bytes) bytes")
    }
    body(UnsafeRawBufferPointer(start: start, count: bytes))
    glUnmapBuffer(GLTexture.storage)
  }
}
