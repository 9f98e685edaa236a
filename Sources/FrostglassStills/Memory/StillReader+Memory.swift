package import FrostglassCore

extension StillReader {
  /// About how many bytes decoding takes while rows are read one after another, those rows not
  /// counted: what the codec keeps, and the rows that libvips has in store.
  ///
  /// Measured on pictures of noise with libvips 8.14 and rounded up.
  package var rowMemory: Int { open.memory + (isTurned ? decodedBytes : 0) }

  /// About how many bytes decoding into one image takes, with that image.
  package var imageMemory: Int {
    open.memory + decodedBytes * (1 + (isTurned ? 1 : 0) + (colors.converted ? 1 : 0))
  }

  /// About how many bytes decoding into an image of another size takes, with that image.
  package func imageMemory(scaledTo size: Size) -> Int {
    let grows = size.width > header.size.width || size.height > header.size.height
    let target = size.area * header.pixelFormat.bytesPerPixel
    return open.memory + (grows ? decodedBytes : 0) + target * (isTurned ? 2 : 1)
  }

  /// Bytes of a decoded frame.
  private var decodedBytes: Int { header.size.area * header.pixelFormat.bytesPerPixel }

  /// Whether a stored orientation is applied, which takes the whole picture.
  private var isTurned: Bool { open.picture.orientation > 1 && open.loadedFrames == 1 }
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
    // Planes or coded pixels, and the picture they become.
    case .webp: 8
    case .avif, .heic: shape.depth == .uint8 ? 12 : 18
    case .gif: 5
    case .tiff: 0
    }
  }

  /// Whether the encoded file is in memory while it is decoded.
  private var keepsFile: Bool {
    switch format {
    case .webp, .gif, .avif, .heic: true
    case .jpeg, .png, .tiff: false
    }
  }
}

extension PixelShape {
  /// Bytes of a pixel as it comes from the decoder.
  fileprivate func storedBytesPerPixel(bands: Int) -> Int { bands * depth.bytes }
}
