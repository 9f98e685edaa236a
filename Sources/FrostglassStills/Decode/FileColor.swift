internal import CVips
internal import FrostglassCore

/// The description of sample colors in an image file.
struct FileColor {
  /// The profile that samples need; `nil` for sRGB, and for CMYK and Lab without one.
  private(set) var profile: UsableProfile?
  /// The reason why a description is not used: a predicate such as `has a damaged color profile`.
  private(set) var note: String?
  /// Bits of a sample's full scale where colors are stored multiplied by alpha; `nil` where they are not.
  private(set) var premultipliedBits: Int?

  /// Reads it from a loaded image and its file.
  ///
  /// - Parameter isPremultiplied: of a TIFF, true if colors are still multiplied by alpha.
  /// - Throws: `DecodeError.hdr`, or `DecodeError.unsupportedKind` for samples of limited range.
  init(
    of picture: VipsPicture, _ shape: PixelShape, _ format: StillFormat, _ bytes: ByteSource,
    isPremultiplied: Bool, name: String
  ) throws(DecodeError) {
    var embedded = picture.blob(ColorConversion.profileField)
    var isAnnounced = embedded != nil
    var codePoints: CodePoints?
    var encoding: ColorEncoding?
    switch format {
    case .png, .apng:
      guard let found = bytes.withContents({ PNGColor($0) }) else { break }
      isAnnounced = isAnnounced || found.hasProfile
      embedded = embedded ?? found.profile
      codePoints = found.codePoints
      if let found = found.unsupported { throw .unsupportedKind(name: name, found: found) }
      if !isAnnounced {
        encoding = found.encoding
        if found.isEncodingBroken { note = "has gAMA or cHRM values that make no sense" }
      }
    case .jpeg:
      isAnnounced =
        isAnnounced || bytes.withContents { Self.hasProfile(jpeg: $0) } == true
    case .avif, .heic:
      guard let found = bytes.withContents({ HEIFColor($0) }) else { break }
      if embedded == nil { codePoints = found.codePoints }
      if found.isPremultiplied, shape.hasAlpha {
        premultipliedBits = picture.number("heif-bitdepth") ?? 8
      }
    case .jxl:
      guard let found = bytes.withContents({ JPEGXLHeader($0) }) else { break }
      if found.isPremultiplied, shape.hasAlpha { premultipliedBits = 8 * shape.depth.bytes }
      // Of all others libjxl makes a profile.
      codePoints = found.transfer.map { CodePoints(primaries: 2, transfer: $0) }
      if codePoints?.hdrTransfer == nil { codePoints = nil }
    case .tiff:
      if isPremultiplied, shape.hasAlpha, shape.depth != .float32 {
        premultipliedBits = 8 * shape.depth.bytes
      }
    case .webp, .gif, .bmp, .ppm, .pfm: break
    }
    if let codePoints {
      if let transfer = codePoints.hdrTransfer { throw .hdr(name: name, transfer: transfer) }
      encoding = codePoints.encoding
      if let encoding {
        isAnnounced = false
        if encoding.isSRGB { return }
      } else {
        note =
          "has color code points that are not supported (primaries \(codePoints.primaries), "
          + "transfer \(codePoints.transfer))"
      }
    }
    if isAnnounced {
      use(embedded, shape)
    } else if let encoding, !encoding.isSRGB {
      let isGray = shape.space == .gray
      let made = encoding.profile(isGray: isGray)
      profile = made.flatMap { UsableProfile($0, shape.space) }
      if profile == nil {
        note =
          isGray
          ? "has curves that would color its gray pixels" : "has color primaries that make no sense"
      }
    }
    if let words = note {
      note =
        words + "; "
        + (shape.space == .cmyk ? "a common CMYK profile is used" : "its colors are taken as sRGB")
    }
  }

  private mutating func use(_ embedded: [UInt8]?, _ shape: PixelShape) {
    // The colors of Lab do not depend on a device.
    guard shape.space != .lab else { return }
    profile = embedded.flatMap { UsableProfile($0, shape.space) }
    guard profile == nil else {
      note = nil
      return
    }
    let space = embedded.flatMap { Self.names[ICCTags($0).space] }
    if let space, !space.fits.contains(shape.space) {
      note = "has a color profile for \(space.name), which does not fit its pixels"
    } else {
      note = "has a color profile that is damaged or incomplete"
    }
  }

  private static let names: [String: (name: String, fits: [PixelShape.Space])] = [
    "GRAY": ("gray", [.gray]), "RGB ": ("RGB", [.rgb, .gray]), "CMYK": ("CMYK", [.cmyk]),
    "Lab ": ("Lab", [.lab]), "HSV ": ("HSV", []), "HLS ": ("HLS", []), "XYZ ": ("XYZ", []),
    "Luv ": ("Luv", []), "Yxy ": ("Yxy", []), "YCbr": ("YCbCr", []), "CMY ": ("CMY", []),
  ]

  /// Returns true if a segment before the image holds a part of a profile. libvips has no profile if a part is
  /// missing.
  private static func hasProfile(jpeg file: some BlockOfBytes) -> Bool {
    JPEGSegments(file).contains {
      $0.marker == 0xE2 && file[$0.content].starts(with: Array("ICC_PROFILE\0".utf8))
    }
  }
}

