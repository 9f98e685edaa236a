internal import FrostglassCore
internal import Glibc

/// A message between the service and a process that works for it: a short head, and files beside it.
///
/// In bytes, least significant first: the length of the head and the number of parts, 4 bytes each;
/// the length of each part, 8 bytes each; the head; the parts. A length with its highest bit set is that of a part that lies in the
/// memory that both sides share, one such part behind the other from the memory's beginning on.
package struct Message: Sendable, Hashable {
  package var head: [UInt8]
  package var parts: [[UInt8]]

  package init(head: [UInt8], parts: [[UInt8]] = []) {
    self.head = head
    self.parts = parts
  }
}

/// The size limits of a received frame.
package struct FrameLimits: Sendable, Hashable {
  /// Bytes of the head.
  package var head: Int
  /// The number of parts.
  package var parts: Int
  /// Bytes of all parts together.
  package var bytes: Int

  package init(head: Int, parts: Int, bytes: Int) {
    self.head = head
    self.parts = parts
    self.bytes = bytes
  }
}

/// An error in sending or receiving a frame.
package enum FrameError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The other side is gone.
  case ended
  /// It announced a frame that is larger than any may be.
  case tooLarge
  /// The time for it is over.
  case late
  /// The system refused, with this `errno`.
  case failed(Int32)

  package var description: String {
    switch self {
    case .ended: "the other side is gone"
    case .tooLarge: "a frame is larger than allowed"
    case .late: "the time for it is over"
    case .failed(let code): systemWords(code)
    }
  }
}

/// A socket that frames go through, for threads that may wait.
package struct FrameSocket {
  package let descriptor: Int32
  /// The memory for large parts of sent frames; `nil` sends all of them through the socket.
  package var outgoing: SharedMemory?
  /// The memory that holds large parts of received frames.
  package var incoming: SharedMemory?

  package init(
    descriptor: Int32, outgoing: SharedMemory? = nil, incoming: SharedMemory? = nil
  ) {
    self.descriptor = descriptor
    self.outgoing = outgoing
    self.incoming = incoming
  }

  /// Bytes from which on a part is put in shared memory: pages cost more than they save below.
  private static let leastShared = 64 << 10
  private static let sharedBit = UInt64(1) << 63

  /// Gives the memory back that frames went through, but for what the next ones will mostly need. Who made
  /// it calls this while no frame is on its way.
  package func forget() {
    for memory in [outgoing, incoming] { memory?.empty(from: 1 << 20) }
  }

  /// Sends a frame.
  ///
  /// - Parameter deadline: `nil` waits for as long as it takes.
  package func send(_ frame: Message, until deadline: ContinuousClock.Instant? = nil)
    throws(FrameError)
  {
    var start: [UInt8] = []
    start.appendBytes(of: UInt32(frame.head.count))
    start.appendBytes(of: UInt32(frame.parts.count))
    var rest: [[UInt8]] = []
    var place = 0
    for part in frame.parts {
      let isShared =
        part.count >= Self.leastShared && outgoing?.write(part, at: place) == true
      start.appendBytes(of: UInt64(part.count) | (isShared ? Self.sharedBit : 0))
      if isShared { place += part.count } else { rest.append(part) }
    }
    try send(start + frame.head, until: deadline)
    for part in rest { try send(part, until: deadline) }
  }

  /// Takes the next frame.
  ///
  /// What the other side announces is checked before memory is taken for it.
  ///
  /// - Parameter deadline: as for `send`.
  package func receive(
    _ limits: FrameLimits, until deadline: ContinuousClock.Instant? = nil
  ) throws(FrameError) -> Message {
    let start = try receive(8, until: deadline)
    let (head, count) = (Int(start.word(4, at: 0)), Int(start.word(4, at: 4)))
    guard head <= limits.head, count <= limits.parts else { throw .tooLarge }
    let lengths = try receive(8 * count, until: deadline)
    var frame = Message(head: [])
    var left = limits.bytes
    var sizes: [(bytes: Int, isShared: Bool)] = []
    for index in 0..<count {
      let word = lengths.word(8, at: 8 * index)
      let (size, isShared) = (Int(word & ~Self.sharedBit), word & Self.sharedBit != 0)
      guard size <= left else { throw .tooLarge }
      left -= size
      sizes.append((size, isShared))
    }
    frame.head = try receive(head, until: deadline)
    var place = 0
    for (size, isShared) in sizes {
      guard isShared else {
        frame.parts.append(try receive(size, until: deadline))
        continue
      }
      guard let part = incoming?.bytes(at: place, count: size) else { throw .tooLarge }
      place += size
      frame.parts.append(part)
    }
    return frame
  }

  private func send(
    _ bytes: [UInt8], until deadline: ContinuousClock.Instant?
  ) throws(FrameError) {
    var done = 0
    while done < bytes.count {
      let sent = bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        return Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if sent >= 0 { done += sent } else { try wait(for: POLLOUT, until: deadline) }
    }
  }

  private func receive(
    _ count: Int, until deadline: ContinuousClock.Instant?
  ) throws(FrameError) -> [UInt8] {
    var failure: FrameError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      done = 0
      do throws(FrameError) {
        while done < count {
          let rest = UnsafeMutableBufferPointer(rebasing: buffer[done..<count])
          let got = read(descriptor, rest.baseAddress, rest.count)
          guard got != 0 else { throw .ended }
          if got > 0 { done += got } else { try wait(for: POLLIN, until: deadline) }
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// After a call that failed: waits where it would have had to, throws otherwise.
  private func wait(for event: Int32, until deadline: ContinuousClock.Instant?) throws(FrameError) {
    switch errno {
    case EINTR: return
    case EPIPE, ECONNRESET: throw .ended
    case EAGAIN: break
    default: throw .failed(errno)
    }
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    var timeout: Int32 = -1
    if let deadline {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw .late }
      timeout = left.milliseconds
    }
    _ = poll(&entry, 1, timeout)
  }
}

extension Duration {
  /// Whole milliseconds for `poll`, rounded up so that it does not spin; at most an hour, and 0 for
  /// what is over.
  package var milliseconds: Int32 {
    let exact = self / .milliseconds(1)
    return Int32(min(max(exact.rounded(.up), 0), 3_600_000))
  }
}

extension [UInt8] {
  fileprivate mutating func appendBytes<Number: FixedWidthInteger>(of number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// A number without sign.
  fileprivate func word(_ count: Int, at place: Int) -> UInt64 {
    self[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
