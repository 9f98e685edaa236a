internal import CVips
internal import FrostglassCore

extension UsableProfile {
  /// Levels of gray whose light is looked up.
  private static let levels = 1024

  /// A profile for colors that shows equal red, green and blue as this one, which is for gray, shows gray.
  ///
  /// Formats that hold colors only, and images that were gray and are not any more, need one.
  var spreadForColors: [UInt8]? {
    let format = PixelFormat(.gray, .uint16)
    let grays = (0..<Self.levels).flatMap {
      ByteOrder.little.bytes(65535 * $0 / (Self.levels - 1), 2)
    }
    do {
      let picture = try VipsPicture(
        copying: grays, size: Size(width: Self.levels, height: 1), format: format)
      let shown = try converted(picture, depth: .uint16)
      let bytes = try shown.applying { fg_bands($0, $1, 0, 1) }.pixels()
      let light = stride(from: 0, to: bytes.count, by: 2).map { place in
        let sample = Float(Int(bytes[place]) | Int(bytes[place + 1]) << 8) / 65535
        return Int((TransferCurve.decode(sample) * 65535).rounded())
      }
      return ColorEncoding.profile(light: light)
    } catch { return nil }
  }
}

extension StillMetadata {
  /// The profile, or for gray pixels that became colors one that shows equal samples the same; `nil` if it is
  /// for colors where the pixels are gray.
  func profile(for layout: PixelFormat.Layout) -> [UInt8]? {
    guard let iccProfile else { return nil }
    switch ICCTags(iccProfile).space {
    case "GRAY":
      return layout == .gray ? iccProfile : UsableProfile(iccProfile, .gray)?.spreadForColors
    case "RGB ": return layout == .gray ? nil : iccProfile
    default: return nil
    }
  }
}

extension StillSaver {
  /// The same image in sRGB, for formats that hold no profile. Floating point goes through 16 bits.
  func inSRGB(_ source: VipsPicture, _ pixels: PixelFormat) throws(VipsFailure) -> VipsPicture {
    let isGray = pixels.layout == .gray
    guard let bytes = metadata?.profile(for: pixels.layout),
      let profile = UsableProfile(bytes, isGray ? .gray : .rgb)
    else { return source }
    let isFloat = pixels.depth == .float32
    let whole =
      isFloat ? try source.applying { fg_scaled($0, $1, 65535, VIPS_FORMAT_USHORT) } : source
    let deep = PixelFormat(pixels.layout, pixels.depth == .uint8 ? .uint8 : .uint16)
    let tagged = try whole.applying { fg_tagged($0, $1, deep.interpretation) }
    let shown = try profile.converted(tagged, depth: deep.depth)
    let channels = Int32(pixels.layout.channels)
    let bands =
      shown.bands > channels ? try shown.applying { fg_bands($0, $1, 0, channels) } : shown
    return isFloat
      ? try bands.applying { fg_scaled($0, $1, 1.0 / 65535, VIPS_FORMAT_FLOAT) } : bands
  }
}

extension CodePoints {
  /// The code points of a kept profile that a format has a place for instead of the profile.
  init?(of profile: [UInt8], in format: StillFormat) {
    // libheif writes no such box into HEIC.
    guard format == .avif, let found = ICCTags(profile).codePoints else {
      return nil
    }
    (primaries, transfer) = (found.primaries, found.transfer)
  }

  /// Puts them into a file's `colr` box, where libheif says of images without a profile that primaries and
  /// transfer are unspecified; libvips has no way to tell it more.
  func add(to file: EncodedBytes) {
    let head = file.bytes(0..<min(file.count, 1 << 20))
    let unspecified = Array("colrnclx".utf8) + [0, 2, 0, 2]
    guard let place = head.indices.first(where: { head[$0...].starts(with: unspecified) }) else {
      return
    }
    let numbers = [primaries, transfer].flatMap { ByteOrder.big.bytes($0, 2) }
    file.replace(place + 8..<place + 12, with: numbers)
  }
}
