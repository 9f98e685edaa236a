internal import CVips
internal import FrostglassCore

/// A turn that makes a stored image upright: one of eight.
struct Orientation: Hashable {
  /// 1…8, as EXIF and TIFF number them; 1 is upright.
  let number: Int

  /// Takes 1 for whatever is none of the eight.
  init(_ number: Int) { self.number = (1...8).contains(number) ? number : 1 }

  /// True if width and height change places.
  var isTransposed: Bool { number >= 5 }

  /// True if nothing is turned or mirrored.
  var isUpright: Bool { number == 1 }

  /// The upright place of a point of the stored image, in fractions of its sides.
  func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    turned(x, y, 1 - x, 1 - y)
  }

  /// The upright place of a pixel.
  ///
  /// - Parameter size: the stored image's.
  func pixel(_ x: Int, _ y: Int, in size: Size) -> (x: Int, y: Int) {
    turned(x, y, size.width - 1 - x, size.height - 1 - y)
  }

  /// Chooses among the distances from the left, the top, the right and the bottom.
  private func turned<Number>(
    _ left: Number, _ top: Number, _ right: Number, _ bottom: Number
  ) -> (x: Number, y: Number) {
    switch number {
    case 2: (right, top)
    case 3: (right, bottom)
    case 4: (left, bottom)
    case 5: (top, left)
    case 6: (bottom, left)
    case 7: (bottom, right)
    case 8: (top, right)
    default: (left, top)
    }
  }
}

extension OpenStill {
  /// The orientation that a file asks for, from all the places that can say so.
  ///
  /// EXIF counts more than XMP, as everywhere. Of HEIC, AVIF and JPEG XL libvips gives the image as
  /// their own boxes turn it, which both have to be ignored for; of GIF no reader turns anything.
  ///
  /// - Parameters:
  ///   - picture: with the fields that libvips found.
  ///   - texts: the texts and tags that libvips does not read.
  ///   - tiff: the pages of a TIFF.
  static func orientation(
    of picture: VipsImageHandle, _ texts: FileTexts?, _ format: StillFormat, _ tiff: TIFFPages?
  ) -> Orientation {
    if let said = tiff?.orientation { return Orientation(said) }
    if picture.orientation > 1 { return Orientation(picture.orientation) }
    guard [.jpeg, .png, .apng, .webp, .tiff].contains(format) else { return Orientation(1) }
    let block = picture.blob("exif-data").flatMap { ExifBlock($0) }
    let packet = picture.blob("xmp-data") ?? texts?.xmp
    return Orientation(
      block?.orientation ?? texts?.exif?.orientation ?? packet.flatMap { XMP.orientation(of: $0) }
        ?? 1)
  }
}

extension OpenStill {
  /// Returns a remark on an orientation in the EXIF or XMP of a HEIC, AVIF or JPEG XL whose own boxes turn nothing.
  /// It is neither applied nor kept, as other formats would apply it.
  static func ignoredOrientation(
    of picture: VipsImageHandle, _ texts: FileTexts?, _ format: StillFormat, _ bytes: ByteSource
  ) -> String? {
    guard [.heic, .avif, .jxl].contains(format) else { return nil }
    let block = picture.blob("exif-data").flatMap { ExifBlock($0) }
    let packet = picture.blob("xmp-data") ?? texts?.xmp
    // EXIF that says 1 does not speak for XMP that says something else.
    let said = [
      block?.orientation, texts?.exif?.orientation, packet.flatMap { XMP.orientation(of: $0) },
    ].compactMap { $0 }.first { $0 > 1 }
    let isTurned = bytes.withContents {
      format == .jxl ? JPEGXLHeader($0)?.isTurned : HEIFColor($0).isTurned
    }
    guard let said, isTurned != true else { return nil }
    return
      "has orientation \(said) in its metadata alone, where its format does not count; it is dropped"
  }
}

extension VipsImageHandle {
  /// Says how the image is to be turned upright.
  func setOrientation(_ orientation: Orientation) {
    if orientation.number != self.orientation { setNumber("orientation", orientation.number) }
  }

  /// Turns every one of the frames that it holds below each other upright.
  ///
  /// Turning reads columns, so the image is decoded whole before it.
  func upright(frames: Int) throws(VipsFailure) -> VipsImageHandle {
    guard orientation > 1 else { return self }
    let whole = try inMemory()
    guard frames > 1 else { return try whole.applying(fgk_upright) }
    return try whole.applying { fgk_upright_frames($0, $1, Int32(frames)) }
  }
}