/// A color profile that littleCMS converts samples of a kind with.
struct UsableProfile {
  let bytes: [UInt8]
  /// An intent that it supports.
  let intent: VipsIntent
  /// True if the profile is for RGB and the samples are gray: equal red, green and blue.
  let spreadsGray: Bool
  /// True if it changes nothing that could be seen: under half an 8-bit level everywhere.
  ///
  /// Found by sending a grid of colors through it, because sRGB profiles come under many names.
  let isSRGB: Bool

  /// - Returns: `nil` for a profile that is damaged, or for other samples.
  init?(_ bytes: [UInt8], _ space: PixelShape.Space) {
    let tags = ICCTags(bytes)
    let spaces: [PixelShape.Space: [String]] = [
      .gray: ["GRAY", "RGB "], .rgb: ["RGB "], .cmyk: ["CMYK"],
    ]
    guard tags.isWhole, spaces[space]?.contains(tags.space) == true, let intent = tags.intent else {
      return nil
    }
    self.bytes = bytes
    self.intent = intent
    spreadsGray = space == .gray && tags.space == "RGB "
    do {
      let grid = try Grid(space == .cmyk ? .rgba : tags.space == "GRAY" ? .gray : .rgb)
      // Otherwise a built-in profile takes its place.
      guard grid.fits(bytes) else { return nil }
      if space == .cmyk {
        let inks = try grid.picture.applying { fg_tagged($0, $1, VIPS_INTERPRETATION_CMYK) }
        _ = try Self.converted(inks, bytes, intent, depth: .uint16, spreadsGray: false).pixels()
        isSRGB = false
      } else {
        let seen = try Self.converted(
          grid.picture, bytes, intent, depth: .uint16, spreadsGray: false)
        let isUnchanged = try grid.isUnchanged(in: seen)
        isSRGB = tags.isSRGB || isUnchanged
      }
    } catch { return nil }
  }

  /// The samples in sRGB; gray may come as three equal bands.
  ///
  /// Gray goes the way of RGB: through a profile for gray, littleCMS is 10 levels off near black.
  func converted(
    _ picture: VipsPicture, depth: PixelFormat.Depth
  ) throws(VipsFailure) -> VipsPicture {
    let spread = ICCTags(bytes).grayCurve.flatMap { ColorEncoding.profile(curve: $0) }
    return try Self.converted(
      picture, spread ?? bytes, intent, depth: depth, spreadsGray: spreadsGray || spread != nil)
  }

  private static func converted(
    _ picture: VipsPicture, _ bytes: [UInt8], _ intent: VipsIntent, depth: PixelFormat.Depth,
    spreadsGray: Bool
  ) throws(VipsFailure) -> VipsPicture {
    let spread = spreadsGray ? try picture.applying(fg_spread_gray) : picture
    let isDeep = picture.bandFormat == VIPS_FORMAT_USHORT
    let meaning =
      !spreadsGray
      ? picture.interpretation : isDeep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
    // A copy has fields of its own.
    let tagged = try spread.applying { fg_tagged($0, $1, meaning) }
    tagged.setBlob(ColorConversion.profileField, bytes)
    return try tagged.applying {
      fg_profile_to_srgb($0, $1, intent, depth == .uint8 ? 8 : 16)
    }
  }
}

/// Colors that fill the space of a device, at 16 bits.
private struct Grid {
  let picture: VipsPicture
  private let samples: [UInt8]
  private let format: PixelFormat

  init(_ layout: PixelFormat.Layout) throws(VipsFailure) {
    format = PixelFormat(layout, .uint16)
    let levels = [.gray: 256, .rgb: 9][layout] ?? 2
    let count = (0..<layout.channels).reduce(1) { count, _ in count * levels }
    var grid: [UInt8] = []
    for color in 0..<count {
      var rest = color
      for _ in 0..<layout.channels {
        grid += ByteOrder.little.bytes(65535 * (rest % levels) / (levels - 1), 2)
        rest /= levels
      }
    }
    samples = grid
    picture = try VipsPicture(
      copying: grid, size: Size(width: count, height: 1), format: format)
  }

  /// Returns true if littleCMS accepts a profile for such colors.
  func fits(_ profile: [UInt8]) -> Bool {
    defer { vips_error_clear() }
    return picture.withPointer { image in
      profile.withUnsafeBytes {
        vips_icc_is_compatible_profile(image, $0.baseAddress, $0.count) != 0
      }
    }
  }

  /// Returns true if an image of these colors shows the same ones.
  func isUnchanged(in other: VipsPicture) throws(VipsFailure) -> Bool {
    let channels = format.layout.channels
    let colors =
      other.bands > channels
      ? try other.applying { fg_bands($0, $1, 0, Int32(channels)) } : other
    let seen = try colors.pixels()
    return stride(from: 0, to: samples.count, by: 2).allSatisfy {
      abs(Self.word(seen, $0) - Self.word(samples, $0)) < 128
    }
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }
}
