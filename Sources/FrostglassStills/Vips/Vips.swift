internal import CVips
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// The one start of libvips in a process, paid on the first decode or encode.
enum VipsRuntime {
  /// The reason that libvips did not start; `nil` if it runs. Reading this starts it.
  ///
  /// Loaders that libvips does not trust with hostile input are blocked; results of operations are not
  /// remembered, and warnings stay off standard error.
  static let failure: VipsFailure? = {
    fgk_silence_log()
    guard VipsModules.withoutThem({ vips_init("frostglass") }) == 0 else {
      return VipsFailure.take()
    }
    blockUntrusted()
    vips_cache_set_max(0)
    // Machine code made at run time rounds otherwise than libvips' own, and ends the process where
    // memory may not be made executable: behind SELinux, or a worker's walls.
    vips_vector_set_enabled(0)
    return nil
  }()

  /// All but the loader of JPEG XL, whose files are among those that our fuzzer tries. Modules that are
  /// loaded later bring loaders of their own.
  fileprivate static func blockUntrusted() {
    vips_block_untrusted_set(1)
    vips_operation_block_set("VipsForeignLoadJxl", 0)
    vips_operation_block_set("VipsForeignSaveJxl", 0)
  }

  /// True if it draws texts. libvips must be running when this is first read.
  static let hasText = fgk_has_text() != 0
}

/// Codecs in separate modules of libvips: those of HEIC and AVIF, and of JPEG XL.
///
/// libvips loads all of its modules when it starts, also those for PDF, ImageMagick and slides, which
/// are let near no file here. With the libraries behind them that takes 16 ms, half as long as a small
/// JPEG takes from start to exit. So it starts without, and has these two loaded when they are needed.
///
/// A program that calls libvips itself, and wants the others, starts it before it calls Frostglass.
enum VipsModules {
  /// The folder of the modules; `nil` for a libvips that has all codecs built in.
  private static let folder: String? = {
    guard let library = fgk_library_file().map({ String(cString: $0) }),
      let slash = library.lastIndex(of: "/")
    else { return nil }
    let folder = "\(library[..<slash])/vips-modules-\(vips_version(0)).\(vips_version(1))"
    return access(folder, R_OK) == 0 ? folder : nil
  }()

  /// Starts libvips so that it finds none of its modules, where they can be loaded later.
  fileprivate static func withoutThem(_ start: () -> Int32) -> Int32 {
    // It looks for them in the place that this variable names, which it sets itself if nobody did.
    let variable = "VIPSHOME"
    guard folder != nil, let home = vips_guess_prefix("frostglass", variable) else {
      return start()
    }
    let usual = String(cString: home)
    setenv(variable, "/dev/null", 1)
    defer { setenv(variable, usual, 1) }
    return start()
  }

  /// Has them loaded, once; libvips runs already.
  static func load() { _ = loaded }

  private static let loaded: Void = {
    guard let folder else { return }
    for name in ["vips-heif.so", "vips-jxl.so"] {
      // Without one its formats are unknown, as with a libvips that was built without it.
      _ = g_module_open("\(folder)/\(name)", G_MODULE_BIND_LAZY)
    }
    VipsRuntime.blockUntrusted()
  }()
}

/// The message of libvips about a failed call, reduced to the line that helps a person.
///
/// libvips keeps one error buffer for the process. If several images fail at the same moment, one may get another's
/// message, but each failure is reported for the right image.
package struct VipsFailure: Error {
  package let reason: String

  /// Takes the text out of libvips' error buffer, and leaves the buffer empty.
  static func take() -> VipsFailure {
    guard let text = vips_error_buffer_copy() else { return VipsFailure(log: "") }
    defer { g_free(text) }
    return VipsFailure(log: String(cString: text))
  }

  /// Chooses the first line that names a cause.
  ///
  /// Lines look like `VipsJpeg: Premature end of JPEG file`; the word in front names a C module and
  /// is dropped. Later lines are mostly consequences of the first.
  package init(log: String) {
    let lines = log.split(separator: "\n").map(Self.withoutModule).filter { !$0.isEmpty }
    let cause =
      lines.first { line in !Self.consequences.contains { line.hasPrefix($0) } }
      ?? lines.first
    reason = cause.map { Self.clearer[$0] ?? $0 } ?? "its contents make no sense"
  }

  /// The beginnings of lines about consequences: rows after those that failed, and positions after the end of a
  /// file, where libheif looks for more.
  private static let consequences = ["out of order read", "bad seek"]

  /// Better words for lines that help nobody; libpng's own go to the log alone.
  private static let clearer = [
    "libpng read error": "its PNG data is cut off or fails its checksum"
  ]

  private static func withoutModule(_ line: Substring) -> String {
    var rest = line
    while let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains(" ") {
      rest = rest[rest.index(after: colon)...].drop { $0 == " " }
    }
    return String(rest)
  }
}

