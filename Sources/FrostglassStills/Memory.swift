package import FrostglassCore
internal import Glibc

extension StillReader {
  /// About how many bytes decoding takes while rows are read one after another, those rows not
  /// counted: what the codec keeps, and the rows that libvips has in store.
  ///
  /// Measured on pictures of noise with libvips 8.14 and rounded up.
  package var rowMemory: Int { open.memory + (isReoriented ? decodedBytes : 0) }

  /// About how many bytes decoding into one image takes, with that image.
  package var imageMemory: Int {
    open.memory + decodedBytes * (1 + (isReoriented ? 1 : 0) + (colors.converted ? 1 : 0))
  }

  /// About how many bytes decoding into an image of another size takes, with that image.
  package func imageMemory(scaledTo size: Size) -> Int {
    let grows = size.width > header.size.width || size.height > header.size.height
    let target = size.area * header.pixelFormat.bytesPerPixel
    return open.memory + (grows ? decodedBytes : 0) + target * (isReoriented ? 2 : 1)
  }

  /// Bytes of a decoded frame.
  private var decodedBytes: Int { header.size.area * header.pixelFormat.bytesPerPixel }

  /// Whether a stored orientation is applied, which takes the whole picture.
  private var isReoriented: Bool { open.picture.orientation > 1 && open.loadedFrames == 1 }
}

extension OpenStill {
  /// Rows that libvips keeps between a decoder and who reads.
  private static let rowsInStore = 650

  /// Bytes that the decoder and libvips keep.
  fileprivate var memory: Int {
    let stored = picture.size
    let row = stored.width * shape.storedBytesPerPixel(bands: picture.bands)
    let pixels = stored.area / loadedFrames
    return min(stored.height, Self.rowsInStore) * row + pixels * codecBytesPerPixel
      + (keepsFile ? bytes.length ?? 0 : 0)
  }

  /// What the codec keeps of a frame.
  private var codecBytesPerPixel: Int {
    switch format {
    case .jpeg:
      // Coefficients of 16 bits; of colors a quarter where they are halved both ways.
      picture.number("jpeg-multiscan") ?? 0 == 0
        ? 0 : picture.text("jpeg-chroma-subsample") == "4:2:0" ? 3 : 2 * picture.bands
    case .png:
      picture.number("interlaced") ?? 0 == 0 ? 0 : shape.storedBytesPerPixel(bands: picture.bands)
    // The canvas, what was on it before, and a frame.
    case .apng: 3 * shape.storedBytesPerPixel(bands: 4)
    // Planes or coded pixels, and the picture they become.
    case .webp: 8
    case .avif, .heic: shape.depth == .uint8 ? 12 : 18
    case .gif: 5
    // Samples as floating point, and the picture they become.
    case .jxl: shape.depth == .uint8 ? 40 : 48
    case .bmp, .ppm, .pfm: 0
    // libtiff gives four samples of whatever has three.
    case .tiff: isByLibtiff ? 4 : 0
    }
  }

  /// Whether the encoded file is in memory while it is decoded.
  private var keepsFile: Bool {
    switch format {
    case .apng, .webp, .gif, .avif, .heic, .jxl: true
    case .jpeg, .png, .tiff, .bmp, .ppm, .pfm: false
    }
  }
}

extension PixelShape {
  /// Bytes of a pixel as it comes from the decoder.
  fileprivate func storedBytesPerPixel(bands: Int) -> Int { bands * depth.bytes }
}

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
    case .png, .apng, .tiff, .bmp, .ppm, .pfm: bytes
    case .jxl where options.lossless: bytes
    // Put together frame by frame, and copied while it grows.
    case .webp where frames > 1: bytes * (options.lossless ? 4 : 2)
    case .webp where options.lossless: bytes
    case .jpeg, .webp, .avif, .heic, .jxl, .gif: bytes / 2
    }
  }

  /// What the codec keeps of a frame.
  private func codecBytesPerPixel(_ pixels: PixelFormat, _ format: StillFormat) -> Int {
    switch format {
    case .jpeg, .png, .tiff, .bmp, .ppm, .pfm: 0
    // A frame, the one before, a part of it, and that as a file.
    case .apng: 4 * pixels.bytesPerPixel
    case .jxl: (options.effort ?? 3) < 7 ? 120 : 320
    case .webp: options.lossless || pixels.layout.hasAlpha ? 26 : 13
    case .avif, .heic: pixels.depth == .uint8 ? 26 : 34
    case .gif: 14
    }
  }
}
