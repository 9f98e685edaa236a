internal import FrostglassCore
internal import Glibc

/// The result of a plan while its tiles arrive: rows without gaps, in the result's format.
struct ResultImage {
  let rect: Rect
  let format: PixelFormat
  private var bytes: [UInt8]

  var size: Size { rect.size }
  private var rowBytes: Int { rect.width * format.bytesPerPixel }

  /// - Parameter memory: used again where it is of the result's length.
  init(rect: Rect, format: PixelFormat, in memory: ResultMemory) {
    self.rect = rect
    self.format = format
    let count = rect.area * format.bytesPerPixel
    bytes = memory.take()
    guard bytes.count != count else { return }
    // Every byte is written by exactly one tile.
    bytes = [UInt8](unsafeUninitializedCapacity: count) { _, filled in filled = count }
  }

  /// Gives access to the bytes from the first pixel of a part on.
  mutating func withBytes(at part: Rect, _ body: (UnsafeMutableRawPointer?) -> Void) {
    let offset = self.offset(of: part)
    bytes.withUnsafeMutableBytes { body($0.baseAddress.map { $0 + offset }) }
  }

  /// Copies a part's pixels, leaving out channels and high bytes that the format does not have.
  ///
  /// - Parameters:
  ///   - pixels: four samples per pixel, without gaps.
  ///   - sampleBytes: bytes of one of them, low byte first; at least as many as the format's.
  mutating func fill(_ part: Rect, with pixels: UnsafeRawBufferPointer, sampleBytes: Int) {
    if format.layout == .rgba, sampleBytes == format.depth.bytes {
      copy(part, from: pixels)
    } else {
      narrow(part, pixels, sampleBytes)
    }
  }

  /// Copies a part's rows, which lie one after another.
  mutating func copy(_ part: Rect, from pixels: UnsafeRawBufferPointer) {
    let length = part.width * format.bytesPerPixel
    let rowBytes = rowBytes
    withBytes(at: part) { target in
      guard let target, let source = pixels.baseAddress else { return }
      if length == rowBytes {
        memcpy(target, source, length * part.height)
      } else {
        for y in 0..<part.height { memcpy(target + y * rowBytes, source + y * length, length) }
      }
    }
  }

  private mutating func narrow(
    _ part: Rect, _ source: UnsafeRawBufferPointer, _ sampleBytes: Int
  ) {
    // The bytes of a pixel that are kept.
    let kept = (0..<format.layout.channels).flatMap { channel in
      (0..<format.depth.bytes).map { channel * sampleBytes + $0 }
    }
    let pixelBytes = 4 * sampleBytes
    let start = offset(of: part)
    let rowBytes = rowBytes
    bytes.withUnsafeMutableBytes { target in
      for y in 0..<part.height {
        let from = y * part.width * pixelBytes
        let to = start + y * rowBytes
        // Byte by byte of the pixel, so that the inner loop is the long one.
        for (position, byte) in kept.enumerated() {
          for x in 0..<part.width {
            target[to &+ x &* kept.count &+ position] = source[from &+ x &* pixelBytes &+ byte]
          }
        }
      }
    }
  }

  /// The finished image.
  func image(alpha: AlphaMode, transfer: Transfer) throws(GLFailure) -> Image {
    do {
      return try Image(size: size, format: format, alpha: alpha, transfer: transfer, bytes: bytes)
    } catch {
      throw .image(error)
    }
  }

  private func offset(of part: Rect) -> Int {
    (part.y - rect.y) * rowBytes + (part.x - rect.x) * format.bytesPerPixel
  }
}
