internal import CVips
public import FrostglassCore

/// The image file formats that are read and written.
public enum StillFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG: 8 bits, no alpha.
  case jpeg
  /// PNG: lossless, 8 or 16 bits, alpha.
  case png
  /// APNG: PNG with frames.
  case apng
  /// WebP: 8 bits, alpha, animations; lossy or lossless.
  case webp
  /// AVIF: 8 bits and more, alpha.
  case avif
  /// HEIC: 8 bits and more, alpha.
  case heic
  /// JPEG XL: 8 or 16 bits, alpha; lossy or lossless.
  case jxl
  /// GIF: 256 colors, animations.
  case gif
  /// TIFF: lossless, 8, 16 or 32 bits, alpha.
  case tiff
  /// BMP: lossless, 8 bits, alpha.
  case bmp
  /// PPM, PGM and PBM: lossless, 8 or 16 bits, no alpha, no metadata.
  case ppm
  /// PFM: lossless, 32 bits in linear light, no alpha, no metadata.
  case pfm

  /// The facts about each format, in one place.
  private var facts: Facts {
    switch self {
    case .jpeg: Facts("JPEG", ["jpg", "jpeg", "jpe", "jfif"], "image/jpeg")
    case .png: Facts("PNG", ["png"], "image/png")
    case .apng: Facts("APNG", ["apng"], "image/apng", canAnimate: true)
    case .webp: Facts("WebP", ["webp"], "image/webp", canAnimate: true)
    case .avif: Facts("AVIF", ["avif"], "image/avif")
    case .heic: Facts("HEIC", ["heic", "heif"], "image/heic")
    case .jxl: Facts("JPEG XL", ["jxl"], "image/jxl")
    case .gif: Facts("GIF", ["gif"], "image/gif", canAnimate: true)
    case .tiff: Facts("TIFF", ["tif", "tiff"], "image/tiff")
    case .bmp: Facts("BMP", ["bmp", "dib"], "image/bmp")
    case .ppm: Facts("PPM", ["ppm", "pgm", "pnm"], "image/x-portable-anymap")
    case .pfm: Facts("PFM", ["pfm"], "image/x-portable-floatmap")
    }
  }

  private struct Facts {
    let name: String
    /// The usual one first.
    let extensions: [String]
    let mediaType: String
    let canAnimate: Bool

    init(
      _ name: String, _ extensions: [String], _ mediaType: String, canAnimate: Bool = false
    ) {
      (self.name, self.extensions) = (name, extensions)
      (self.mediaType, self.canAnimate) = (mediaType, canAnimate)
    }
  }

  /// Finds the format of a file name extension, in any case.
  ///
  /// `nil` if it is not among `fileExtensions`, which have no dot.
  public init?(fileExtension: String) {
    let wanted = fileExtension.lowercased()
    guard let found = Self.allCases.first(where: { $0.fileExtensions.contains(wanted) }) else {
      return nil
    }
    self = found
  }

  /// Returns the format to write for a path's extension.
  ///
  /// - Throws: `EncodeError.unknownFormat` if the extension is missing or unknown.
  public static func toWrite(path: String) throws(EncodeError) -> StillFormat {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let found = parts.count > 1 ? String(parts[parts.count - 1]) : ""
    guard let format = StillFormat(fileExtension: found) else {
      throw .unknownFormat(fileExtension: found, accepted: allCases)
    }
    return format
  }

  /// The name in sentences, such as `WebP`.
  public var name: String { facts.name }

  /// The HTTP media type, such as `image/webp`.
  public var mediaType: String { facts.mediaType }

  /// True if a file of this format can hold an animation.
  public var canAnimate: Bool { facts.canAnimate }

  /// True if a file of this format can hold a color profile.
  var holdsProfile: Bool { self != .gif && self != .ppm && self != .pfm }

  /// The usual extension, without a dot, such as `jpg`.
  public var fileExtension: String { facts.extensions[0] }

  /// All known extensions, in lower case and without a dot; the usual one first.
  public var fileExtensions: [String] { facts.extensions }

  /// True if a file stores its pixels uncompressed, row by row.
  var isOfRows: Bool { self == .bmp || self == .ppm || self == .pfm }

  /// The names of all formats in a sentence.
  ///
  /// - Parameter word: stands before the last: `JPEG, PNG or TIFF`.
  package static func names(_ word: String, except left: Set<StillFormat> = []) -> String {
    let names = allCases.filter { !left.contains($0) }.map(\.name)
    return names.dropLast().joined(separator: ", ") + " \(word) \(names[names.count - 1])"
  }

  /// Returns the pixel format for the encoder that preserves most of `source`.
  ///
  /// If it has no alpha and the source has, the caller must compose the image on
  /// a background first. JPEG takes 8-bit gray and RGB; PNG 8 and 16 bits of any layout; WebP and GIF
  /// 8-bit RGB and RGBA (a GIF keeps 256 colors and one bit of alpha); AVIF and HEIC
  /// RGB and RGBA at 8 or 16 bits (the file keeps 12); APNG and JPEG XL as PNG; BMP 8-bit gray, RGB
  /// and RGBA; PPM gray and RGB at 8 or 16 bits; PFM gray and RGB as 32-bit floating point; TIFF
  /// everything.
  public func pixelFormat(preserving source: PixelFormat) -> PixelFormat {
    let deep: PixelFormat.Depth = source.depth == .uint8 ? .uint8 : .uint16
    let colored: PixelFormat.Layout = source.layout == .gray ? .rgb : source.layout
    let opaque: PixelFormat.Layout = source.layout == .gray ? .gray : .rgb
    return switch self {
    case .jpeg: PixelFormat(opaque, .uint8)
    case .webp, .gif: PixelFormat(colored, .uint8)
    case .avif, .heic: PixelFormat(colored, deep)
    case .png, .apng, .jxl: PixelFormat(source.layout, deep)
    case .bmp: PixelFormat(source.layout, .uint8)
    case .ppm: PixelFormat(opaque, deep)
    case .pfm: PixelFormat(opaque, .float32)
    case .tiff: source
    }
  }
}

