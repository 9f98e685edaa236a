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
    of picture: VipsImageHandle, _ shape: PixelShape, _ format: StillFormat, _ bytes: ByteSource,
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
        let inks = try grid.picture.applying { fgk_tagged($0, $1, VIPS_INTERPRETATION_CMYK) }
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
    _ picture: VipsImageHandle, depth: PixelFormat.Depth
  ) throws(VipsFailure) -> VipsImageHandle {
    let spread = ICCTags(bytes).grayCurve.flatMap { ColorEncoding.profile(curve: $0) }
    return try Self.converted(
      picture, spread ?? bytes, intent, depth: depth, spreadsGray: spreadsGray || spread != nil)
  }

  private static func converted(
    _ picture: VipsImageHandle, _ bytes: [UInt8], _ intent: VipsIntent, depth: PixelFormat.Depth,
    spreadsGray: Bool
  ) throws(VipsFailure) -> VipsImageHandle {
    let spread = spreadsGray ? try picture.applying(fgk_spread_gray) : picture
    let isDeep = picture.bandFormat == VIPS_FORMAT_USHORT
    let meaning =
      !spreadsGray
      ? picture.interpretation : isDeep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
    // A copy has fields of its own.
    let tagged = try spread.applying { fgk_tagged($0, $1, meaning) }
    tagged.setBlob(ColorConversion.profileField, bytes)
    return try tagged.applying {
      fgk_profile_to_srgb($0, $1, intent, depth == .uint8 ? 8 : 16)
    }
  }
}

/// Colors that fill the space of a device, at 16 bits.
private struct Grid {
  let picture: VipsImageHandle
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
    picture = try VipsImageHandle(
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
  func isUnchanged(in other: VipsImageHandle) throws(VipsFailure) -> Bool {
    let channels = format.layout.channels
    let colors =
      other.bands > channels
      ? try other.applying { fgk_bands($0, $1, 0, Int32(channels)) } : other
    let seen = try colors.pixels()
    return stride(from: 0, to: samples.count, by: 2).allSatisfy {
      abs(Self.word(seen, $0) - Self.word(samples, $0)) < 128
    }
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }
}

/// The color description in the chunks of a PNG, by precedence: cICP, iCCP, sRGB, gAMA and cHRM.
struct PNGColor {
  /// True if there is an ICC profile, whole or not.
  private(set) var hasProfile = false
  /// The ICC profile; libpng gives none that stands behind an sRGB chunk, or is for colors where pixels
  /// are gray.
  private(set) var profile: [UInt8]?
  private(set) var codePoints: CodePoints?
  /// The encoding that gAMA and cHRM give, unless there is an sRGB chunk.
  private(set) var encoding: ColorEncoding?
  /// True if they make no sense.
  private(set) var isEncodingBroken = false
  /// A kind of cICP that is not read, in words.
  private(set) var unsupported: String?

  /// Bytes of the largest profile that is read.
  private static let longestProfile = 4 << 20

  /// 1/2.2 in 100,000ths, as rounded by various programs.
  private static let gammaOfSRGB = 45_450...45_460

  /// - Parameter file: all of it, or its beginning.
  init(_ file: some BlockOfBytes) {
    var isSRGB = false
    var gamma: Int?
    var places: [Double]?
    PNGChunk.each(file) { chunk in
      let content = Array(file[chunk.content].prefix(chunk.kind == "iCCP" ? .max : 32))
      switch chunk.kind {
      // Of RGB samples at full range, as a PNG has them; narrow range is for video.
      case "cICP" where content.count >= 4 && codePoints == nil:
        guard content[2] == 0 else { break }
        if content[3] == 0 { unsupported = "a PNG with samples of limited range" }
        let found = CodePoints(primaries: Int(content[0]), transfer: Int(content[1]))
        if found != CodePoints(primaries: 2, transfer: 2) { codePoints = found }
      case "iCCP" where !hasProfile:
        hasProfile = true
        profile = content.firstIndex(of: 0).flatMap {
          PNGChunk.inflated(content[$0...].dropFirst(2), atMost: Self.longestProfile)
        }
      case "sRGB": isSRGB = true
      case "gAMA": gamma = ByteOrder.big.number(content, at: 0, bytes: 4)
      case "cHRM" where content.count >= 32:
        places = (0..<8).map {
          let number = ByteOrder.big.number(content, at: 4 * $0, bytes: 4) ?? 0
          return Double(Int32(truncatingIfNeeded: number)) / 100_000
        }
      default: break
      }
      return chunk.kind != "IDAT"
    }
    guard !isSRGB else { return }
    encoding = encoding(gamma, places)
  }

