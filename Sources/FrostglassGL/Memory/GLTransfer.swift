internal import CGLES
internal import FrostglassCore
internal import Glibc

/// Moves images between memory and textures: straight, or through buffers that the device works
/// off while the caller goes on.
final class GLTransfer {
  /// `nil` where images go straight.
  let buffers: BufferPool?
  private let context: GLContext
  let copies = RowCopies()
  /// Pixels that are read back wider than wanted, from time to time the same memory.
  private var scratch: [UInt8] = []
  /// The bytes moved each way so far.
  private(set) var moved = GLTransferStatistics()

  init(buffers: BufferPool?, context: GLContext) {
    self.buffers = buffers
    self.context = context
  }

  /// Copies a part of an image into a texture of the part's size.
  func upload(_ image: Image, _ part: Rect, to texture: GLTexture) throws(GLFailure) {
    texture.bind()
    let rowBytes = part.width * image.format.bytesPerPixel
    moved.uploadedBytes += rowBytes * part.height
    if let buffer = try buffers?.lend(rowBytes * part.height, .upload) {
      defer { buffers?.takeBack(buffer) }
      try access(buffer, rowBytes * part.height) { target in
        image.copyRows(part, to: target, by: copies)
      }
      buffer.bound { texture.load(0..<part.height, from: nil) }
    } else {
      uploadStraight(image, part, to: texture)
    }
    try context.check("upload of \(part)")
  }

  /// Gives `body` the first bytes of a buffer. Where the driver refuses, the next images go straight.
  private func access(
    _ buffer: GLBuffer, _ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(GLFailure) {
    do throws(GLFailure) { try buffer.mapped(count, body) } catch {
      if case .outOfMemory = error { buffers?.rest() }
      throw error
    }
  }

  private func uploadStraight(_ image: Image, _ part: Rect, to texture: GLTexture) {
    let pixelBytes = image.format.bytesPerPixel
    let offset = part.y * image.bytesPerRow + part.x * pixelBytes
    // GL counts rows of textures in pixels, and those of buffers not at all; other strides go row by row.
    let isWhole =
      texture.format.isBuffer
      ? image.bytesPerRow == part.width * pixelBytes : image.bytesPerRow % pixelBytes == 0
    glPixelStorei(
      GLenum(GL_UNPACK_ROW_LENGTH), isWhole ? GLint(image.bytesPerRow / pixelBytes) : 0)
    image.withUnsafeBytes { bytes in
      let bands = isWhole ? [0..<part.height] : (0..<part.height).map { $0..<$0 + 1 }
      for rows in bands {
        texture.load(
          rows, from: bytes.baseAddress.map { $0 + offset + rows.lowerBound * image.bytesPerRow })
      }
    }
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
  }

  /// Frees the memory that is kept for the next transfers.
  func trim() {
    buffers?.trim()
    scratch = []
  }
}

extension GLTransfer {
  /// Returns true if a result has to be packed to arrive in an image's layout.
  func needsPacking(_ format: PixelFormat) -> Bool {
    buffers != nil
      && (format.layout != .rgba || clientType(for: format.depth).bytes != format.depth.bytes)
  }

  /// Starts to copy a texture that holds `part` of a result packed.
  ///
  /// - Parameter texture: a storage buffer, or what reading comes from.
  /// - Returns: `nil` where images go straight, or there is no room; nothing has been done then.
  func startReadBack(
    _ part: Rect, packed: PackedImage, from texture: GLTexture
  ) throws(GLFailure) -> ReadBack? {
    let bytes = packed.texels.area * 4
    guard let buffers, let buffer = try buffers.lend(bytes, .readBack) else { return nil }
    try read(texture, .uint8, GLenum(GL_UNSIGNED_BYTE), into: buffer)
    moved.readBytes += bytes
    return ReadBack(part: part, buffer: buffer, form: .rows)
  }

  /// Starts to copy a texture of a part of a result.
  ///
  /// - Parameter texture: a storage buffer, or what reading comes from.
  /// - Returns: `nil` where images go straight; nothing has been done then.
  func startReadBack(
    _ part: Rect, _ format: PixelFormat, from texture: GLTexture
  ) throws(GLFailure) -> ReadBack? {
    guard let buffers else { return nil }
    let type = clientType(for: format.depth)
    guard let buffer = try buffers.lend(part.area * 4 * type.bytes, .readBack) else { return nil }
    try read(texture, format.depth, type.name, into: buffer)
    moved.readBytes += part.area * 4 * type.bytes
    return ReadBack(part: part, buffer: buffer, form: .samples(bytes: type.bytes))
  }

  private func read(
    _ texture: GLTexture, _ depth: PixelFormat.Depth, _ type: GLenum, into buffer: GLBuffer
  ) throws(GLFailure) {
    buffer.bound {
      if texture.format.isBuffer {
        texture.copyToBuffer()
      } else {
        GLTransfer.read(texture.size, depth, type, nil)
      }
    }
    do throws(GLFailure) { try context.check("read-back of \(texture.size)") } catch {
      buffers?.takeBack(buffer)
      throw error
    }
  }

  /// Pixels that have arrived, for any thread to copy; `nil` where memory does not stay mapped, and this thread has to.
  func arrived(_ readBack: ReadBack) throws(GLFailure) -> ArrivedRows? {
    guard let memory = readBack.buffer.shared else { return nil }
    try access(readBack.buffer, 0) { _ in }
    return ArrivedRows(part: readBack.part, form: readBack.form, memory: memory)
  }

