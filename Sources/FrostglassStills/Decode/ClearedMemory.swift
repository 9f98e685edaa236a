internal import CVips
internal import Synchronization

/// Has the C library clear the memory that it gives out, while a decoder works that does not write all of
/// its pictures.
///
/// libde265 leaves parts of a damaged HEIC as memory was, and libheif passes them on as pixels: in a
/// process that lives long, parts of other pictures. glibc can fill what it gives out, for all
/// threads; that is about a tenth of the decoding time. Pieces of 1 KiB and less that
/// come from a thread's cache it leaves as they are, so pictures of a few hundred pixels are not covered.
package enum ClearedMemory {
  private static let users = Mutex(0)

  /// Fills it with another byte, for tests; `nil` ends that. So does whatever clears memory, when it ends.
  package static func fill(with byte: UInt8?) { fg_fill_new_memory(byte.map { Int32($0) } ?? -1) }

  static func during<Value, Failure: Error>(
    _ format: StillFormat, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard format == .heic || format == .avif else { return try body() }
    users.withLock { users in
      users += 1
      if users == 1 { fg_fill_new_memory(0) }
    }
    defer {
      users.withLock { users in
        users -= 1
        if users == 0 { fg_fill_new_memory(-1) }
      }
    }
    return try body()
  }
}