  private mutating func encoding(_ gamma: Int?, _ places: [Double]?) -> ColorEncoding? {
    var encoding = ColorEncoding()
    if let gamma {
      // An exponent of 1/10 to 10.
      guard (10_000...1_000_000).contains(gamma) else {
        isEncodingBroken = true
        return nil
      }
      encoding.curve = .power(100_000 / Double(gamma))
    }
    if let places {
      let found = (0..<4).map { Array(places[2 * $0..<2 * $0 + 2]) }
      encoding.primaries = ColorEncoding.Primaries(
        red: found[1], green: found[2], blue: found[3], white: found[0])
      if encoding.primaries.isNear(.sRGB) { encoding.primaries = .sRGB }
    }
    // PNG has this number stand for the curve of sRGB, as ImageMagick and others write it.
    if let gamma, Self.gammaOfSRGB.contains(gamma), encoding.primaries == .sRGB {
      encoding.curve = .sRGB
    }
    return gamma == nil && places == nil ? nil : encoding
  }
}

/// A TIFF image with the meaning of its samples set right where libvips does not see it.
struct TIFFColor {
  private(set) var picture: VipsImageHandle
  /// True if it is L*a*b* as floating point, made of samples of 16 bits.
  private(set) var isDeepLab = false
  /// The part of the description that is not used, as a predicate of the file.
  private(set) var note: String?

  /// - Parameters:
  ///   - loaded: as libvips or libtiff gives it.
  ///   - directory: of that image, in its file.
  /// - Throws: `DecodeError.unsupportedKind` for colors that are not read.
  init(of loaded: VipsImageHandle, _ directory: TIFFDirectory, name: String) throws(DecodeError) {
    picture = loaded
    guard let photometric = directory.number(262) else { return }
    if let words = Self.unread[photometric] { throw .unsupportedKind(name: name, found: words) }
    try mapped(
      { (failure: VipsFailure) in DecodeError.damaged(name: name, reason: failure.reason) },
      choose(photometric, directory))
  }

  private mutating func choose(
    _ photometric: Int, _ directory: TIFFDirectory
  ) throws(VipsFailure) {
    if let colors = Self.colors[photometric] {
      try chooseAlpha(directory.numbers(338), after: colors)
    }
    guard photometric == 9, picture.bands >= 3 else { return }
    switch picture.bandFormat {
    case VIPS_FORMAT_UCHAR: break
    case VIPS_FORMAT_USHORT: isDeepLab = true
    default: throw VipsFailure(log: "L*a*b* of neither 8 nor 16 bits")
    }
    picture = try picture.applying(fgk_from_icclab)
    picture.limitToOneThread()
  }

  /// Leaves what is behind the colors out, but for alpha where a sample is said to be that.
  private mutating func chooseAlpha(_ extras: [Int], after colors: Int) throws(VipsFailure) {
    guard picture.isUncoded, !extras.isEmpty, picture.bands == colors + extras.count else { return }
    // Associated alpha, which libvips divides by, or unassociated.
    let alpha = extras.firstIndex { $0 == 1 || $0 == 2 }
    guard alpha != 0 else { return }
    let meaning = picture.interpretation
    picture = try picture.applying {
      fgk_colors_and($0, $1, Int32(colors), Int32(alpha.map { colors + $0 } ?? -1), meaning)
    }
    picture.limitToOneThread()
    if alpha == nil {
      note = "has a channel of which it does not say that it is alpha; only its colors are used"
    }
  }

  /// Samples of a color by photometric interpretation.
  private static let colors = [0: 1, 1: 1, 2: 3, 5: 4, 8: 3, 9: 3]

  /// Colors that are not read, in words.
  private static let unread = [
    10: "a TIFF of ITU L*a*b* colors",
    32803: "a TIFF of raw samples of a sensor",
    34892: "a TIFF of raw samples of a sensor",
  ]
}

/// The color description in a Windows bitmap's header of 108 or 124 bytes.
struct BitmapColor {
  /// An embedded profile.
  private(set) var profile: [UInt8]?
  /// Colors by three endpoints and gammas; `nil` for sRGB.
  private(set) var encoding: ColorEncoding?
  /// The reason why colors are not used, as a predicate.
  private(set) var note: String?

