internal import Frostglass
internal import Glibc

/// A file that holds nothing but samples.
enum RawFile {
  /// Reads a whole file.
  ///
  /// - Parameter count: the bytes it must have.
  /// - Throws: `Failure` with exit code 66 when it cannot be read, 65 when its length differs.
  static func read(_ path: String, count: Int) throws(Failure) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path, ExitCode.noInput) }
    defer { close(file) }
    // One byte more than there should be shows a file that is too long.
    var bytes = [UInt8](repeating: 0, count: count + 1)
    var filled = 0
    while filled < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + filled }, $0.count - filled)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw failure(path, ExitCode.noInput) }
      if got == 0 { break }
      filled += got
    }
    guard filled == count else {
      let length = filled < count ? "\(filled)" : "more"
      throw Failure(
        message: "\(path): it has \(length) bytes; the frame needs \(count)",
        exitCode: ExitCode.badData)
    }
    bytes.removeLast()
    return bytes
  }

  /// Writes a new file.
  ///
  /// - Throws: `Failure` with exit code 73 when it exists or cannot be written.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw failure(path, ExitCode.cannotCreate) }
    defer { close(file) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let failure = failure(path, ExitCode.cannotCreate)
        unlink(path)
        throw failure
      }
      written += count
    }
  }

  private static func failure(_ path: String, _ exitCode: Int32) -> Failure {
    Failure(message: "\(path): \(String(cString: strerror(errno)))", exitCode: exitCode)
  }
}
