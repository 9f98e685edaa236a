internal import CVips
internal import FrostglassCore

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
    let levels = space == .gray ? 256 : 9
    let format = PixelFormat(space == .gray ? .gray : .rgb, .uint16)
    let channels = format.layout.channels
    let count = space == .gray ? levels : levels * levels * levels
    var grid = Image(zeros: Size(width: count, height: 1), format: format)
    for x in 0..<count {
      var rest = x
      for channel in 0..<channels {
        grid.setSample(Float(rest % levels) / Float(levels - 1), x: x, y: 0, channel: channel)
        rest /= levels
      }
    }
    let probe = try VipsPicture(copying: grid)
    probe.setBlob(profileField, profile)
    let seen = try arranged(toSRGB(probe, depth: .uint16, fallback: "srgb"), as: format.layout)
      .pixels()
    return stride(from: 0, to: seen.count, by: 2).allSatisfy {
      abs(word(seen, $0) - word(grid.bytes, $0)) < 128
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
