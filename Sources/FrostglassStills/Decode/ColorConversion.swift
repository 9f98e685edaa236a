internal import CVips
internal import FrostglassCore
internal import Glibc

/// The kind of a file's samples, and the pixel format they become.
struct PixelShape {
  enum Space { case gray, rgb, cmyk, lab }

  let space: Space
  let hasAlpha: Bool
  let depth: PixelFormat.Depth

  /// The format after decoding: gray with alpha becomes RGBA, CMYK and Lab become RGB.
  var decoded: PixelFormat {
    PixelFormat(hasAlpha ? .rgba : space == .gray ? .gray : .rgb, depth)
  }

  /// Reads it from a header; `nil` where the samples have no known full scale.
  ///
  /// - Parameter isDeepLab: true if floating-point Lab comes from samples of 16 bits.
  init?(_ picture: VipsImageHandle, isDeepLab: Bool = false) {
    let bands = picture.bands
    switch picture.interpretation {
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ:
      space = .lab
      hasAlpha = picture.interpretation == VIPS_INTERPRETATION_LAB && bands > 3
      depth = isDeepLab ? .uint16 : .uint8
      return
    case VIPS_INTERPRETATION_LABS:
      space = .lab
      hasAlpha = bands > 3
      depth = .uint16
      return
    case VIPS_INTERPRETATION_CMYK:
      space = .cmyk
      hasAlpha = bands > 4
    default:
      space = bands < 3 ? .gray : .rgb
      hasAlpha = bands == 2 || bands > 3
    }
    switch picture.bandFormat {
    case VIPS_FORMAT_UCHAR: depth = .uint8
    case VIPS_FORMAT_USHORT: depth = .uint16
    case VIPS_FORMAT_FLOAT where space != .cmyk: depth = .float32
    default: return nil
    }
  }

  /// Names a sample format the way a message does.
  static func words(for format: VipsBandFormat) -> String {
    switch format {
    case VIPS_FORMAT_CHAR: "signed 8 bits"
    case VIPS_FORMAT_SHORT: "signed 16 bits"
    case VIPS_FORMAT_INT: "signed 32 bits"
    case VIPS_FORMAT_UINT: "unsigned 32 bits"
    case VIPS_FORMAT_DOUBLE: "floating point of double precision"
    case VIPS_FORMAT_COMPLEX, VIPS_FORMAT_DPCOMPLEX: "complex numbers"
    default: "floating-point CMYK"
    }
  }
}

extension PixelShape {
  /// Bytes of a pixel as it comes from the decoder.
  func storedBytesPerPixel(bands: Int) -> Int { bands * depth.bytes }
}

/// Brings a loaded image to the channels and colors an `Image` can hold.
struct ColorConversion {
  /// The field in which libvips keeps a profile.
  static let profileField = "icc-profile-data"

  /// The image with the channels of `shape.decoded`.
  let picture: VipsImageHandle
  /// The profile its samples still need, if any.
  let profile: [UInt8]?
  /// True if the samples were converted through a profile, so that tags about color are out of date.
  let converted: Bool

  /// - Parameters:
  ///   - color: the description of colors in the image's file.
  ///   - decodesFirst: decode everything before colors go through a profile, on all cores;
  ///     otherwise rows go through it one after another.
  init(
    _ loaded: VipsImageHandle, shape: PixelShape, _ color: FileColor, choice: DecodeOptions.Profile,
    decodesFirst: Bool
  ) throws(VipsFailure) {
    let source: VipsImageHandle
    if let bits = color.premultipliedBits {
      // libvips has 10 and 12 bits in the upper ones of 16.
      let full = Double((1 << bits - 1) << (bits > 8 ? 16 - bits : 0))
      source = try loaded.applying { fgk_unpremultiply($0, $1, full) }
    } else {
      source = loaded
    }
    func decoded() throws(VipsFailure) -> VipsImageHandle {
      decodesFirst ? try Self.decoded(source) : source
    }
    let result: VipsImageHandle
    switch (shape.space, shape.depth) {
    case (.lab, let depth):
      result = try source.applying {
        fgk_lab_to_srgb(
          $0, $1, depth == .uint8 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16)
      }
      (profile, converted) = (nil, true)
    case (.cmyk, let depth):
      if let embedded = color.profile {
        result = try embedded.converted(decoded(), depth: depth)
      } else {
        result = try decoded().applying { fgk_cmyk_to_srgb($0, $1, depth == .uint8 ? 8 : 16) }
      }
      (profile, converted) = (nil, true)
    case (_, .float32):
      result = source
      (profile, converted) = (color.profile?.bytes, false)
    case (let space, let depth):
      let mustConvert =
        choice == .srgb || color.profile?.spreadsGray == true || (space == .gray && shape.hasAlpha)
      if mustConvert, let embedded = color.profile, !embedded.isSRGB {
        result = try embedded.converted(decoded(), depth: depth)
        (profile, converted) = (nil, true)
      } else {
        result = source
        (profile, converted) = (mustConvert ? nil : color.profile?.bytes, false)
      }
    }
    picture = try Self.arranged(result, as: shape.decoded.layout)
  }

  /// The image in memory, decoded in one thread; what is made of it takes as many as there are.
  private static func decoded(_ picture: VipsImageHandle) throws(VipsFailure) -> VipsImageHandle {
    let decoded = try picture.inMemory()
    decoded.removeField("concurrency")
    return decoded
  }

  /// Brings the bands to those of a layout: drops extra ones, spreads gray where alpha follows.
  ///
  /// Gray converted through a profile has three equal bands; one is enough.
  private static func arranged(
    _ picture: VipsImageHandle, as layout: PixelFormat.Layout
  ) throws(VipsFailure) -> VipsImageHandle {
    if picture.bands == 2, layout == .rgba { return try picture.applying(fgk_spread_gray) }
    guard picture.bands > layout.channels else { return picture }
    return try picture.applying { fgk_bands($0, $1, 0, Int32(layout.channels)) }
  }
}
