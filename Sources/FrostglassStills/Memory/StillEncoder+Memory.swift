package import FrostglassCore

extension StillEncoder {
  /// Rows that libvips keeps between who makes them and an encoder.
  private static let rowsInStore = 500

  /// About how many bytes encoding takes, the picture not counted: what the codec keeps, and the
  /// encoded file before it is written.
  ///
  /// Measured on pictures of noise with libvips 8.14 and rounded up.
  ///
  /// - Parameters:
  ///   - size: of a frame.
  ///   - byRows: whether rows come one after another. A large file is then not kept in memory.
  package func memory(
    _ size: Size, frames: Int = 1, _ pixels: PixelFormat, as format: StillFormat, byRows: Bool
  ) -> Int {
    let bytes = size.area * frames * pixels.bytesPerPixel
    let rows = min(size.height * frames, Self.rowsInStore) * size.width * pixels.bytesPerPixel
    let isSpooled = byRows && bytes > Self.mostInMemory
    return rows + size.area * codecBytesPerPixel(pixels, format)
      + (isSpooled ? 0 : file(bytes, format, frames))
  }

  /// The encoded file, at its largest.
  private func file(_ bytes: Int, _ format: StillFormat, _ frames: Int) -> Int {
    switch format {
    case .png, .tiff: bytes
    // Put together frame by frame, and copied while it grows.
    case .webp where frames > 1: bytes * (options.lossless ? 4 : 2)
    case .webp where options.lossless: bytes
    case .jpeg, .webp, .avif, .heic, .gif: bytes / 2
    }
  }

  /// What the codec keeps of a frame.
  private func codecBytesPerPixel(_ pixels: PixelFormat, _ format: StillFormat) -> Int {
    switch format {
    case .jpeg, .png, .tiff: 0
    case .webp: options.lossless || pixels.layout.hasAlpha ? 26 : 13
    case .avif, .heic: pixels.depth == .uint8 ? 26 : 34
    case .gif: 14
    }
  }
}
