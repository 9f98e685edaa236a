internal import CGLES
internal import FrostglassCore

extension GLTransfer {
  /// Whether a result has to be packed to arrive as an image holds it.
  func needsPacking(_ format: PixelFormat) -> Bool {
    buffers != nil
      && (format.layout != .rgba || clientType(for: format.depth).bytes != format.depth.bytes)
  }

  /// Starts to copy the framebuffer's attachment, which holds `part` of a result packed.
  ///
  /// - Returns: `nil` where pictures go straight, or there is no room; nothing has been done then.
  func startReadBack(_ part: Rect, packed: PackedPicture) throws(GLFailure) -> ReadBack? {
    let bytes = packed.texels.area * 4
    guard let buffers, let buffer = try buffers.lend(bytes, .readBack) else { return nil }
    try read(packed.texels, .uint8, GLenum(GL_UNSIGNED_BYTE), into: buffer)
    return ReadBack(part: part, buffer: buffer, form: .rows)
  }

  /// Starts to copy the framebuffer's attachment, which holds `part` of a result.
  ///
  /// - Returns: `nil` where pictures go straight; nothing has been done then.
  func startReadBack(_ part: Rect, _ format: PixelFormat) throws(GLFailure) -> ReadBack? {
    guard let buffers else { return nil }
    let type = clientType(for: format.depth)
    guard let buffer = try buffers.lend(part.area * 4 * type.bytes, .readBack) else { return nil }
    try read(part.size, format.depth, type.name, into: buffer)
    return ReadBack(part: part, buffer: buffer, form: .samples(bytes: type.bytes))
  }

  private func read(
    _ size: Size, _ depth: Depth, _ type: GLenum, into buffer: GLBuffer
  ) throws(GLFailure) {
    buffer.bound { GLTransfer.read(size, depth, type, nil) }
    do throws(GLFailure) { try context.check("read-back of \(size)") } catch {
      buffers?.takeBack(buffer)
      throw error
    }
  }

  /// Copies pixels that have arrived into the result.
  func finish(_ readBack: ReadBack, into result: inout ResultImage) throws(GLFailure) {
    let part = readBack.part
    switch readBack.form {
    case .rows:
      try access(readBack.buffer, part.area * result.format.bytesPerPixel) { rows in
        result.copy(part, from: UnsafeRawBufferPointer(rows))
      }
    case .samples(let bytes):
      try access(readBack.buffer, part.area * 4 * bytes) { samples in
        result.fill(part, with: UnsafeRawBufferPointer(samples), sampleBytes: bytes)
      }
    }
  }

  /// Copies the framebuffer's attachment, which holds `part` of the result, into the result.
  func readBack(_ part: Rect, into result: inout ResultImage) throws(GLFailure) {
    let format = result.format
    let type = clientType(for: format.depth)
    if format.layout == .rgba, type.bytes == format.depth.bytes {
      glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), GLint(result.size.width))
      result.withBytes(at: part) { GLTransfer.read(part.size, format.depth, type.name, $0) }
      glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), 0)
    } else {
      let count = part.area * 4 * type.bytes
      if scratch.count < count {
        scratch = [UInt8](unsafeUninitializedCapacity: count) { _, filled in filled = count }
      }
      scratch.withUnsafeMutableBytes { pixels in
        GLTransfer.read(part.size, format.depth, type.name, pixels.baseAddress)
        result.fill(
          part, with: UnsafeRawBufferPointer(rebasing: pixels[..<count]), sampleBytes: type.bytes)
      }
    }
    try context.check("read-back of \(part)")
  }

  /// - Parameter pixels: `nil` for the start of the bound buffer.
  private static func read(
    _ size: Size, _ depth: Depth, _ type: GLenum, _ pixels: UnsafeMutableRawPointer?
  ) {
    let client = GLenum(depth == .uint8 ? GL_RGBA : GL_RGBA_INTEGER)
    glReadPixels(0, 0, GLsizei(size.width), GLsizei(size.height), client, type, pixels)
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
