internal import CVips

/// What decoders write to standard error of their own accord.
///
/// libvips' warnings are its log's, which is silenced as it starts. libjxl has none: it writes to `stderr`
/// itself. That variable is the whole process's, so only programs of ours replace it, and not the library:
/// a program that links it sees what libjxl says of damaged files.
package enum DecoderNoise {
  /// Keeps it off standard error; for a program's beginning, before there are other threads.
  package static func silence() { fg_silence_jxl() }
}
