internal import CVips

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
  /// - Parameter bytes: what it was opened from.
  func format(of picture: VipsPicture, _ bytes: ByteSource) -> StillFormat {
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
