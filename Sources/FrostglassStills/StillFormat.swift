internal import CVips
public import FrostglassCore

/// The kinds of image file that are read, most of which are also written.
public enum StillFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG: 8 bits, no alpha.
  case jpeg
  /// PNG: lossless, 8 or 16 bits, alpha.
  case png
  /// WebP: 8 bits, alpha, animations; lossy or lossless.
  case webp
  /// AVIF: 8 bits and more, alpha.
  case avif
  /// HEIC: only read.
  case heic
  /// GIF: 256 colors, animations.
  case gif
  /// TIFF: lossless, 8, 16 or 32 bits, alpha.
  case tiff

  /// Finds the format a file name extension stands for; upper and lower case are the same.
  ///
  /// Taken are jpg, jpeg, jpe, jfif, png, webp, avif, heic, heif, gif, tif and tiff, without a dot.
  /// Anything else is `nil`.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
    case "png": self = .png
    case "webp": self = .webp
    case "avif": self = .avif
    case "heic", "heif": self = .heic
    case "gif": self = .gif
    case "tif", "tiff": self = .tiff
    default: return nil
    }
  }

  /// Finds the format to write from a path's extension.
  ///
  /// - Throws: `EncodeError.unknownFormat` when the extension is missing, not known, or of a format
  ///   that is only read.
  public static func toWrite(path: String) throws(EncodeError) -> StillFormat {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let found = parts.count > 1 ? String(parts[parts.count - 1]) : ""
    guard let format = StillFormat(fileExtension: found), format.canEncode else {
      throw .unknownFormat(fileExtension: found, accepted: encodable)
    }
    return format
  }

  /// Whether this format is written as well as read.
  public var canEncode: Bool {
    switch self {
    case .jpeg, .png, .webp, .avif, .gif, .tiff: true
    case .heic: false
    }
  }

  /// Whether a file of this format can hold an animation.
  public var canAnimate: Bool { self == .gif || self == .webp }

  /// The formats that are written.
  public static var encodable: [StillFormat] { allCases.filter(\.canEncode) }

  /// The usual extension, without a dot: `jpg`, `png`, `webp`, `avif`, `heic`, `gif` or `tif`.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .tiff: "tif"
    default: rawValue
    }
  }

  /// The pixel format to hand to the encoder so that as much as possible of `source` survives.
  ///
  /// An answer without alpha for a source with alpha means that the caller composes the picture on
  /// a background first. JPEG takes 8-bit gray and RGB; PNG 8 and 16 bits of any layout; WebP and GIF
  /// 8-bit RGB and RGBA, of which a GIF keeps 256 colors and whether alpha is above a half; AVIF RGB and RGBA at 8 or 16 bits, of which the file keeps 12; TIFF everything.
  /// Formats that are only read answer as PNG does.
  public func pixelFormat(preserving source: PixelFormat) -> PixelFormat {
    let deep: PixelFormat.Depth = source.depth == .uint8 ? .uint8 : .uint16
    let colored: PixelFormat.Layout = source.layout == .gray ? .rgb : source.layout
    return switch self {
    case .jpeg: PixelFormat(source.layout == .gray ? .gray : .rgb, .uint8)
    case .webp, .gif: PixelFormat(colored, .uint8)
    case .avif: PixelFormat(colored, deep)
    case .png, .heic: PixelFormat(source.layout, deep)
    case .tiff: source
    }
  }
}

extension StillFormat {
  /// The longest side a file of this format is written with, in pixels.
  ///
  /// JPEG: libjpeg stops at 65500, short of the 16 bits of the format. WebP: 14 bits. AVIF and HEIC:
  /// more is written by libvips and read back by nobody, as libheif takes 16384. GIF: 16 bits. PNG:
  /// what libpng reads unless it is told otherwise. TIFF: one less than the 10 million that libvips
  /// counts to; what has them is written and not read.
  public var longestSide: Int {
    switch self {
    case .jpeg: 65500
    case .webp: 16383
    case .avif, .heic: 16384
    case .gif: 65535
    case .png: 1_000_000
    case .tiff: Int(VIPS_MAX_COORD) - 1
    }
  }

  /// The most pixels of a frame that a file of this format is written with; `nil` where only its
  /// sides count.
  public var mostPixels: Int? {
    // libvips 8.14 hands frames to cgif in numbers of 32 bits, four bytes per pixel.
    self == .gif ? Int(Int32.max) / 4 : nil
  }

  /// Finds out before there are pixels whether a file of this format can hold them.
  ///
  /// - Parameters:
  ///   - size: of a frame.
  ///   - frames: 1 or more.
  /// - Throws: `EncodeError.tooLarge` with the formats that could, and for frames that are too many
  ///   together `EncodeError.unsupportedImage`.
  public func checkSize(_ size: Size, frames: Int = 1) throws(EncodeError) {
    guard holds(size) else {
      let others = Self.encodable.filter { $0.holds(size) && (frames == 1 || $0.canAnimate) }
      throw .tooLarge(format: self, size: size, limit: limit(of: size), others: others)
    }
    // libvips sees frames as one high picture.
    guard size.height * frames <= VIPS_MAX_COORD else {
      throw .unsupportedImage(
        format: self, found: "\(frames) frames of \(size) pixels",
        accepted: "up to \(Int(VIPS_MAX_COORD) / size.height) of that size")
    }
  }

  private func holds(_ size: Size) -> Bool {
    max(size.width, size.height) <= longestSide && size.area <= mostPixels ?? .max
  }

  /// The limit that a size breaks, in words.
  private func limit(of size: Size) -> String {
    guard let mostPixels, max(size.width, size.height) <= longestSide else {
      return "\(longestSide) pixels per side"
    }
    return "\(mostPixels) pixels"
  }
}

/// Names formats the way a sentence does: `JPEG, PNG, TIFF`.
func list(_ formats: [StillFormat]) -> String {
  formats.map { $0 == .webp ? "WebP" : $0.rawValue.uppercased() }.joined(separator: ", ")
}