  /// - Parameter headerLength: of the header behind the first 14 bytes.
  init(_ file: UnsafeRawBufferPointer, headerLength: Int) {
    guard headerLength >= 108 else { return }
    func number(_ place: Int) -> Int {
      ByteOrder.little.number(file, at: place, bytes: 4) ?? 0
    }
    switch number(70) {
    // LCS_CALIBRATED_RGB
    case 0:
      // X, Y and Z of red, green and blue, in 30 bits behind the point, and three gammas in 16.
      let places: [Double] = (0..<9).map {
        Double(Int32(truncatingIfNeeded: number(74 + 4 * $0))) / 0x1p30
      }
      read(places, gammas: (0..<3).map { Double(number(110 + 4 * $0)) / 65536 })
    // PROFILE_EMBEDDED
    case 0x4D42_4544 where headerLength == 124:
      let (start, count) = (14 + number(126), number(130))
      guard count >= 128, count <= 16 << 20, start <= file.count - count else {
        note = Self.unused("has a color profile that is damaged or incomplete")
        return
      }
      profile = Array(file[start..<start + count])
    // PROFILE_LINKED
    case 0x4C49_4E4B: note = Self.unused("names a file with its color profile, which is not read")
    // LCS_sRGB, and the colors of Windows
    default: break
    }
  }

  private mutating func read(_ places: [Double], gammas: [Double]) {
    // Most programs leave them empty.
    guard places.contains(where: { $0 != 0 }) || gammas.contains(where: { $0 != 0 }) else { return }
    let colors = (0..<3).map { Array(places[3 * $0..<3 * $0 + 3]) }
    let sums = colors.map { $0.reduce(0, +) }
    guard gammas.allSatisfy({ $0 > 0.1 && $0 < 10 }), sums.allSatisfy({ $0 > 0 }) else {
      note = Self.unused("has calibrated colors that are not supported")
      return
    }
    let flat = zip(colors, sums).map { color, sum in [color[0] / sum, color[1] / sum] }
    var primaries = ColorEncoding.Primaries(
      red: flat[0], green: flat[1], blue: flat[2], white: ColorEncoding.Primaries.sRGB.white)
    // Each is of a sum of 1 where programs write chromaticities, which do not say what white is.
    if sums.contains(where: { abs($0 - 1) > 0.01 }) {
      let white = (0..<3).map { index in colors.reduce(0) { $0 + $1[index] } }
      let sum = white.reduce(0, +)
      primaries.white = [white[0] / sum, white[1] / sum]
    }
    // Some programs write the inverse.
    let powers = gammas.map { $0 < 1 ? 1 / $0 : $0 }
    if powers.contains(where: { abs($0 - powers[0]) > 0.001 }) {
      encoding = ColorEncoding(primaries: primaries, colorCurves: powers.map { .power($0) })
      return
    }
    let isSRGB = primaries.isNear(.sRGB) && abs(powers[0] - 2.2) < 0.05
    encoding = isSRGB ? nil : ColorEncoding(primaries: primaries, curve: .power(powers[0]))
  }

  private static func unused(_ words: String) -> String { words + "; its colors are taken as sRGB" }
}

/// The color description in the boxes of a HEIC or AVIF file.
struct HEIFColor {
  /// From the `colr` box of the image, or of a tile that it is made of, or else from its stream.
  private(set) var codePoints: CodePoints?
  /// True if its boxes turn or mirror the image.
  private(set) var isTurned = false
  /// True if its colors are stored multiplied by alpha.
  private(set) var isPremultiplied = false

  private let reader: BoxReader<UnsafeRawBufferPointer>

  /// - Parameter file: all of it.
  init(_ file: UnsafeRawBufferPointer) {
    reader = BoxReader(file: file)
    let references = ItemReferences(file)
    isPremultiplied = references.isPremultiplied
    guard let meta = reader.last("meta", in: 0..<file.count) else { return }
    let inside = min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
    guard let properties = reader.first("iprp", in: inside),
      let container = reader.first("ipco", in: properties),
      let table = reader.first("ipma", in: properties)
    else { return }
    let boxes = reader.boxes(in: container)
    let associated = associations(table)
    let items = [references.primary, references.firstTile].compactMap { $0 }
    let owned = items.flatMap { item in
      (associated[item] ?? []).filter { boxes.indices.contains($0 - 1) }.map {
        (item, boxes[$0 - 1])
      }
    }
    isTurned = owned.contains { $0.0 == items[0] && ["irot", "imir"].contains($0.1.name) }
    for (_, box) in owned where box.name == "colr" && codePoints == nil {
      codePoints = points(in: box.content)
    }
    for (item, box) in owned where codePoints == nil {
      codePoints = streamPoints(in: box.name, box.content, item, inside)
    }
  }

