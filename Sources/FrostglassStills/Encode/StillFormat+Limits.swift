public import FrostglassCore
internal import CVips

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
