internal import Glibc

/// Where an encoded image goes.
public enum StillSink: Sendable, Hashable {
  /// A file, which appears whole or not at all.
  ///
  /// Symbolic links are followed and stay. A destination that exists and is no regular file, such
  /// as a pipe, is written in place, as are `/dev/stdout` and its kind.
  case file(String, overwrite: Bool)
  /// The process's standard output.
  case standardOutput

  /// Finds what can be found of trouble before any work is done, and changes nothing.
  ///
  /// - Throws: `EncodeError.exists` or `EncodeError.unwritable`.
  public func preflight() throws(EncodeError) {
    if case .file(let path, let overwrite) = self {
      try Destination(path, overwrite: overwrite).check()
    }
  }

  /// A place for large output before it is whole: where the file will be, or for temporary files.
  var spoolFile: SpoolFile? {
    switch self {
    case .file(let path, let overwrite):
      switch try? Destination(path, overwrite: overwrite) {
      case .some(let place) where place.holdsFile: SpoolFile(in: place.folder)
      // Beside a pipe or a device there may be little room, as in /dev.
      default: Self.temporarySpoolFile
      }
    case .standardOutput: Self.temporarySpoolFile
    }
  }

  private static var temporarySpoolFile: SpoolFile? {
    SpoolFile(in: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
  }

  /// Writes bytes that are a whole file.
  ///
  /// - Throws: `EncodeError.exists` or `EncodeError.unwritable`; then nothing was written.
  public func write(_ bytes: [UInt8]) throws(EncodeError) { try write(EncodedBytes(bytes)) }

  func write(_ bytes: EncodedBytes) throws(EncodeError) {
    switch self {
    case .standardOutput:
      if let code = bytes.write(to: STDOUT_FILENO) {
        throw .unwritable(path: "standard output", reason: systemWords(code))
      }
    case .file(let path, let overwrite):
      try Destination(path, overwrite: overwrite).write(bytes)
    }
  }
}
