internal import CVips
internal import Synchronization

/// Has the C library clear the memory that it gives out, while a decoder works that does not write all of
/// its pictures.
///
/// libde265 leaves parts of a damaged HEIC as memory was, and libheif passes them on as pixels: in a
/// process that lives long, parts of other pictures. glibc can fill what it gives out, for all
/// threads; that is about a tenth of the decoding time.
///
/// It leaves out pieces of 1032 bytes and less that come from the cache which it has for each thread.
/// Planes of pictures of some 64×64 pixels, or of tiles of that size, are as small: half of a damaged
/// picture of 32×32 was other memory. So libde265 is made to take larger ones.
package enum ClearedMemory {
  private struct State {
    /// How many decoders work that memory is cleared for.
    var users = 0
    /// What the C library is told where there are none.
    var idle: Int32 = -1
  }

  private static let state = Mutex(State())
  private static let hasLargePlanes: Void = fg_use_large_planes()

  /// Fills memory with another byte while none is cleared, for tests; `nil` ends that.
  package static func fill(with byte: UInt8?) {
    state.withLock { state in
      state.idle = byte.map { Int32($0) } ?? -1
      if state.users == 0 { fg_fill_new_memory(state.idle) }
    }
  }

  static func during<Value, Failure: Error>(
    _ format: StillFormat, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard format == .heic || format == .avif else { return try body() }
    _ = hasLargePlanes
    state.withLock { state in
      state.users += 1
      if state.users == 1 { fg_fill_new_memory(0) }
    }
    defer {
      state.withLock { state in
        state.users -= 1
        if state.users == 0 { fg_fill_new_memory(state.idle) }
      }
    }
    return try body()
  }
}
