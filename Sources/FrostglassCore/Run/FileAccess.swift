internal import Glibc

/// The system's words for an error number, such as `No space left on device`.
package func systemWords(_ code: Int32) -> String {
  guard let words = strerror(code) else { return "error \(code)" }
  return String(cString: words)
}

/// Writes all bytes to a descriptor; `nil`, or the error number of the call that failed.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written > 0 {
      rest = rest.dropFirst(written)
    } else if written == 0 {
      return EIO
    } else if errno == EAGAIN {
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = Glibc.poll(&poll, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return nil
}

/// Why the bytes of a file cannot be had.
package enum FileReadFailure: Error, Sendable, Hashable {
  /// The error number of the call that failed.
  case system(Int32)
  case tooLarge

  /// What is wrong, for the end of a message.
  package var words: String {
    switch self {
    case .system(let code): systemWords(code)
    case .tooLarge: "it is too large"
    }
  }
}

/// The bytes of a file.
///
/// - Parameters:
///   - path: as `String.systemPath` has it.
///   - most: bytes; a larger file is not what was meant.
package func bytesOfFile(
  _ path: String, most: Int = .max
) throws(FileReadFailure) -> [UInt8] {
  let descriptor = open(path.systemPath, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system(errno) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count == 0 { return bytes }
    guard count > 0 else {
      guard errno == EINTR else { throw .system(errno) }
      continue
    }
    guard count <= most - bytes.count else { throw .tooLarge }
    bytes += buffer[..<count]
  }
}

/// The names of what is in a folder, in the order of their bytes.
///
/// - Parameter folder: as `String.systemPath` has it; empty for the current one.
/// - Throws: `FileReadFailure.system`, where not all of them can be had.
package func namesOfFiles(in folder: String) throws(FileReadFailure) -> [String] {
  guard let directory = opendir((folder.isEmpty ? "." : folder).systemPath) else {
    throw .system(errno)
  }
  defer { closedir(directory) }
  // A name's bytes are made once, not for every comparison.
  var names: [(bytes: [UInt8], name: String)] = []
  // The end and an error look the same but for this.
  errno = 0
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(systemPath: $0) }
    }
    if name != ".", name != ".." { names.append((name.systemBytes, name)) }
    errno = 0
  }
  guard errno == 0 else { throw .system(errno) }
  return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { $0.name }
}