  /// Copies pixels that have arrived into the result.
  func finish(_ readBack: ReadBack, into result: inout ResultImage) throws(GLFailure) {
    try access(readBack.buffer, readBack.buffer.bytes) { pixels in
      result.take(
        readBack.part, readBack.form, from: UnsafeRawBufferPointer(pixels), by: copies)
    }
  }

  /// Copies a texture of a part of the result into the result.
  ///
  /// - Parameter texture: a storage buffer, or what reading comes from.
  func readBack(
    _ part: Rect, from texture: GLTexture, into result: inout ResultImage
  ) throws(GLFailure) {
    let format = result.format
    if texture.format.isBuffer {
      moved.readBytes += texture.bytes
      return try texture.withBytes(in: context) { pixels in
        result.fill(part, with: pixels, sampleBytes: 1, by: copies)
      }
    }
    let type = clientType(for: format.depth)
    moved.readBytes += part.area * 4 * type.bytes
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
          part, with: UnsafeRawBufferPointer(rebasing: pixels[..<count]), sampleBytes: type.bytes,
          by: copies)
      }
    }
    try context.check("read-back of \(part)")
  }

  /// - Parameter pixels: `nil` for the start of the bound buffer.
  private static func read(
    _ size: Size, _ depth: PixelFormat.Depth, _ type: GLenum, _ pixels: UnsafeMutableRawPointer?
  ) {
    let client = GLenum(depth == .uint8 ? GL_RGBA : GL_RGBA_INTEGER)
    glReadPixels(0, 0, GLsizei(size.width), GLsizei(size.height), client, type, pixels)
  }

  /// The type that a result is read in: 32-bit integers are promised for integer images, 16-bit
  /// ones are the driver's to offer.
  private func clientType(for depth: PixelFormat.Depth) -> (name: GLenum, bytes: Int) {
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

/// The bytes moved between memory and textures.
package struct GLTransferStatistics: Sendable, Hashable {
  /// Bytes of images that went to the device.
  package var uploadedBytes = 0
  /// Bytes of results that came from it.
  package var readBytes = 0
}

/// Pixels on their way from a texture to memory.
struct ReadBack {
  /// The layout of the pixels in the buffer, without gaps.
  enum Form {
    /// As the result holds them.
    case rows
    /// Four samples per pixel of so many bytes, at least as many as the result's.
    case samples(bytes: Int)
  }

  /// The part of the result that they are.
  var part: Rect
  var buffer: GLBuffer
  var form: Form
}

extension Image {
  /// Copies the rows of a part one after another, without gaps.
  fileprivate func copyRows(
    _ part: Rect, to target: UnsafeMutableRawBufferPointer, by copies: RowCopies
  ) {
    let length = part.width * format.bytesPerPixel
    let offset = part.y * bytesPerRow + part.x * format.bytesPerPixel
    withUnsafeBytes { source in
      guard let from = source.baseAddress, let to = target.baseAddress else { return }
      copies.copy(
        to: to, every: length, from: from + offset, every: bytesPerRow, length: length,
        rows: part.height)
    }
  }
}

/// Copies rows between images and the memory of buffers, by several threads where there is much to copy:
/// one thread reaches a fraction of what a machine's memory gives, and the device waits for it.
final class RowCopies: Sendable {
  /// More threads gain little, and they are wanted by others.
  private static let mostThreads = 4
  /// The least bytes worth another thread: less is copied while one wakes up.
  private static let leastBytes = 1 << 20

  private let threads = min(ProcessorCores.count, RowCopies.mostThreads)
  private let pool = ThreadPool()

  /// - Parameters:
  ///   - target: the first row, `targetStride` bytes before the next.
  ///   - source: the same of what is copied.
  ///   - length: bytes of a row.
  func copy(
    to target: UnsafeMutableRawPointer, every targetStride: Int,
    from source: UnsafeRawPointer, every sourceStride: Int, length: Int, rows: Int
  ) {
    let copy = RowCopy(
      target: target, targetStride: targetStride, source: source, sourceStride: sourceStride,
      length: length)
    let parts = max(min(threads, rows, length * rows / RowCopies.leastBytes), 1)
    let left = Monitor(parts - 1)
    for part in 1..<parts {
      pool.start {
        copy.run(rows * part / parts..<rows * (part + 1) / parts)
        left.change { $0 -= 1 }
      }
    }
    copy.run(0..<rows / parts)
    left.wait(until: { $0 == 0 }) { _ in }
  }
}

/// Rows that lie at equal distances.
// Threads write rows that do not overlap, and are waited for while both memories are there.
private struct RowCopy: @unchecked Sendable {
  let target: UnsafeMutableRawPointer
  let targetStride: Int
  let source: UnsafeRawPointer
  let sourceStride: Int
  let length: Int

  func run(_ rows: Range<Int>) {
    let (target, source) = (
      target + rows.lowerBound * targetStride, source + rows.lowerBound * sourceStride
    )
    if length == targetStride, length == sourceStride {
      memcpy(target, source, length * rows.count)
    } else {
      for row in 0..<rows.count {
        memcpy(target + row * targetStride, source + row * sourceStride, length)
      }
    }
  }
}
