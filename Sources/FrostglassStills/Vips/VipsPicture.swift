internal import CVips
package import FrostglassCore

/// One libvips image: mostly a recipe whose pixels are computed when they are asked for.
///
/// Every use of `pointer` is inside a method, which keeps the object alive for the C call.
final class VipsPicture {
  typealias Operation = (
    UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>
  ) -> Int32

  private let pointer: UnsafeMutablePointer<VipsImage>

  /// Takes over one reference.
  init(owning pointer: UnsafeMutablePointer<VipsImage>) { self.pointer = pointer }

  deinit { g_object_unref(pointer) }

  var size: Size {
    Size(width: Int(vips_image_get_width(pointer)), height: Int(vips_image_get_height(pointer)))
  }
  var bands: Int { Int(vips_image_get_bands(pointer)) }
  var bandFormat: VipsBandFormat { vips_image_get_format(pointer) }
  var interpretation: VipsInterpretation { vips_image_guess_interpretation(pointer) }
  /// EXIF orientation, 1…8; 1 where none is given.
  var orientation: Int { Int(vips_image_get_orientation(pointer)) }
  /// Pixels per millimeter.
  var resolution: StillMetadata.Resolution {
    StillMetadata.Resolution(
      horizontal: vips_image_get_xres(pointer), vertical: vips_image_get_yres(pointer))
  }

  /// The image one operation makes of this one.
  func applying(_ operation: Operation) throws(VipsFailure) -> VipsPicture {
    var result: UnsafeMutablePointer<VipsImage>?
    guard operation(pointer, &result) == 0, let result else { throw .take() }
    return VipsPicture(owning: result)
  }

  /// The same image with all its pixels computed, for operations that read them in another order.
  func inMemory() throws(VipsFailure) -> VipsPicture {
    guard let copy = vips_image_copy_memory(pointer) else { throw .take() }
    return VipsPicture(owning: copy)
  }

  /// Has whoever computes pixels of this image fail, from any thread.
  func cancel() { vips_image_set_kill(pointer, 1) }

  /// Computes all pixels into one array, rows without gaps.
  func pixels() throws(VipsFailure) -> [UInt8] {
    let count = fg_byte_count(pointer)
    var written = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      written = write(into: UnsafeMutableRawBufferPointer(buffer), count: count)
      initialized = written ? count : 0
    }
    guard written else { throw .take() }
    return bytes
  }

  private func write(into buffer: UnsafeMutableRawBufferPointer, count: Int) -> Bool {
    guard
      let target = vips_image_new_from_memory(
        buffer.baseAddress, count, vips_image_get_width(pointer), vips_image_get_height(pointer),
        vips_image_get_bands(pointer), vips_image_get_format(pointer))
    else { return false }
    defer { g_object_unref(target) }
    return vips_image_write(pointer, target) == 0
  }

  /// Encodes with one of the savers, into memory or an open file.
  func saved(
    to spool: SpoolFile?,
    _ save: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<VipsTarget>) -> Int32
  ) throws(VipsFailure) -> EncodedBytes {
    let made =
      spool.map { vips_target_new_to_descriptor($0.descriptor) } ?? vips_target_new_to_memory()
    guard let made else { throw .take() }
    defer { g_object_unref(made) }
    guard save(pointer, made) == 0 else { throw .take() }
    if let spool { return EncodedBytes(in: spool) }
    var start: UnsafeRawPointer?
    var count = 0
    guard let owner = fg_target_contents(made, &start, &count) else { throw .take() }
    return EncodedBytes(UnsafeRawBufferPointer(start: start, count: count), owner: owner)
  }

  /// Runs something that only looks at the C image or changes its fields.
  func withPointer<Result>(_ body: (UnsafeMutablePointer<VipsImage>) -> Result) -> Result {
    body(pointer)
  }
}

/// Metadata is kept by libvips as named fields.
extension VipsPicture {
  private func hasField(_ name: String) -> Bool {
    withPointer { vips_image_get_typeof($0, name) != 0 }
  }

