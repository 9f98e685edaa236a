internal import CVips
internal import FrostglassCore

/// A TIFF image with the meaning of its samples set right where libvips does not see it.
struct TIFFColor {
  private(set) var picture: VipsPicture
  /// True if it is L*a*b* as floating point, made of samples of 16 bits.
  private(set) var isDeepLab = false
  /// The part of the description that is not used, as a predicate of the file.
  private(set) var note: String?

  /// - Parameters:
  ///   - loaded: as libvips or libtiff gives it.
  ///   - directory: of that image, in its file.
  /// - Throws: `DecodeError.unsupportedKind` for colors that are not read.
  init(of loaded: VipsPicture, _ directory: TIFFDirectory, name: String) throws(DecodeError) {
    picture = loaded
    guard let photometric = directory.number(262) else { return }
    if let words = Self.unread[photometric] { throw .unsupportedKind(name: name, found: words) }
    try mapped({ .damaged(name: name, reason: $0.reason) }, choose(photometric, directory))
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
    picture = try picture.applying(fg_from_icclab)
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
      fg_colors_and($0, $1, Int32(colors), Int32(alpha.map { colors + $0 } ?? -1), meaning)
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
