public import FrostglassCore

/// The kinds of image file that are read, most of which are also written.
public enum StillFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg
  case png
  case webp
  case avif
  case heic
  case gif
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
    let deep: Depth = source.depth == .uint8 ? .uint8 : .uint16
    let colored: Layout = source.layout == .gray ? .rgb : source.layout
    return switch self {
    case .jpeg: PixelFormat(source.layout == .gray ? .gray : .rgb, .uint8)
    case .webp, .gif: PixelFormat(colored, .uint8)
    case .avif: PixelFormat(colored, deep)
    case .png, .heic: PixelFormat(source.layout, deep)
    case .tiff: source
    }
  }
}