/// Has the C library clear the memory that it gives out, while a decoder works that does not write all of
/// its images.
///
/// libde265 leaves parts of a damaged HEIC as memory was, and libheif passes them on as pixels: in a
/// process that lives long, parts of other images. glibc can fill what it gives out, for all
/// threads; that is about a tenth of the decoding time.
///
/// It leaves out pieces of 1032 bytes and less that come from the cache which it has for each thread.
/// Planes of images of some 64×64 pixels, or of tiles of that size, are as small: half of a damaged
/// image of 32×32 was other memory. So libde265 is made to take larger ones.
///
/// All of that is the whole process's, so only programs of ours ask for it, and not the library.
package enum ClearedMemory {
  private struct State {
    var isEnabled = false
    /// The number of decoders at work that memory is cleared for.
    var users = 0
    /// The fill value of the C library while there are none.
    var idle: Int32 = -1
  }

  private static let state = Mutex(State())
  private static let hasLargePlanes: Void = fgk_use_large_planes()

  /// Has memory cleared from now on while images are decoded.
  package static func enable() { state.withLock { $0.isEnabled = true } }

  /// Fills memory with a byte while none is cleared, for encoders that read what they have not written, and for
  /// tests; `nil` ends that.
  package static func fill(with byte: UInt8?) {
    state.withLock { state in
      state.idle = byte.map { Int32($0) } ?? -1
      if state.users == 0 { fgk_fill_new_memory(state.idle) }
    }
  }

  static func during<Value, Failure: Error>(
    _ format: StillFormat, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard format == .heic || format == .avif, state.withLock({ $0.isEnabled }) else {
      return try body()
    }
    _ = hasLargePlanes
    state.withLock { state in
      state.users += 1
      if state.users == 1 { fgk_fill_new_memory(0) }
    }
    defer {
      state.withLock { state in
        state.users -= 1
        if state.users == 0 { fgk_fill_new_memory(state.idle) }
      }
    }
    return try body()
  }
}

/// A libvips image: mostly a recipe whose pixels are computed on demand.
///
/// Every use of `pointer` is inside a method, which keeps the object alive for the C call.
final class VipsImageHandle {
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
  /// True if samples stand in it as numbers, and not packed.
  var isUncoded: Bool { vips_image_get_coding(pointer) == VIPS_CODING_NONE }
  var interpretation: VipsInterpretation { vips_image_guess_interpretation(pointer) }
  /// EXIF orientation, 1…8; 1 where none is given.
  var orientation: Int { Int(vips_image_get_orientation(pointer)) }
  /// Pixels per millimeter.
  var resolution: StillMetadata.Resolution {
    StillMetadata.Resolution(
      horizontal: vips_image_get_xres(pointer), vertical: vips_image_get_yres(pointer))
  }

  /// The image one operation makes of this one.
  func applying(_ operation: Operation) throws(VipsFailure) -> VipsImageHandle {
    var result: UnsafeMutablePointer<VipsImage>?
    guard operation(pointer, &result) == 0, let result else { throw .take() }
    return VipsImageHandle(owning: result)
  }

  /// The same image with all its pixels computed, for operations that read them in another order.
  func inMemory() throws(VipsFailure) -> VipsImageHandle {
    guard let copy = vips_image_copy_memory(pointer) else { throw .take() }
    return VipsImageHandle(owning: copy)
  }

  /// Cancels the computation of this image's pixels, from any thread.
  func cancel() { vips_image_set_kill(pointer, 1) }

  /// Computes all pixels into one array, rows without gaps.
  func pixels() throws(VipsFailure) -> [UInt8] {
    let count = fgk_byte_count(pointer)
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
    guard let owner = fgk_target_contents(made, &start, &count) else { throw .take() }
    return EncodedBytes(UnsafeRawBufferPointer(start: start, count: count), owner: owner)
  }

  /// Runs something that only looks at the C image or changes its fields.
  func withPointer<Result>(_ body: (UnsafeMutablePointer<VipsImage>) -> Result) -> Result {
    body(pointer)
  }
}

/// Metadata is kept by libvips as named fields.
extension VipsImageHandle {
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

extension VipsImageHandle {
  /// Copies an image, for small ones.
  convenience init(copying image: Image) throws(VipsFailure) {
    try self.init(copying: image.packedBytes, size: image.size, format: image.format)
  }

  /// Copies samples that have no gaps between rows.
  convenience init(
    copying samples: [UInt8], size: Size, format: PixelFormat
  ) throws(VipsFailure) {
    let made = samples.withUnsafeBytes { bytes in
      vips_image_new_from_memory_copy(
        bytes.baseAddress, bytes.count, Int32(size.width), Int32(size.height),
        Int32(format.layout.channels), format.bandFormat)
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

/// Reads a libvips image row by row, in the thread that asks.
///
/// libvips ties what it computes with to a thread, so all reading is done by one, unless that lets go
/// of it; what was used goes with the last row, or with this object.
final class VipsRows {
  private let picture: VipsImageHandle
  private var region: UnsafeMutablePointer<VipsRegion>?
  private var rowsRead = 0

  init(of picture: VipsImageHandle) { self.picture = picture }

  deinit { close() }

  /// Computes rows that follow the last ones read, into memory without gaps.
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws(VipsFailure) {
    precondition(rows.lowerBound == rowsRead, "rows are read in order")
    if region == nil { region = picture.withPointer { vips_region_new($0) } }
    guard let region, fgk_read_rows(region, Int32(rows.lowerBound), Int32(rows.count), target) == 0
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

/// Changes to the whole process that restrain decoders. They are for a program to make and not for a library.
package enum DecoderProcess {
  /// Keeps decoders from writing to standard error, and from showing what memory held before; for a program's
  /// beginning, before there are other threads.
  ///
  /// libvips' warnings are its log's, which is silenced as it starts. libjxl has none: it writes to `stderr`
  /// itself, and that variable becomes another stream. A program that links the library sees what it says of
  /// damaged files.
  package static func isolate() {
    fgk_silence_jxl()
    ClearedMemory.enable()
  }
}
