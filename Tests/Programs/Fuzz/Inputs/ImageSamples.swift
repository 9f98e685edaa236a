internal import CVips
import FrostglassCore
import FrostglassStills
import TestSupport

/// Small images in every format and variant that can be written here.
enum ImageSamples {
  /// Made by our own encoder, and by libvips where a variant is only read.
  static func all() throws -> [FuzzSample] {
    var samples: [FuzzSample] = []
    for format in StillFormat.allCases {
      let kind = FuzzKind(format)
      let layouts = [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.rgb, .uint16)]
      for pixels in Set(layouts.map { format.pixelFormat(preserving: $0) }).sorted(by: <) {
        let bytes = try StillEncoder(EncodeOptions(effort: 0)).encode(
          picture(pixels), metadata: metadata(format), as: format)
        samples.append(FuzzSample(kind, "our \(pixels)", bytes))
      }
      if format.canAnimate {
        let bytes = try StillEncoder(EncodeOptions(effort: 0)).encode(
          picture(.rgba8, height: 36), metadata: animation, as: format)
        samples.append(FuzzSample(kind, "animated", bytes))
      }
    }
    for (kind, suffix, pixels) in variants {
      guard let bytes = written(picture(pixels), suffix) else { continue }
      samples.append(FuzzSample(kind, "\(suffix) \(pixels)", bytes))
    }
    for (name, file) in portable { samples.append(FuzzSample(.ppm, name, file)) }
    if samples.contains(where: { $0.kind == .heic }) {
      samples.append(FuzzSample(.heic, "tiny", TinyHEIC.intact))
    }
    return samples
  }

  /// Formats that are read and not written.
  private static let portable: [(String, [UInt8])] = [
    ("text", Array("P3\n# of nine\n3 2\n9\n0 1 2 3 4 5 6 7 8\n9 0 1 2 3 4 5 6 7\n".utf8)),
    ("gray text", Array("P2 4 2 1000 0 10 200 300 400 500 999 1000\n".utf8)),
    ("bits", Array("P1\n4 3\n0110\n1 0 0 1\n1111\n".utf8)),
    ("packed bits", Array("P4\n12 2\n".utf8) + [0xA5, 0x70, 0x0F, 0xF0]),
    ("of 100", Array("P5 3 3 100\n".utf8) + [0, 20, 40, 60, 80, 100, 7, 8, 9]),
  ]

  private static let variants: [(FuzzKind, String, PixelFormat)] = [
    (.png, ".png[interlace]", .rgb8), (.png, ".png[interlace]", PixelFormat(.rgba, .uint16)),
    (.png, ".png[palette]", .rgb8), (.png, ".png[palette,bitdepth=2]", .rgba8),
    (.png, ".png[bitdepth=1]", .gray8),
    (.jpeg, ".jpg[interlace]", .rgb8),
    (.jpeg, ".jpg[subsample-mode=off,restart-interval=1]", .rgb8),
    (.jpeg, ".jpg[interlace,optimize-coding]", .gray8),
    (.gif, ".gif[interlace]", .rgb8), (.gif, ".gif[bitdepth=2]", .rgba8),
    (.webp, ".webp[lossless]", .rgb8), (.webp, ".webp[lossless]", .rgba8),
    (.webp, ".webp[near-lossless,Q=40]", .rgba8), (.webp, ".webp[Q=10]", .rgba8),
    (.tiff, ".tif[compression=none]", .rgb8),
    (.tiff, ".tif[compression=lzw,predictor=horizontal]", .rgb8),
    (.tiff, ".tif[compression=packbits]", .gray8), (.tiff, ".tif[compression=jpeg]", .rgb8),
    (.tiff, ".tif[compression=ccittfax4,bitdepth=1]", .gray8),
    (.tiff, ".tif[tile,tile-width=16,tile-height=16,compression=deflate]", .rgba8),
    (.tiff, ".tif[tile,tile-width=16,tile-height=16]", PixelFormat(.rgb, .uint16)),
    (.tiff, ".tif[bigtiff,tile,tile-width=16,tile-height=16]", .gray8),
    (.tiff, ".tif[pyramid,tile,tile-width=16,tile-height=16]", .rgb8),
    (.tiff, ".tif[compression=zstd]", .rgb8), (.tiff, ".tif[compression=webp]", .rgb8),
    (.tiff, ".tif[predictor=float,compression=deflate]", PixelFormat(.rgb, .float32)),
    (.avif, ".avif[lossless,effort=0]", .rgb8), (.avif, ".avif[effort=0]", .rgba8),
    (.heic, ".heic[effort=0]", .rgb8), (.heic, ".heic[effort=0]", .rgba8),
    (.jxl, ".jxl[lossless,effort=3]", .rgba8), (.jxl, ".jxl[tier=4,effort=3,Q=20]", .rgb8),
    (.jxl, ".jxl[lossless,effort=9]", .gray8),
  ]

  /// Smooth with some noise, so that every part of a codec has something to do.
  static func picture(_ format: PixelFormat, width: Int = 20, height: Int = 18) -> Image {
    var random = SplitMix(state: 5)
    var image = Image(zeros: Size(width: width, height: height), format: format)
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<format.layout.channels {
          let smooth = Float(x * (channel + 1) + y) / Float(4 * width + height)
          let noise = Float(random.below(256)) / 1024
          image.setSample(smooth * 0.75 + noise, x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }

  private static var animation: StillMetadata {
    StillMetadata(animation: StillMetadata.Animation(delays: [40, 100], loop: 3))
  }

  private static func metadata(_ format: StillFormat) -> StillMetadata {
    StillMetadata(
      exif: BlockSamples.exif, xmp: Array(BlockSamples.xmp.utf8), iptc: BlockSamples.iptc,
      resolution: StillMetadata.Resolution(horizontal: 4, vertical: 4))
  }

  /// Returns an image as libvips writes it for a suffix; `nil` if libvips was built without that format.
  private static func written(_ image: Image, _ suffix: String) -> [UInt8]? {
    let depth: VipsBandFormat =
      switch image.format.depth {
      case .uint8: VIPS_FORMAT_UCHAR
      case .uint16: VIPS_FORMAT_USHORT
      case .float32: VIPS_FORMAT_FLOAT
      }
    let made = image.bytes.withUnsafeBytes {
      vips_image_new_from_memory_copy(
        $0.baseAddress, $0.count, Int32(image.size.width), Int32(image.size.height),
        Int32(image.format.layout.channels), depth)
    }
    guard let made, let target = vips_target_new_to_memory() else { return nil }
    defer {
      g_object_unref(made)
      g_object_unref(target)
      vips_error_clear()
    }
    var tagged: UnsafeMutablePointer<VipsImage>?
    let gray = image.format.layout == .gray
    let meaning: VipsInterpretation =
      switch image.format.depth {
      case .uint8: gray ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
      case .uint16: gray ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16
      case .float32: VIPS_INTERPRETATION_scRGB
      }
    guard fgk_retag(made, &tagged, meaning, 1, 1) == 0, let tagged else { return nil }
    defer { g_object_unref(tagged) }
    guard fgk_save_variant(tagged, target, suffix) == 0 else { return nil }
    var start: UnsafeRawPointer?
    var count = 0
    guard let owner = fgk_target_contents(target, &start, &count) else { return nil }
    defer { vips_area_unref(owner) }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension FuzzKind {
  init(_ format: StillFormat) {
    self =
      switch format {
      case .png: .png
      case .apng: .apng
      case .jpeg: .jpeg
      case .gif: .gif
      case .webp: .webp
      case .tiff: .tiff
      case .avif: .avif
      case .heic: .heic
      case .jxl: .jxl
      case .bmp: .bmp
      case .ppm: .ppm
      case .pfm: .pfm
      }
  }
}

extension PixelFormat {
  /// In the order of their names.
  fileprivate static func < (first: PixelFormat, second: PixelFormat) -> Bool {
    "\(first)" < "\(second)"
  }
}
