internal import CVips
internal import FrostglassCore
internal import Glibc

/// What kind of samples a file has, and the pixel format they become.
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

extension PixelShape {
  /// Bytes of a pixel as it comes from the decoder.
  func storedBytesPerPixel(bands: Int) -> Int { bands * depth.bytes }
}

/// Brings a loaded picture to the channels and colors an `Image` can hold.
struct ColorConversion {
  private static let profileField = "icc-profile-data"

  /// The picture with the channels of `shape.decoded`.
  let picture: VipsPicture
  /// The profile its samples still need, if any.
  let profile: [UInt8]?
  /// Whether the samples went through a profile, so that tags about color are out of date.
  let converted: Bool

  /// - Parameter decodesFirst: decode everything before colors go through a profile, on all cores;
  ///   otherwise rows go through it one after another.
  init(
    _ source: VipsPicture, shape: PixelShape, choice: DecodeOptions.Profile, decodesFirst: Bool
  ) throws(VipsFailure) {
    let embedded = Self.usableProfile(of: source)
    let result: VipsPicture
    switch (shape.space, shape.depth) {
    case (.lab, let depth):
      result = try source.applying {
        fg_colourspace(
          $0, $1, depth == .uint8 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16)
      }
      (profile, converted) = (nil, true)
    case (.cmyk, _):
      if embedded == nil { source.removeField(Self.profileField) }
      let decoded = decodesFirst ? try Self.decoded(source) : source
      result = try Self.toSRGB(decoded, depth: shape.depth, fallback: "cmyk")
      (profile, converted) = (nil, true)
    case (_, .float32):
      result = source
      (profile, converted) = (embedded, false)
    case (let space, let depth):
      let mustConvert = choice == .srgb || (space == .gray && shape.hasAlpha)
      if mustConvert, let embedded, try !Self.isSRGB(embedded, space: space) {
        let decoded = decodesFirst ? try Self.decoded(source) : source
        result = try Self.toSRGB(decoded, depth: depth, fallback: "srgb")
        (profile, converted) = (nil, true)
      } else {
        result = source
        (profile, converted) = (mustConvert ? nil : embedded, false)
      }
    }
    picture = try Self.arranged(result, as: shape.decoded.layout)
  }

  /// The embedded profile, unless it is broken or made for other channels.
  private static func usableProfile(of picture: VipsPicture) -> [UInt8]? {
    guard let profile = picture.blob(profileField) else { return nil }
    let fits = picture.withPointer { image in
      profile.withUnsafeBytes {
        vips_icc_is_compatible_profile(image, $0.baseAddress, $0.count) != 0
      }
    }
    vips_error_clear()
    return fits ? profile : nil
  }

  /// The picture in memory, decoded in one thread; what is made of it takes as many as there are.
  private static func decoded(_ picture: VipsPicture) throws(VipsFailure) -> VipsPicture {
    let decoded = try picture.inMemory()
    decoded.removeField("concurrency")
    return decoded
  }

  private static func toSRGB(
    _ picture: VipsPicture, depth: PixelFormat.Depth, fallback: String
  ) throws(VipsFailure) -> VipsPicture {
    try picture.applying { fg_profile_to_srgb($0, $1, fallback, depth == .uint8 ? 8 : 16) }
  }

  /// Whether a profile changes nothing that could be seen: under half an 8-bit level everywhere.
  ///
  /// Found by sending a grid of colors through it, because sRGB profiles come under many names.
  private static func isSRGB(
    _ profile: [UInt8], space: PixelShape.Space
  ) throws(VipsFailure) -> Bool {
    if MatrixProfile(profile)?.isSRGB == true { return true }
    let levels = space == .gray ? 256 : 9
    let format = PixelFormat(space == .gray ? .gray : .rgb, .uint16)
    let channels = format.layout.channels
    let count = space == .gray ? levels : levels * levels * levels
    var grid: [UInt8] = []
    for color in 0..<count {
      var rest = color
      for _ in 0..<channels {
        grid += ByteOrder.little.bytes(65535 * (rest % levels) / (levels - 1), 2)
        rest /= levels
      }
    }
    let probe = try VipsPicture(
      copying: grid, size: Size(width: count, height: 1), format: format)
    probe.setBlob(profileField, profile)
    let seen = try arranged(toSRGB(probe, depth: .uint16, fallback: "srgb"), as: format.layout)
      .pixels()
    return stride(from: 0, to: seen.count, by: 2).allSatisfy {
      abs(word(seen, $0) - word(grid, $0)) < 128
    }
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  /// Brings the bands to those of a layout: drops extra ones, spreads gray where alpha follows.
  ///
  /// Gray that went through a profile arrives as three equal bands, of which one is enough.
  private static func arranged(
    _ picture: VipsPicture, as layout: PixelFormat.Layout
  ) throws(VipsFailure) -> VipsPicture {
    if picture.bands == 2, layout == .rgba { return try picture.applying(fg_spread_gray) }
    guard picture.bands > layout.channels else { return picture }
    return try picture.applying { fg_bands($0, $1, 0, Int32(layout.channels)) }
  }
}

/// A color profile that says in three colors and a curve what its samples mean.
private struct MatrixProfile {
  private let profile: [UInt8]
  private var tags: [String: Int] = [:]

  /// - Returns: `nil` for profiles with tables.
  init?(_ profile: [UInt8]) {
    self.profile = profile
    guard let count = ByteOrder.big.number(profile, at: 128, bytes: 4), count <= 64,
      132 + 12 * count <= profile.count
    else { return nil }
    for index in 0..<count {
      let place = 132 + 12 * index
      tags[String(decoding: profile[place..<place + 4], as: UTF8.self)] =
        ByteOrder.big.number(profile, at: place + 4, bytes: 4)
    }
    guard tags["rXYZ"] != nil, !tags.keys.contains(where: { $0.hasPrefix("A2B") }) else {
      return nil
    }
  }

  /// Whether it is sRGB to four digits: that of libjxl differs from that of others in the last one, which
  /// near black makes two levels.
  var isSRGB: Bool {
    let colors = [
      ("rXYZ", [0.43604, 0.22248, 0.01392]), ("gXYZ", [0.38511, 0.71690, 0.09707]),
      ("bXYZ", [0.14305, 0.06061, 0.71391]),
    ]
    let curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    return colors.allSatisfy { fits($0.0, kind: "XYZ ", at: 8, $0.1) }
      && ["rTRC", "gTRC", "bTRC"].allSatisfy { tag in
        // The fourth of the curves that have a formula.
        tags[tag].flatMap { ByteOrder.big.number(profile, at: $0 + 8, bytes: 2) } == 3
          && fits(tag, kind: "para", at: 12, curve)
      }
  }

  private func fits(_ tag: String, kind: String, at place: Int, _ wanted: [Double]) -> Bool {
    guard let start = tags[tag], start <= profile.count - place - 4 * wanted.count,
      profile[start..<start + 4].elementsEqual(kind.utf8)
    else { return false }
    return wanted.enumerated().allSatisfy { index, value in
      let bits = ByteOrder.big.number(profile, at: start + place + 4 * index, bytes: 4) ?? 0
      return abs(Double(Int32(truncatingIfNeeded: bits)) / 65536 - value) < 0.0005
    }
  }
}