  /// Code points in the header of an item's stream, by the box that configures its decoder.
  private func streamPoints(
    in name: String, _ box: Range<Int>, _ item: Int, _ meta: Range<Int>
  ) -> CodePoints? {
    switch name {
    case "av1C":
      let found = StreamColor.av1(Array(reader.file[box].dropFirst(4)))
      return found ?? start(of: item, meta).flatMap { StreamColor.av1($0) }
    case "hvcC":
      var place = box.lowerBound + 23
      for _ in 0..<(reader.number(place - 1, 1) ?? 0) {
        guard let kind = reader.number(place, 1), let count = reader.number(place + 1, 2) else {
          break
        }
        place += 3
        for _ in 0..<count {
          guard let length = reader.number(place, 2), place + 2 + length <= box.upperBound else {
            return nil
          }
          let unit = place + 2..<place + 2 + length
          if kind & 63 == 33 { return StreamColor.hevc(Array(reader.file[unit])) }
          place = unit.upperBound
        }
      }
      return nil
    default: return nil
    }
  }

  /// The first unit of an item's data, whole if its header is in it, by its place in the file.
  private func start(of item: Int, _ meta: Range<Int>) -> [UInt8]? {
    guard let box = reader.first("iloc", in: meta), let version = reader.number(box.lowerBound, 1),
      let sizes = reader.number(box.lowerBound + 4, 2)
    else { return nil }
    let (offset, length) = (sizes >> 12 & 15, sizes >> 8 & 15)
    let (base, index) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
    guard [offset, length, base, index].allSatisfy({ [0, 4, 8].contains($0) }) else { return nil }
    let wide = version < 2 ? 2 : 4
    var place = box.lowerBound + 6 + wide
    for _ in 0..<(reader.number(box.lowerBound + 6, wide) ?? 0) {
      guard place < box.upperBound, let found = reader.number(place, wide) else { return nil }
      place += wide
      let method = version == 0 ? 0 : reader.number(place, 2) ?? 0
      place += version == 0 ? 2 : 4
      let start = reader.number(place, base) ?? 0
      guard let extents = reader.number(place + base, 2) else { return nil }
      place += base + 2
      if found == item {
        guard method & 15 == 0, extents > 0, let more = reader.number(place + index, offset),
          let count = reader.number(place + index + offset, length), start <= Int(UInt32.max),
          more <= Int(UInt32.max)
        else { return nil }
        return Array(
          reader.file.dropFirst(start + more).prefix(count == 0 ? 4096 : min(count, 4096)))
      }
      place += extents * (index + offset + length)
    }
    return nil
  }

  private func points(in box: Range<Int>) -> CodePoints? {
    guard reader.number(box.lowerBound, 4) == 0x6E63_6C78,
      let primaries = reader.number(box.lowerBound + 4, 2),
      let transfer = reader.number(box.lowerBound + 6, 2)
    else { return nil }
    return CodePoints(primaries: primaries, transfer: transfer)
  }

  /// The properties of each item, counted from 1.
  private func associations(_ table: Range<Int>) -> [Int: [Int]] {
    guard let version = reader.number(table.lowerBound, 1),
      let flags = reader.number(table.lowerBound + 1, 3),
      let count = reader.number(table.lowerBound + 4, 4)
    else { return [:] }
    let width = flags & 1 == 0 ? 1 : 2
    var found: [Int: [Int]] = [:]
    var place = table.lowerBound + 8
    for _ in 0..<count {
      let bytes = version == 0 ? 2 : 4
      guard place < table.upperBound, let item = reader.number(place, bytes),
        let owned = reader.number(place + bytes, 1)
      else { return found }
      place += bytes + 1
      for _ in 0..<owned {
        // The highest bit says that the property is essential.
        guard let index = reader.number(place, width) else { return found }
        found[item, default: []].append(index & (width == 1 ? 0x7F : 0x7FFF))
        place += width
      }
    }
    return found
  }
}
