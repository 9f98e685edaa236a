internal import CVips
internal import FrostglassCore
internal import Glibc

/// A file about an output, published with it: both appear, or neither.
///
/// Everything slow is done before, so that only names remain to be given. The sidecar's name is on the disk first.
/// If the process is killed or the machine goes down between the two, a sidecar may remain without its output, but
/// never an output without its sidecar. An interruption leaves both or none, unless it comes twice, or one of them
/// goes into a pipe.
package struct Sidecar {
  private let isPrompt: Bool
  private let publish: () throws(EncodeError) -> Void
  private let withdraw: () -> Void
  private let settle: () -> Void

  /// - Parameters:
  ///   - isPrompt: true if it waits for nobody, such as the reader of a pipe.
  ///   - publish: gives it its place; where it throws, all is as it was.
  ///   - withdraw: undoes that, as its output did not come to be.
  ///   - settle: called once both have their places.
  package init(
    isPrompt: Bool = true, publish: @escaping () throws(EncodeError) -> Void,
    withdraw: @escaping () -> Void, settle: @escaping () -> Void = {}
  ) {
    (self.isPrompt, self.publish) = (isPrompt, publish)
    (self.withdraw, self.settle) = (withdraw, settle)
  }

  /// Gives an output its place, and its sidecar before it; what may take long of either was done before.
  ///
  /// - Parameters:
  ///   - sidecar: `nil` where nothing is told.
  ///   - isPrompt: true if the output waits for nobody.
  /// - Throws: what either throws; then neither is there, but for what went into a pipe.
  package static func publish(
    _ sidecar: Sidecar?, isPrompt: Bool, then output: () throws(EncodeError) -> Void
  ) throws(EncodeError) {
    guard let sidecar else { return try output() }
    func both() throws(EncodeError) {
      try sidecar.publish()
      do { try output() } catch {
        sidecar.withdraw()
        throw error
      }
      sidecar.settle()
    }
    guard isPrompt, sidecar.isPrompt else { return try both() }
    try TemporaryFiles.ofProcess.together(both)
  }
}

extension StillSink {
  /// Brings a text as near to its place as can be: a file is on the disk, and has no name yet.
  ///
  /// - Throws: `EncodeError.exists` or `.unwritable`.
  package func sidecar(_ text: String) throws(EncodeError) -> Sidecar {
    let staged = try stage(EncodedBytes(Array(text.utf8)), isDurable: true)
    try staged.prepare()
    guard case .file(let file) = staged else {
      return Sidecar(
        isPrompt: staged.isPrompt, publish: { () throws(EncodeError) in try staged.publish() },
        withdraw: {})
    }
    return Sidecar(
      isPrompt: staged.isPrompt,
      publish: { () throws(EncodeError) in try file.publishForNow() },
      withdraw: { file.withdraw() }, settle: { file.settle() })
  }
}

/// The SHA-256 digest of a file, so that a record can name exactly what it is about.
package enum FileDigest {
  /// The digest in hexadecimal digits; `nil` for what is no regular file, or cannot be read.
  ///
  /// - Parameter version: the state in which the file must be; `nil` takes any.
  package static func sha256(of path: String, in version: FileVersion? = nil) -> String? {
    var status = stat()
    // A pipe gives its data once.
    guard stat(path.systemPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = fopen(path.systemPath, "rb")
    else { return nil }
    defer { fclose(file) }
    guard version == nil || FileVersion(of: fileno(file), path) == version else { return nil }
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

  /// The digest of a source; `nil` of standard input, and of a file that cannot be read or is in another state.
  package static func sha256(
    of source: StillSource, in version: FileVersion? = nil
  ) -> String? {
    switch source {
    case .file(let path): sha256(of: path, in: version)
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
