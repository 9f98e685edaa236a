internal import CVips
internal import FrostglassCore

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
  var resolution: Resolution {
    Resolution(
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
