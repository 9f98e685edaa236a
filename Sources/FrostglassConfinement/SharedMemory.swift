internal import CConfinement
internal import Glibc

/// Memory that two processes have at once, of a size that neither can change.
///
/// Who makes it reads and writes it by calls that fail where something is wrong with it. The other side
/// maps it, for which it needs no more rights than it has; what goes wrong there ends that process alone.
/// Both can change it at any time: what is read of it is copied first and looked at then.
package final class SharedMemory: Sendable {
  package let descriptor: Int32
  /// Bytes in all.
  package let count: Int
  /// Where it is mapped, in the process that was given it.
  private nonisolated(unsafe) let mapping: UnsafeMutableRawPointer?

  /// The system has no such memory.
  package struct NotMade: Error, Sendable {
    /// What `errno` would be.
    package var code: Int32
  }

  /// Makes memory, of which nothing is taken before it is written to.
  ///
  /// - Parameter count: bytes, 1 or more.
  /// - Throws: `NotMade`.
  package init(count: Int) throws(NotMade) {
    let made = fg_shared_memory(count)
    guard made >= 0 else { throw NotMade(code: -made) }
    (descriptor, self.count, mapping) = (made, count, nil)
  }

  /// Maps memory that another process made and gave to this one, and takes over its descriptor.
  ///
  /// - Throws: `NotMade` where the descriptor is something else.
  package init(mapping descriptor: Int32) throws(NotMade) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw NotMade(code: errno) }
    count = Int(status.st_size)
    let place = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let place, place != MAP_FAILED else { throw NotMade(code: errno) }
    (self.descriptor, mapping) = (descriptor, place)
  }

  deinit {
    if let mapping { munmap(mapping, count) }
    close(descriptor)
  }

  /// Writes bytes, as many as there is room for.
  ///
  /// - Returns: whether all of them are there now.
  package func write(_ bytes: [UInt8], at place: Int) -> Bool {
    guard place >= 0, bytes.count <= count - place else { return false }
    return bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return true }
      if let mapping {
        memcpy(mapping + place, start, bytes.count)
        return true
      }
      var done = 0
      while done < bytes.count {
        let written = pwrite(descriptor, start + done, bytes.count - done, place + done)
        guard written > 0 || errno == EINTR else { return false }
        done += max(written, 0)
      }
      return true
    }
  }

  /// A copy of a part; `nil` where it is not within, or cannot be read.
  package func bytes(at place: Int, count wanted: Int) -> [UInt8]? {
    guard place >= 0, wanted >= 0, wanted <= count - place else { return nil }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
      done = 0
      guard let start = buffer.baseAddress else { return }
      if let mapping {
        memcpy(start, mapping + place, wanted)
        done = wanted
      }
      while done < wanted {
        let got = pread(descriptor, start + done, wanted - done, place + done)
        guard got > 0 || (got < 0 && errno == EINTR) else { break }
        done += max(got, 0)
      }
      isWhole = done == wanted
    }
    return isWhole ? bytes : nil
  }

  /// Gives back the pages from a place on; who made it does so.
  package func empty(from place: Int) {
    guard place < count else { return }
    fg_empty_shared_memory(descriptor, place, count - place)
  }
}