extension StillFormat {
  /// The longest side that is written in this format, in pixels.
  ///
  /// JPEG: libjpeg stops at 65500, short of the 16 bits of the format. WebP: 14 bits. AVIF and HEIC:
  /// libvips writes more, but libheif reads at most 16384. GIF: 16 bits. PNG:
  /// libpng's default limit. TIFF and the others: one less than libvips' limit of 10 million,
  /// which it writes but does not read.
  public var longestSide: Int {
    switch self {
    case .jpeg: 65500
    case .webp: 16383
    case .avif, .heic: 16384
    case .gif: 65535
    case .png, .apng: 1_000_000
    case .tiff, .jxl, .bmp, .ppm, .pfm: Int(VIPS_MAX_COORD) - 1
    }
  }

  /// The most pixels of a frame that are written in this format; `nil` if only
  /// sides are limited.
  public var mostPixels: Int? {
    switch self {
    // libvips 8.14 hands frames to cgif in numbers of 32 bits, four bytes per pixel.
    case .gif: Int(Int32.max) / 4
    // Offsets of 32 bits; four bytes per pixel, and what stands before them.
    case .bmp: (Int(UInt32.max) - (16 << 20)) / 4
    default: nil
    }
  }

  /// Checks that a file of this format can hold images of a size.
  ///
  /// - Parameters:
  ///   - size: the size of a frame.
  ///   - frames: the number of frames, 1 or more.
  /// - Throws: `EncodeError.tooLarge` with the formats that can, or, for too many pixels in all frames,
  ///   `EncodeError.unsupportedImage`.
  public func checkSize(_ size: Size, frames: Int = 1) throws(EncodeError) {
    guard holds(size) else {
      let others = Self.allCases.filter { $0.holds(size) && (frames == 1 || $0.canAnimate) }
      throw .tooLarge(format: self, size: size, limit: limit(of: size), others: others)
    }
    // libvips sees frames as one high image.
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

/// Names formats the way a sentence does: `JPEG, PNG, TIFF`.
func list(_ formats: [StillFormat]) -> String {
  formats.map(\.name).joined(separator: ", ")
}

extension StillFormat {
  /// Bytes that a format is known by.
  package static let signatureLength = 18

  /// Finds the format that the first bytes of a file announce, `signatureLength` or more; `nil` for what
  /// is not read here.
  ///
  /// Whether the rest is as announced is another question: a broken file is told from one that is
  /// something else.
  package init?(signature bytes: [UInt8]) {
    let starts: [([UInt8], StillFormat)] = [
      ([0xFF, 0xD8, 0xFF], .jpeg), ([0x89, 0x50, 0x4E, 0x47], .png), (Array("GIF8".utf8), .gif),
      (Array("II*\0".utf8), .tiff), (Array("MM\0*".utf8), .tiff),
      // With offsets of 64 bits.
      (Array("II+\0".utf8), .tiff), (Array("MM\0+".utf8), .tiff),
      // Bare, and in boxes.
      ([0xFF, 0x0A], .jxl), ([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 10], .jxl),
    ]
    if let known = starts.first(where: { bytes.starts(with: $0.0) }) {
      // As they are written here: others may have more before it, which takes a longer look.
      let isAnimated = known.1 == .png && bytes.dropFirst(37).starts(with: "acTL".utf8)
      self = isAnimated ? .apng : known.1
      return
    }
    if let rows = Self.ofRows(bytes) {
      self = rows
      return
    }
    let brand = bytes.dropFirst(8).prefix(4)
    if bytes.starts(with: "RIFF".utf8), brand.elementsEqual("WEBP".utf8) {
      self = .webp
      return
    }
    guard bytes.dropFirst(4).starts(with: "ftyp".utf8) else { return nil }
    switch String(decoding: brand, as: UTF8.self) {
    case "avif", "avis": self = .avif
    case "heic", "heix", "mif1", "msf1": self = .heic
    default: return nil
    }
  }

  /// Two letters alone are too few to know a format by.
  private static func ofRows(_ bytes: [UInt8]) -> StillFormat? {
    guard bytes.count >= 3 else { return nil }
    let isSpace = bytes[2] == 32 || (9...13).contains(bytes[2]) || bytes[2] == UInt8(ascii: "#")
    switch String(decoding: bytes.prefix(2), as: UTF8.self) {
    case "P1", "P2", "P3", "P4", "P5", "P6": return isSpace ? .ppm : nil
    case "PF", "Pf": return isSpace ? .pfm : nil
    case "BM":
      // The length of the header that follows: those of Windows and OS/2.
      let known = [12, 16, 40, 52, 56, 64, 108, 124]
      let length = ByteOrder.little.number(bytes, at: 14, bytes: 4) ?? 0
      return known.contains(length) ? .bmp : nil
    default: return nil
    }
  }
}
