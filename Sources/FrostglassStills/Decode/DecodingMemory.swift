internal import CVips
internal import FrostglassCore

extension OpenStill {
  /// Rows that libvips keeps between a decoder and who reads.
  private static let rowsInStore = 650

  /// Bytes that the decoder and libvips keep.
  var memory: Int {
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
    // The canvas, what was on it before, and a frame.
    case .gif: animation == nil ? 5 : 12
    // Samples as floating point, and the picture they become.
    case .jxl: shape.depth == .uint8 ? 40 : 48
    case .bmp, .ppm, .pfm: 0
    // libtiff gives four samples of whatever has three.
    // libtiff gives four samples of whatever has three.
    case .tiff:
      tiff?.isByLibtiff == true ? max(4, shape.storedBytesPerPixel(bands: picture.bands)) : 0
    }
  }

  /// Whether the encoded file is in memory while it is decoded.
  private var keepsFile: Bool {
    switch format {
    case .apng, .webp, .gif, .avif, .heic, .jxl: true
    case .jpeg, .png, .tiff, .bmp, .ppm, .pfm: bytes.isPipe
    }
  }
}
