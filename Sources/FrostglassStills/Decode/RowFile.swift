internal import CVips
internal import FrostglassCore

/// A file whose pixels stand in it as they are, row by row: BMP and the PPM family.
///
/// libvips has BMP from ImageMagick alone, and does not trust its own reader of PPM. Both formats are a
/// header and rows, so they are read here: a file that is too short for its header's size is damaged,
/// and nothing is decoded of it.
struct RowFile {
  /// The upright size.
  let size: Size
  /// The pixel format of decoded rows.
  let pixels: PixelFormat
  /// An ICC profile that is embedded.
  var profile: [UInt8]?
  /// The reason why colors are not used, as a predicate.
  var note: String?
  /// Pixels per millimeter, where the file says so.
  var resolution: StillMetadata.Resolution?
  /// Comments in the header.
  var comments: [[UInt8]] = []
  /// Writes a row's samples without gaps; rows come in any order and in any thread, counted from the
  /// top. It is given the whole file.
  let row: (Int, UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void

  /// The reason for not reading a file.
  enum Refusal: Error {
    /// It contradicts itself or ends too soon.
    case damaged(String)
    /// It is of a kind that is not read, in words such as `a BMP with run-length coding`.
    case kind(String)
  }

  /// Reads the header of a file.
  init(_ format: StillFormat, _ file: UnsafeRawBufferPointer) throws(Refusal) {
    self = format == .bmp ? try BitmapFile.read(file) : try PortableFile.read(file)
  }

  init(
    _ size: Size, _ pixels: PixelFormat,
    row: @escaping (Int, UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void
  ) {
    (self.size, self.pixels, self.row) = (size, pixels, row)
  }

  /// Refuses sides that libvips does not count to, and more rows than there are bytes for.
  ///
  /// - Parameters:
  ///   - bits: of a row at least.
  ///   - left: bytes of the file behind the header.
  static func check(_ width: Int, _ height: Int, bits: Int, left: Int) throws(Refusal) {
    let sides = 1..<Int(VIPS_MAX_COORD)
    guard sides.contains(width), sides.contains(height) else {
      throw .damaged("its size makes no sense")
    }
    let (need, overflow) = ((bits + 7) / 8).multipliedReportingOverflow(by: height)
    guard !overflow, need <= left else {
      throw .damaged(
        "its header claims \(width)×\(height) pixels, which \(max(left, 0)) bytes cannot hold")
    }
  }

  /// The image, whose rows are read from the file when they are asked for.
  ///
  /// - Parameter bytes: the file that this was read from.
  func picture(from bytes: ByteSource) throws(VipsFailure) -> VipsPicture {
    guard let file = bytes.withContents({ $0 }) else { throw .take() }
    let picture = try VipsPicture.making(
      size, bands: pixels.layout.channels, pixels.bandFormat, pixels.interpretation
    ) { region in
      // The file stays as long as the image does.
      withExtendedLifetime(bytes) { fill(region, from: file) }
    }
    if let profile { picture.setBlob("icc-profile-data", profile) }
    guard let resolution else { return picture }
    return try picture.applying {
      fg_retag($0, $1, pixels.interpretation, resolution.horizontal, resolution.vertical)
    }
  }

  /// Fills a region, which may be a part of the rows.
  private func fill(
    _ region: UnsafeMutablePointer<VipsRegion>, from file: UnsafeRawBufferPointer
  ) {
    let area = region.pointee.valid
    let pixel = pixels.bytesPerPixel
    if area.left == 0, Int(area.width) == size.width {
      for y in area.top..<area.top + area.height {
        row(Int(y), file, fg_region_row(region, y))
      }
      return
    }
    withUnsafeTemporaryAllocation(byteCount: size.width * pixel, alignment: 16) { whole in
      guard let start = whole.baseAddress else { return }
      for y in area.top..<area.top + area.height {
        row(Int(y), file, start)
        fg_region_place(region, area.left, y)
          .copyMemory(from: start + Int(area.left) * pixel, byteCount: Int(area.width) * pixel)
      }
    }
  }
}

extension RowFile {
  /// Reads the header of what is opened.
  init(_ bytes: ByteSource, name: String) throws(DecodeError) {
    let format = bytes.signature ?? .bmp
    let found = bytes.withContents { file -> Result<RowFile, Refusal>? in
      Result { () throws(Refusal) in try RowFile(format, file) }
    }
    switch found {
    case .success(let file): self = file
    case .failure(.kind(let found)): throw .unsupportedKind(name: name, found: found)
    case .failure(.damaged(let reason)): throw .damaged(name: name, reason: reason)
    case nil: throw .damaged(name: name, reason: "it cannot be read to its end")
    }
  }
}
