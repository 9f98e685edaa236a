internal import CGLES
internal import FrostglassCore
internal import Glibc

/// Moves pictures between memory and textures: straight, or through buffers that the device works
/// off while the caller goes on.
final class GLTransfer {
  /// `nil` where pictures go straight.
  let buffers: BufferPool?
  let context: GLContext
  /// Pixels that are read back wider than wanted, from time to time the same memory.
  var scratch: [UInt8] = []

  init(buffers: BufferPool?, context: GLContext) {
    self.buffers = buffers
    self.context = context
  }

  /// Copies a part of an image into a texture of the part's size.
  func upload(_ image: Image, _ part: Rect, to texture: GLTexture) throws(GLFailure) {
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    let rowBytes = part.width * image.format.bytesPerPixel
    if let buffer = try buffers?.lend(rowBytes * part.height, .upload) {
      defer { buffers?.takeBack(buffer) }
      try access(buffer, rowBytes * part.height) { target in
        image.copyRows(part, to: target)
      }
      buffer.bound { GLTransfer.load(0..<part.height, part.width, texture.format, nil) }
    } else {
      uploadStraight(image, part, texture.format)
    }
    try context.check("upload of \(part)")
  }

  /// Gives `body` the first bytes of a buffer. Where the driver refuses, the next pictures go straight.
  func access(
    _ buffer: GLBuffer, _ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(GLFailure) {
    do throws(GLFailure) { try buffer.mapped(count, body) } catch {
      if case .outOfMemory = error { buffers?.rest() }
      throw error
    }
  }

  private func uploadStraight(_ image: Image, _ part: Rect, _ format: TextureFormat) {
    let pixelBytes = image.format.bytesPerPixel
    let offset = part.y * image.bytesPerRow + part.x * pixelBytes
    // GL counts rows in pixels; other strides go row by row.
    let isWhole = image.bytesPerRow % pixelBytes == 0
    glPixelStorei(
      GLenum(GL_UNPACK_ROW_LENGTH), isWhole ? GLint(image.bytesPerRow / pixelBytes) : 0)
    image.bytes.withUnsafeBytes { bytes in
      let bands = isWhole ? [0..<part.height] : (0..<part.height).map { $0..<$0 + 1 }
      for rows in bands {
        GLTransfer.load(
          rows, part.width, format,
          bytes.baseAddress.map { $0 + offset + rows.lowerBound * image.bytesPerRow })
      }
    }
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
  }

  /// - Parameter pixels: `nil` for the start of the bound buffer.
  private static func load(
    _ rows: Range<Int>, _ width: Int, _ format: TextureFormat, _ pixels: UnsafeRawPointer?
  ) {
    glTexSubImage2D(
      GLenum(GL_TEXTURE_2D), 0, 0, GLint(rows.lowerBound), GLsizei(width), GLsizei(rows.count),
      format.client, format.type, pixels)
  }

  /// Frees the memory that is kept for the next transfers.
  func trim() {
    buffers?.trim()
    scratch = []
  }
}

extension Image {
  /// Copies the rows of a part one after another, without gaps.
  fileprivate func copyRows(_ part: Rect, to target: UnsafeMutableRawBufferPointer) {
    let length = part.width * format.bytesPerPixel
    let offset = part.y * bytesPerRow + part.x * format.bytesPerPixel
    bytes.withUnsafeBytes { source in
      guard let from = source.baseAddress, let to = target.baseAddress else { return }
      if length == bytesPerRow {
        memcpy(to, from + offset, length * part.height)
      } else {
        for y in 0..<part.height {
          memcpy(to + y * length, from + offset + y * bytesPerRow, length)
        }
      }
    }
  }
}
