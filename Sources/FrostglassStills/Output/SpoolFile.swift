internal import Glibc

/// A file without a name for what is too large to be kept in memory; gone with this object.
final class SpoolFile {
  let descriptor: Int32

  /// - Returns: `nil` where the file system has no such files.
  init?(in folder: String) {
    let descriptor = open(
      folder.isEmpty ? "." : folder, openUnnamed | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Writes everything to another descriptor; `nil`, or the error number of the failed call.
  func write(to other: Int32) -> Int32? {
    let portion = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { portion.deallocate() }
    var place = 0
    while true {
      let got = pread(descriptor, portion.baseAddress, portion.count, place)
      if got == 0 { return nil }
      guard got > 0 else { return errno }
      let read = UnsafeRawBufferPointer(start: portion.baseAddress, count: got)
      if let failure = writeAll(read, to: other) { return failure }
      place += got
    }
  }
}
