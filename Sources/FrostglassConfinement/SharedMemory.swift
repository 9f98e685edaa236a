internal import CConfinement
internal import Glibc
internal import Synchronization

/// Memory that two processes have at once, of a size that neither can change.
///
/// Who makes it takes pages before it writes to them, and reads by calls that fail where there are none:
/// nothing that is wrong with the memory ends that process. The other side only maps it, for which it
/// needs no more rights than it has, and ends alone. Both can change it at any time: what is read of it is
/// copied first and looked at then.
package final class SharedMemory: Sendable {
  package let descriptor: Int32
  /// Bytes in all.
  package let count: Int
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  private let isMaker: Bool
  /// Bytes from the beginning on whose pages its maker has taken.
  private let taken = Mutex(0)

  /// Makes memory, of which nothing is taken before it is written to.
  ///
  /// - Parameter count: bytes, 1 or more.
  /// - Throws: `SystemRefusal`.
  package init(count: Int) throws(SystemRefusal) {
    let made = fgk_shared_memory(count)
    guard made >= 0 else { throw SystemRefusal(code: -made) }
    do { start = try Self.map(made, count) } catch {
      close(made)
      throw error
    }
    (descriptor, self.count, isMaker) = (made, count, true)
  }

  /// Maps memory that another process made and gave to this one, and takes over its descriptor.
  ///
  /// - Throws: `SystemRefusal` where the descriptor is something else, which stays open.
  package init(mapping descriptor: Int32) throws(SystemRefusal) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemRefusal(code: errno) }
    count = Int(status.st_size)
    start = try Self.map(descriptor, count)
    (self.descriptor, isMaker) = (descriptor, false)
  }

  private static func map(
    _ descriptor: Int32, _ count: Int
  ) throws(SystemRefusal) -> UnsafeMutableRawPointer {
    let place = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let place, place != MAP_FAILED else { throw SystemRefusal(code: errno) }
    return place
  }

  deinit {
    munmap(start, count)
    close(descriptor)
  }

  /// Writes bytes.
  ///
  /// - Returns: false where there is no room, or no memory; then nothing was written.
  package func write(_ bytes: [UInt8], at place: Int) -> Bool {
    guard place >= 0, bytes.count <= count - place else { return false }
    guard !isMaker || take(place + bytes.count) else { return false }
    bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      memcpy(start + place, first, bytes.count)
    }
    return true
  }

  /// Has all pages be there up to an end: touching one that cannot be had would end the process.
  private func take(_ end: Int) -> Bool {
    taken.withLock { taken in
      guard end > taken else { return true }
      guard fgk_take_shared_memory(descriptor, taken, end - taken) == 0 else { return false }
      taken = end
      return true
    }
  }

  /// A copy of a part; `nil` where it is not within, or cannot be read.
  package func bytes(at place: Int, count wanted: Int) -> [UInt8]? {
    guard place >= 0, wanted >= 0, wanted <= count - place else { return nil }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
      done = 0
      guard let first = buffer.baseAddress else { return }
      if !isMaker {
        memcpy(first, start + place, wanted)
        done = wanted
      }
      while done < wanted {
        let got = pread(descriptor, first + done, wanted - done, place + done)
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
    taken.withLock { $0 = min($0, place) }
    fgk_empty_shared_memory(descriptor, place, count - place)
  }
}

/// Two sockets that are connected with each other, and that no program inherits unless it is given one.
package struct SocketPair: Sendable {
  package let first: Int32
  package let second: Int32

  /// Creates connected byte streams in both directions. The caller closes them.
  ///
  /// - Throws: `SystemRefusal`.
  package init() throws(SystemRefusal) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemRefusal(code: errno) }
    (first, second) = (ends[0], ends[1])
  }
}

/// The system has no memory, no descriptor or no process to give.
package struct SystemRefusal: Error, Sendable {
  /// The number that `errno` has for it.
  package let code: Int32

  /// Creates a refusal with a number of `errno`.
  package init(code: Int32) { self.code = code }
}
