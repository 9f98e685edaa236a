internal import CGLES
internal import FrostglassCore

/// Moves pictures between memory and textures.
struct GLTransfer {
  /// Copies a part of an image into a texture of the part's size.
  func upload(_ image: Image, _ part: Rect, to texture: GLTexture) throws(GLFailure) {
    let pixelBytes = image.format.bytesPerPixel
    let offset = part.y * image.bytesPerRow + part.x * pixelBytes
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    // GL counts rows in pixels; other strides go row by row.
    let isWhole = image.bytesPerRow % pixelBytes == 0
    glPixelStorei(
      GLenum(GL_UNPACK_ROW_LENGTH), isWhole ? GLint(image.bytesPerRow / pixelBytes) : 0)
    image.bytes.withUnsafeBytes { bytes in
      let bands = isWhole ? [0..<part.height] : (0..<part.height).map { $0..<$0 + 1 }
      for rows in bands {
        glTexSubImage2D(
          GLenum(GL_TEXTURE_2D), 0, 0, GLint(rows.lowerBound),
          GLsizei(part.width), GLsizei(rows.count), texture.format.client, texture.format.type,
          bytes.baseAddress.map { $0 + offset + rows.lowerBound * image.bytesPerRow })
      }
    }
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
    try GLFailure.check("upload of \(part)")
  }

  /// Copies the framebuffer's attachment, which holds `part` of the result, into the result.
  func readBack(_ part: Rect, into result: inout ResultImage) throws(GLFailure) {
    let format = result.format
    let type = clientType(for: format.depth)
    let client = GLenum(format.depth == .uint8 ? GL_RGBA : GL_RGBA_INTEGER)
    if format.layout == .rgba, type.bytes == format.depth.bytes {
      glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), GLint(result.size.width))
      result.withBytes(at: part) { pointer in
        glReadPixels(0, 0, GLsizei(part.width), GLsizei(part.height), client, type.name, pointer)
      }
      glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), 0)
    } else {
      let count = part.area * 4 * type.bytes
      let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        glReadPixels(
          0, 0, GLsizei(part.width), GLsizei(part.height), client, type.name, buffer.baseAddress)
        filled = count
      }
      result.narrow(pixels, sampleBytes: type.bytes, into: part)
    }
    try GLFailure.check("read-back of \(part)")
  }

  /// The type that a result is read in: 32-bit integers are promised for integer pictures, 16-bit
  /// ones are the driver's to offer.
  private func clientType(for depth: Depth) -> (name: GLenum, bytes: Int) {
    switch depth {
    case .uint8: return (GLenum(GL_UNSIGNED_BYTE), 1)
    case .float32: return (GLenum(GL_UNSIGNED_INT), 4)
    case .uint16:
      var format: GLint = 0
      var type: GLint = 0
      glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_FORMAT), &format)
      glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_TYPE), &type)
      return format == GL_RGBA_INTEGER && type == GL_UNSIGNED_SHORT
        ? (GLenum(GL_UNSIGNED_SHORT), 2) : (GLenum(GL_UNSIGNED_INT), 4)
    }
  }
}
