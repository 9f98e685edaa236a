internal import Glibc

/// A small file of text, read as a whole.
enum TextFile {
  enum Failure: Error {
    case missing
    case unreadable(reason: String)
  }

  /// - Parameter most: mebibytes; a larger file is not what was meant.
  /// - Throws: `Failure` when the file is not there, cannot be read, is too large or not UTF-8.
  static func contents(_ path: String, most mebibytes: Int) throws(Failure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT ? .missing : .unreadable(reason: words(code))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else { throw .unreadable(reason: words(errno)) }
      bytes += buffer[..<count]
      guard bytes.count <= mebibytes << 20 else {
        throw .unreadable(reason: "it is larger than \(mebibytes) MiB")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unreadable(reason: "it is not UTF-8 text")
    }
    return text
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension StillSink {
  /// Writes a text as a whole file.
  ///
  /// - Throws: `FrostglassError.encode`; then nothing was written.
  package func save(_ text: String) throws(FrostglassError) {
    try mapped(FrostglassError.encode, write(Array(text.utf8)))
  }
}