  /// The bytes of a field, or `nil` where there is no such field or it is empty.
  func blob(_ name: String) -> [UInt8]? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var start: UnsafeRawPointer?
      var count = 0
      guard vips_image_get_blob(image, name, &start, &count) == 0, let start, count > 0 else {
        vips_error_clear()
        return nil
      }
      return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
  }

  /// The text of a field, or `nil` where there is no such field or it is no text.
  func text(_ name: String) -> String? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var text: UnsafePointer<CChar>?
      guard vips_image_get_string(image, name, &text) == 0, let text else {
        vips_error_clear()
        return nil
      }
      return String(cString: text)
    }
  }

  /// The number in a field, or `nil` where there is no such field.
  func number(_ name: String) -> Int? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var value: Int32 = 0
      guard vips_image_get_int(image, name, &value) == 0 else {
        vips_error_clear()
        return nil
      }
      return Int(value)
    }
  }

  /// The numbers in a field, or `nil` where there is no such field.
  func numbers(_ name: String) -> [Int]? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var start: UnsafeMutablePointer<Int32>?
      var count: Int32 = 0
      guard vips_image_get_array_int(image, name, &start, &count) == 0, let start else {
        vips_error_clear()
        return nil
      }
      return UnsafeBufferPointer(start: start, count: Int(count)).map { Int($0) }
    }
  }

  func setNumber(_ name: String, _ value: Int) {
    withPointer { vips_image_set_int($0, name, Int32(clamping: value)) }
  }

  func setNumbers(_ name: String, _ values: [Int]) {
    withPointer { image in
      let numbers = values.map { Int32(clamping: $0) }
      vips_image_set_array_int(image, name, numbers, Int32(numbers.count))
    }
  }

  func setBlob(_ name: String, _ bytes: [UInt8]) {
    withPointer { image in
      bytes.withUnsafeBytes { vips_image_set_blob_copy(image, name, $0.baseAddress, $0.count) }
    }
  }

  /// Computes this image, and those made of it, in one thread.
  ///
  /// With more, libvips 8.14 sometimes loses the error of a decoder on the way between two threads,
  /// and a PNG with a broken checksum comes out well with black stripes: in up to 13 of 20 tries.
  /// Decoders work in one thread anyway.
  func limitToOneThread() {
    withPointer { vips_image_set_int($0, "concurrency", 1) }
  }

  func removeField(_ name: String) {
    _ = withPointer { vips_image_remove($0, name) }
  }
}

extension VipsPicture {
  /// Copies an image, for small ones.
  convenience init(copying image: Image) throws(VipsFailure) {
    let made = image.packedBytes.withUnsafeBytes { bytes in
      vips_image_new_from_memory_copy(
        bytes.baseAddress, bytes.count, Int32(image.size.width), Int32(image.size.height),
        Int32(image.format.layout.channels), image.format.bandFormat)
    }
    guard let made else { throw .take() }
    self.init(owning: made)
  }

  /// Looks at samples that stay where they are; valid only as long as `bytes` is.
  convenience init(
    viewing bytes: UnsafeRawBufferPointer, size: Size, format: PixelFormat
  ) throws(VipsFailure) {
    guard
      let made = vips_image_new_from_memory(
        bytes.baseAddress, bytes.count, Int32(size.width), Int32(size.height),
        Int32(format.layout.channels), format.bandFormat)
    else { throw .take() }
    self.init(owning: made)
  }
}

extension PixelFormat {
  var bandFormat: VipsBandFormat {
    switch depth {
    case .uint8: VIPS_FORMAT_UCHAR
    case .uint16: VIPS_FORMAT_USHORT
    case .float32: VIPS_FORMAT_FLOAT
    }
  }

  /// The meaning libvips' savers expect of these samples.
  var interpretation: VipsInterpretation {
    switch (layout, depth) {
    case (.gray, .uint16): VIPS_INTERPRETATION_GREY16
    case (.gray, _): VIPS_INTERPRETATION_B_W
    case (_, .uint16): VIPS_INTERPRETATION_RGB16
    case (_, .float32): VIPS_INTERPRETATION_scRGB
    case (_, .uint8): VIPS_INTERPRETATION_sRGB
    }
  }
}

extension Image {
  /// The samples without gaps between rows; the image's own bytes where there are none.
  var packedBytes: [UInt8] {
    let rowBytes = size.width * format.bytesPerPixel
    guard bytesPerRow > rowBytes else { return bytes }
    var packed: [UInt8] = []
    packed.reserveCapacity(rowBytes * size.height)
    for y in 0..<size.height {
      packed += bytes[y * bytesPerRow..<y * bytesPerRow + rowBytes]
    }
    return packed
  }
}

