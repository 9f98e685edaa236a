internal import CVips
internal import Glibc

/// The SHA-256 digest of a file, so that a record can name exactly what it is about.
public enum FileDigest {
  /// The digest in hexadecimal digits; `nil` for what is no regular file, or cannot be read.
  public static func sha256(of path: String) -> String? {
    var status = stat()
    // A pipe gives its data once.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = fopen(path, "rb")
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

  /// The digest of a source; `nil` unless it is a file.
  public static func sha256(of source: StillSource) -> String? {
    guard case .file(let path) = source else { return nil }
    return sha256(of: path)
  }

  /// The digest of what was written; `nil` unless it is a file.
  public static func sha256(of sink: StillSink) -> String? {
    guard case .file(let path, _) = sink else { return nil }
    return sha256(of: path)
  }
}
