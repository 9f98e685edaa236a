internal import CVips
internal import FrostglassCore
internal import Glibc

/// The SHA-256 digest of a file, so that a record can name exactly what it is about.
package enum FileDigest {
  /// The digest in hexadecimal digits; `nil` for what is no regular file, or cannot be read.
  package static func sha256(of path: String) -> String? {
    var status = stat()
    // A pipe gives its data once.
    guard stat(path.systemPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = fopen(path.systemPath, "rb")
    else { return nil }
    defer { fclose(file) }
    guard let checksum = g_checksum_new(G_CHECKSUM_SHA256) else { return nil }
    defer { g_checksum_free(checksum) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      g_checksum_update(checksum, buffer, count)
    }
    guard ferror(file) == 0 else { return nil }
    return g_checksum_get_string(checksum).map { String(cString: $0) }
  }

  /// The digest of bytes in memory, in hexadecimal digits.
  package static func sha256(of bytes: [UInt8]) -> String {
    guard
      let text = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, numericCast(bytes.count))
    else { preconditionFailure("GLib knows SHA-256") }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// The digest of a source; `nil` of standard input, and of a file that cannot be read.
  package static func sha256(of source: StillSource) -> String? {
    switch source {
    case .file(let path): sha256(of: path)
    case .bytes(let bytes): sha256(of: bytes)
    case .standardInput: nil
    }
  }

  /// The digest of what was written; `nil` of standard output, and where nothing was.
  package static func sha256(of sink: StillSink) -> String? {
    switch sink {
    case .file(let path, _): sha256(of: path)
    case .memory(let file): file.bytes.map { sha256(of: $0) }
    case .standardOutput: nil
    }
  }
}
