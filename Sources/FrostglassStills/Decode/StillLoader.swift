internal import CVips

/// The loaders of libvips that are let near a file; all others count as unknown formats.
///
/// SVG, PDF, ImageMagick and the like interpret whole languages, which is no way to treat a
/// stranger's file.
enum StillLoader: String, CaseIterable {
  case jpegload, pngload, webpload, heifload, gifload, tiffload

  /// Finds the loader by libvips' nickname, such as `jpegload_source`.
  init?(nickname: String) {
    guard let base = nickname.split(separator: "_").first else { return nil }
    self.init(rawValue: String(base))
  }

  /// From which trouble on a file counts as damaged.
  var strictness: VipsFailOn { VIPS_FAIL_ON_ERROR }

  /// The format of what this loader opened; AVIF and HEIC share one.
  func format(of picture: VipsPicture) -> StillFormat {
    switch self {
    case .jpegload: .jpeg
    case .pngload: .png
    case .webpload: .webp
    case .gifload: .gif
    case .tiffload: .tiff
    case .heifload: picture.text("heif-compression") == "av1" ? .avif : .heic
    }
  }
}
