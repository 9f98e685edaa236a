internal import CVips
internal import FrostglassCore

/// What kind of samples a file has, and the pixel format they become.
struct PixelShape {
  enum Space { case gray, rgb, cmyk, lab }

  let space: Space
  let hasAlpha: Bool
  let depth: Depth

  /// The format after decoding: gray with alpha becomes RGBA, CMYK and Lab become RGB.
  var decoded: PixelFormat {
    PixelFormat(hasAlpha ? .rgba : space == .gray ? .gray : .rgb, depth)
  }

  /// Reads it from a header; `nil` where the samples have no known full scale.
  init?(_ picture: VipsPicture) {
    let bands = picture.bands
    switch picture.interpretation {
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ:
      space = .lab
      hasAlpha = picture.interpretation == VIPS_INTERPRETATION_LAB && bands > 3
      depth = .uint8
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
