internal import CVips
internal import FrostglassCore

/// Hands checked samples to the saver of one format.
struct StillSaver {
  let format: StillFormat
  let options: EncodeOptions
  let metadata: StillMetadata?

  /// Encodes a picture of these pixels, into memory or an open file.
  func save(
    _ source: VipsPicture, pixels: PixelFormat, to spool: SpoolFile? = nil
  ) throws(VipsFailure) -> EncodedBytes {
    let resolution = metadata?.resolution ?? .usual
    let picture = try source.applying {
      fg_retag($0, $1, pixels.interpretation, resolution.horizontal, resolution.vertical)
    }
    metadata?.apply(to: picture, layout: pixels.layout, as: format)
    let byteCount = picture.size.area * pixels.bytesPerPixel
    let file = try picture.saved(to: spool) { image, target in
      call(image, target, pixels, byteCount)
    }
    if let metadata { FileAppendix(metadata, picture.size).add(to: file, as: format) }
    return file
  }

  private func call(
    _ image: UnsafeMutablePointer<VipsImage>, _ target: UnsafeMutablePointer<VipsTarget>,
    _ pixels: PixelFormat, _ byteCount: Int
  ) -> Int32 {
    let strip: gboolean = hasContent ? 0 : 1
    let effort = Self.effort(options.effort, of: format)
    switch format {
    case .jpeg: return fg_save_jpeg(image, target, quality(90), strip)
    case .png: return fg_save_png(image, target, effort, strip)
    case .webp:
      let lossless: gboolean = options.lossless ? 1 : 0
      return fg_save_webp(image, target, quality(85), lossless, effort, strip)
    case .avif:
      let bits: Int32 = pixels.depth == .uint8 ? 8 : 12
      return fg_save_avif(image, target, quality(60), bits, effort, strip)
    case .tiff:
      let predictor =
        pixels.depth == .float32
        ? VIPS_FOREIGN_TIFF_PREDICTOR_FLOAT : VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL
      // Offsets of the classic format end at 4 GiB; deflate never grows data by a quarter.
      let big: gboolean = byteCount > 3 << 30 ? 1 : 0
      return fg_save_tiff(image, target, predictor, big, strip)
    case .gif: return fg_save_gif(image, target, effort, strip)
    case .heic: return -1
    }
  }

  private func quality(_ usual: Int32) -> Int32 { options.quality.map { Int32($0) } ?? usual }

  /// The effort in the saver's own numbers, the usual one for `nil`.
  private static func effort(_ effort: Int?, of format: StillFormat) -> Int32 {
    switch format {
    // zlib's levels, of which 0 compresses nothing.
    case .png: Int32(max(effort ?? 6, 1))
    // 0…6.
    case .webp: Int32(effort.map { $0 * 2 / 3 } ?? 4)
    // 1…10.
    case .gif: Int32(effort.map { $0 + 1 } ?? 7)
    // 0…9. With 2 a full-HD photo takes 0.9 s, where 4 takes 5.3 s and saves no bytes.
    case .avif: Int32(effort ?? 2)
    case .jpeg, .tiff, .heic: 0
    }
  }

  /// Whether there is anything to write beside pixels. Without `strip` libvips makes up EXIF.
  private var hasContent: Bool {
    guard let metadata else { return false }
    return metadata.iccProfile != nil || metadata.exif != nil || metadata.xmp != nil
      || metadata.iptc != nil || metadata.resolution != nil
  }
}
