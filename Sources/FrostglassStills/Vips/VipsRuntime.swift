internal import CVips

/// The one start of libvips in a process, paid on the first decode or encode.
enum VipsRuntime {
  /// Why libvips did not start, or `nil` when it runs. Reading this starts it.
  ///
  /// Loaders that libvips does not trust with hostile input are blocked, results of operations are
  /// not remembered, and its warnings stay off standard error.
  static let failure: VipsFailure? = {
    fg_silence_log()
    guard vips_init("frostglass") == 0 else { return VipsFailure.take() }
    vips_block_untrusted_set(1)
    vips_cache_set_max(0)
    return nil
  }()

  /// Whether it draws texts; asked for once it runs.
  static let hasText = fg_has_text() != 0
}
