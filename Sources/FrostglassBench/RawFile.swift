internal import FrostglassBackends
internal import FrostglassCore
internal import Glibc

/// A file that holds nothing but samples.
package enum RawFile {
  /// An error with a raw file.
  package enum Failure: Error, CustomStringConvertible {
    /// It cannot be read; the system's reason.
    case unreadable(String, reason: String)
    /// It has another length than the frame; `nil` is more.
    case length(String, bytes: Int?, needed: Int)
    /// It exists or cannot be written; the system's reason.
    case unwritable(String, reason: String)

    package var description: String {
      switch self {
      case .unreadable(let path, let reason), .unwritable(let path, let reason):
        "\(path): \(reason)"
      case .length(let path, let bytes, let needed):
        "\(path): it has \(bytes.map { "\($0)" } ?? "more") bytes; the frame needs \(needed)"
      }
    }
  }

  /// Reads a whole file.
  ///
  /// - Parameter count: the bytes it must have.
  /// - Throws: `Failure.unreadable` or `.length`.
  package static func read(_ path: String, count: Int) throws(Failure) -> [UInt8] {
    let file = open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(path, reason: reason) }
    defer { close(file) }
    // One byte more than there should be shows a file that is too long.
    var bytes = [UInt8](repeating: 0, count: count + 1)
    var filled = 0
    while filled < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + filled }, $0.count - filled)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .unreadable(path, reason: reason) }
      if got == 0 { break }
      filled += got
    }
    guard filled == count else {
      throw .length(path, bytes: filled < count ? filled : nil, needed: count)
    }
    bytes.removeLast()
    return bytes
  }

  /// Writes a new file.
  ///
  /// - Throws: `Failure.unwritable` when it exists or cannot be written.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let file = open(path.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .unwritable(path, reason: reason) }
    defer { close(file) }
    guard let code = bytes.withUnsafeBytes({ writeAll($0, to: file) }) else { return }
    unlink(path.systemPath)
    throw .unwritable(path, reason: systemWords(code))
  }

  private static var reason: String { systemWords(errno) }
}
