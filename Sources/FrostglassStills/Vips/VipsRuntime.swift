internal import CVips
internal import Glibc
internal import Synchronization

/// The one start of libvips in a process, paid on the first decode or encode.
enum VipsRuntime {
  /// Why libvips did not start, or `nil` when it runs. Reading this starts it.
  ///
  /// Loaders that libvips does not trust with hostile input are blocked; results of operations are not
  /// remembered, and warnings stay off standard error.
  static let failure: VipsFailure? = {
    fg_silence_log()
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

  /// Whether it draws texts; asked for once it runs.
  static let hasText = fg_has_text() != 0
}

/// Codecs that libvips keeps in modules beside it: those of HEIC and AVIF, and of JPEG XL.
///
/// libvips loads all of its modules when it starts, also those for PDF, ImageMagick and slides, which
/// are let near no file here. With the libraries behind them that takes 16 ms, half as long as a small
/// JPEG takes from start to exit. So it starts without, and has these two loaded when they are needed.
///
/// A program that calls libvips itself, and wants the others, starts it before it calls Frostglass.
enum VipsModules {
  /// Where they are; `nil` for a libvips that has all codecs in itself.
  private static let folder: String? = {
    guard let library = fg_library_file().map({ String(cString: $0) }),
      let slash = library.lastIndex(of: "/")
    else { return nil }
    let folder = "\(library[..<slash])/vips-modules-\(vips_version(0)).\(vips_version(1))"
    return access(folder, R_OK) == 0 ? folder : nil
  }()

  /// Starts libvips so that it finds none of its modules, where they can be loaded later.
  static func withoutThem(_ start: () -> Int32) -> Int32 {
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

/// What libvips said when a call failed, cut down to the line that helps a person.
///
/// libvips keeps one error buffer for the process: where several images fail in the same moment, the
/// words of one can reach the other. That something failed is always the right image's own result.
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
    let cause = lines.first { !$0.hasPrefix("out of order read") } ?? lines.first
    reason = cause.map { Self.clearer[$0] ?? $0 } ?? "its contents make no sense"
  }

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
/// its pictures.
///
/// libde265 leaves parts of a damaged HEIC as memory was, and libheif passes them on as pixels: in a
/// process that lives long, parts of other pictures. glibc can fill what it gives out, for all
/// threads; that is about a tenth of the decoding time.
///
/// It leaves out pieces of 1032 bytes and less that come from the cache which it has for each thread.
/// Planes of pictures of some 64×64 pixels, or of tiles of that size, are as small: half of a damaged
/// picture of 32×32 was other memory. So libde265 is made to take larger ones.
package enum ClearedMemory {
  private struct State {
    /// How many decoders work that memory is cleared for.
    var users = 0
    /// What the C library is told where there are none.
    var idle: Int32 = -1
  }

  private static let state = Mutex(State())
  private static let hasLargePlanes: Void = fg_use_large_planes()

  /// Fills memory with another byte while none is cleared, for tests; `nil` ends that.
  package static func fill(with byte: UInt8?) {
    state.withLock { state in
      state.idle = byte.map { Int32($0) } ?? -1
      if state.users == 0 { fg_fill_new_memory(state.idle) }
    }
  }

  static func during<Value, Failure: Error>(
    _ format: StillFormat, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard format == .heic || format == .avif else { return try body() }
    _ = hasLargePlanes
    state.withLock { state in
      state.users += 1
      if state.users == 1 { fg_fill_new_memory(0) }
    }
    defer {
      state.withLock { state in
        state.users -= 1
        if state.users == 0 { fg_fill_new_memory(state.idle) }
      }
    }
    return try body()
  }
}
