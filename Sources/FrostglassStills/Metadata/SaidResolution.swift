internal import FrostglassCore

/// Whether a file says how large its picture is when printed. Of those that do not, libvips says 72 pixels per
/// inch, which is nobody's word.
enum SaidResolution {
  /// Whether it does outside of EXIF; only of formats of which libvips makes it up is that known.
  ///
  /// - Parameter file: all of it, or the beginning.
  static func isThere(_ format: StillFormat, _ file: some BlockOfBytes) -> Bool {
    switch format {
    case .png, .apng: isThere(png: file)
    case .jpeg: isThere(jpeg: file)
    default: true
    }
  }

  /// A chunk before the picture's data.
  private static func isThere(png file: some BlockOfBytes) -> Bool {
    var isFound = false
    PNGChunk.each(file) { chunk in
      isFound = chunk.kind == "pHYs"
      return !isFound && chunk.kind != "IDAT"
    }
    return isFound
  }

  /// A segment of JFIF, of which the unit may be none: then it is an aspect ratio.
  private static func isThere(jpeg file: some BlockOfBytes) -> Bool {
    FileTexts.segments(file).contains { segment in
      segment.marker == 0xE0 && segment.content.count > 7
        && file[segment.content].starts(with: "JFIF\0".utf8)
        && (1...2).contains(file[segment.content.lowerBound + 7])
    }
  }
}

extension StillMetadata.Resolution {
  /// What libvips says of a file that says nothing: of most formats 1 pixel per millimeter, of JPEG 72 per inch, of
  /// PNG that in whole pixels per meter.
  var mayBeMadeUp: Bool {
    horizontal == vertical && [1, 72 / 25.4, 2.834].contains { abs($0 - horizontal) < 1e-6 }
  }
}