/// Reads a libvips image row by row, in the thread that asks.
///
/// libvips ties what it computes with to a thread, so all reading is done by one, unless that lets go
/// of it; what was used goes with the last row, or with this object.
final class VipsRows {
  private let picture: VipsPicture
  private var region: UnsafeMutablePointer<VipsRegion>?
  private var rowsRead = 0

  init(of picture: VipsPicture) { self.picture = picture }

  deinit { close() }

  /// Computes rows that follow the last ones read, into memory without gaps.
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws(VipsFailure) {
    precondition(rows.lowerBound == rowsRead, "rows are read in order")
    if region == nil { region = picture.withPointer { vips_region_new($0) } }
    guard let region, fg_read_rows(region, Int32(rows.lowerBound), Int32(rows.count), target) == 0
    else {
      close()
      throw .take()
    }
    rowsRead = rows.upperBound
    if rowsRead == picture.size.height { close() }
  }

  /// Lets another thread read what follows. What the decoder has in store stays there.
  func leaveThread() { close() }

  private func close() {
    if let region { g_object_unref(region) }
    region = nil
  }
}

extension VipsPicture {
  /// An image whose rows are made, from top to bottom and each once, when a saver asks for them.
  ///
  /// - Returns: the image, and what knows why it failed if it does.
  static func making(_ rows: StillRows) throws(VipsFailure) -> (VipsPicture, RowMaker) {
    let maker = RowMaker(rows)
    let made = fg_new_generated(
      Int32(rows.size.width), Int32(rows.size.height), Int32(rows.format.layout.channels),
      rows.format.bandFormat, makeRows, Unmanaged.passUnretained(maker).toOpaque())
    guard let made else { throw .take() }
    let picture = VipsPicture(owning: made)
    // One thread asks for rows, so they come in order.
    picture.limitToOneThread()
    return (picture, maker)
  }
}

/// Makes rows for libvips. It outlives the image that it makes them for.
final class RowMaker {
  private let rows: StillRows
  private var next = 0
  /// What went wrong.
  private(set) var failure: (any Error)?

  init(_ rows: StillRows) { self.rows = rows }

  /// Fills a region that is as wide as the image.
  fileprivate func fill(_ region: UnsafeMutablePointer<VipsRegion>) -> Bool {
    let area = region.pointee.valid
    guard failure == nil, area.left == 0, Int(area.width) == rows.size.width,
      Int(area.top) == next
    else { return false }
    do {
      for y in area.top..<area.top + area.height {
        try rows.next(UnsafeMutableRawPointer(fg_region_row(region, y)))
      }
      next += Int(area.height)
      return true
    } catch {
      failure = error
      return false
    }
  }
}

/// The function that libvips calls; the maker is its third argument.
private func makeRows(
  _ region: UnsafeMutablePointer<VipsRegion>?, _: UnsafeMutableRawPointer?,
  _ maker: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<gboolean>?
) -> Int32 {
  guard let region, let maker else { return -1 }
  return Unmanaged<RowMaker>.fromOpaque(maker).takeUnretainedValue().fill(region) ? 0 : -1
}

/// A picture that is made row by row while it is encoded.
package struct StillRows {
  package let size: Size
  package let format: PixelFormat
  /// Writes the next row, opaque or with straight alpha, in encoded transfer. Called once per row,
  /// from the top, by another thread than the one that encodes.
  package let next: (UnsafeMutableRawPointer) throws -> Void
  /// Called when all is encoded and written beside its place, and what is told of it too, before it can be
  /// seen there: throws where it is not to be.
  package let finish: () throws -> Void
  /// Called before that with the SHA-256 of the file, where it has one of its own, for what gets its place
  /// with it; throws likewise.
  package var telling: ((_ digest: String?) throws -> Sidecar?)?

  /// Bytes of all rows.
  var byteCount: Int { size.area * format.bytesPerPixel }

  package init(
    size: Size, format: PixelFormat, next: @escaping (UnsafeMutableRawPointer) throws -> Void,
    finish: @escaping () throws -> Void = {}
  ) {
    self.size = size
    self.format = format
    self.next = next
    self.finish = finish
  }
}
