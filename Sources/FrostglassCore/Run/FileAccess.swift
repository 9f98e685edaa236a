internal import Glibc

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

/// The names of what is in a folder, in no order; none where it cannot be read.
package func namesOfFiles(in folder: String) -> [String] {
  guard let directory = opendir(folder) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}
