internal import CVips
public import FrostglassCore

/// The facts known about an image file before its pixels are decoded.
public struct StillHeader: Sendable, Hashable {
  /// The upright size that decoding gives, after the orientation is applied, and a resize.
  public let size: Size
  /// The upright size in the file.
  public let fileSize: Size
  /// The pixel format that decoding gives.
  public let pixelFormat: PixelFormat
  /// Frames in the file: more than 1 for an animated GIF, WebP or PNG only.
  public let frames: Int
  /// The number of other frames in the file that cannot be read: frames of a PNG whose animation is invalid, pages
  /// of a TIFF, and images of a HEIC or AVIF after the first.
  public let unreadFrames: Int
  /// The format the file has, whatever its name.
  public let format: StillFormat
  /// The remarks on how samples are read, as predicates of the file, such as `has a color profile that is damaged
  /// or incomplete; its colors are taken as sRGB`.
  public internal(set) var remarks: [String]

  /// Takes over what is known of a file whose header has been read.
  ///
  /// - Parameters:
  ///   - open: the file; no pixels are decoded.
  ///   - resize: that it is decoded with.
  init(_ open: OpenStill, _ resize: Resize?) {
    fileSize = open.size
    size = resize?.size(of: open.size) ?? open.size
    pixelFormat = open.shape.decoded
    frames = open.frames
    unreadFrames = open.unreadFrames
    format = open.format
    remarks = open.remarks
  }
}

/// The loaders of libvips that are let near a file, and our own; all others count as unknown formats.
///
/// SVG, PDF, ImageMagick and the like interpret whole languages, which is no way to treat a
/// stranger's file.
enum StillLoader: String, CaseIterable {
  case jpegload, pngload, webpload, heifload, gifload, tiffload, jxlload
  /// None of libvips': files of rows.
  case rows

  /// Finds the loader by libvips' nickname, such as `jpegload_source`.
  init?(nickname: String) {
    guard let base = nickname.split(separator: "_").first else { return nil }
    self.init(rawValue: String(base))
    if self == .rows { return nil }
  }

  /// The format of what this loader opened; several share one.
  ///
  /// - Parameter bytes: the source it was opened from.
  func format(of picture: VipsImageHandle, _ bytes: ByteSource) -> StillFormat {
    switch self {
    case .jpegload: .jpeg
    case .pngload: .png
    case .webpload: .webp
    case .gifload: .gif
    case .tiffload: .tiff
    case .jxlload: .jxl
    case .rows: bytes.signature ?? .bmp
    case .heifload: picture.text("heif-compression") == "av1" ? .avif : .heic
    }
  }
}

extension OpenStill {
  /// The rows that libvips keeps between a decoder and the reader.
  private static let rowsInStore = 650

  /// Bytes that the decoder and libvips keep.
  var memory: Int {
    let stored = picture.size
    let row = stored.width * shape.storedBytesPerPixel(bands: picture.bands)
    let pixels = stored.area / loadedFrames
    return min(stored.height, Self.rowsInStore) * row + pixels * codecBytesPerPixel
      + (keepsFile ? bytes.length ?? 0 : 0)
  }

  /// The bytes that the codec keeps per pixel of a frame.
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
    // Planes or coded pixels, and the image they become.
    case .webp: 8
    case .avif, .heic: shape.depth == .uint8 ? 12 : 18
    // The canvas, what was on it before, and a frame.
    case .gif: animation == nil ? 5 : 12
    // Samples as floating point, and the image they become.
    case .jxl: shape.depth == .uint8 ? 40 : 48
    case .bmp, .ppm, .pfm: 0
    // libtiff gives four samples of whatever has three.
    // libtiff gives four samples of whatever has three.
    case .tiff:
      tiff?.isByLibtiff == true ? max(4, shape.storedBytesPerPixel(bands: picture.bands)) : 0
    }
  }

  /// True if the encoded file is in memory while it is decoded.
  private var keepsFile: Bool {
    switch format {
    case .apng, .webp, .gif, .avif, .heic, .jxl: true
    case .jpeg, .png, .tiff, .bmp, .ppm, .pfm: bytes.isPipe
    }
  }
}
