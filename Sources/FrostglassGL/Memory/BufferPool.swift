/// Lends buffers, keeps returned ones for the next frames, and counts bytes.
final class BufferPool {
  private struct Idle {
    var buffer: GLBuffer
    /// Until then the device may still be at the last transfer.
    var fence: GLFence
    /// The number of the loan at which it was last used.
    var loan: Int
  }

  /// Loans after which a buffer that nobody wanted is freed.
  private static let idleLoans = 64
  /// Sizes are rounded up to so many bytes, so that frames of nearly one size share buffers.
  private static let step = 1 << 16

  private let context: GLContext
  /// The most bytes of buffers: a quarter of all that pictures may take.
  let ceiling: Int
  private let ledger: MemoryLedger
  /// True if buffers stay mapped instead of being mapped for each frame.
  let staysMapped: Bool
  private var idle: [Idle] = []
  private var loans = 0
  /// Until then nothing is lent.
  private var firstLoan = 0
  /// Bytes of all buffers, those kept for later included.
  private var heldBytes = 0

  init(context: GLContext, ledger: MemoryLedger, staysMapped: Bool) {
    self.context = context
    self.ledger = ledger
    self.staysMapped = staysMapped
    ceiling = ledger.ceiling / 4
    ledger.whenShort { [weak self] in self?.trim() }
  }

  deinit {
    ledger.release(heldBytes)
  }

  /// Lends a buffer that the device is done with.
  ///
  /// - Returns: `nil` where there is no memory for one or none is to be had; pixels then go without.
  func lend(_ bytes: Int, _ direction: GLBuffer.Direction) throws(GLFailure) -> GLBuffer? {
    loans += 1
    guard loans >= firstLoan else { return nil }
    free { $0.loan + BufferPool.idleLoans <= loans }
    let size = (bytes + BufferPool.step - 1) / BufferPool.step * BufferPool.step
    if let ready = index(size, direction, where: \.fence.isDone) {
      return idle.remove(at: ready).buffer
    }
    if heldBytes + size > ceiling {
      // Rather the wait for one than none.
      if let busy = index(size, direction, where: { _ in true }) {
        let kept = idle.remove(at: busy)
        try kept.fence.wait()
        return kept.buffer
      }
      trim()
    }
    guard heldBytes + size <= ceiling, let buffer = make(size, direction) else { return nil }
    heldBytes += size
    return buffer
  }

  private func make(_ size: Int, _ direction: GLBuffer.Direction) -> GLBuffer? {
    guard (try? ledger.reserve(size, for: "a buffer")) != nil else { return nil }
    let buffer = try? GLBuffer(size, direction, staysMapped: staysMapped, in: context)
    if let buffer { return buffer }
    ledger.release(size)
    return nil
  }

  /// Takes a buffer back once the last transfer through it has been asked for.
  func takeBack(_ buffer: GLBuffer) {
    idle.append(Idle(buffer: buffer, fence: GLFence(in: context), loan: loans))
  }

  /// Lends nothing for a while, as a driver has refused access to a buffer.
  func rest() {
    trim()
    firstLoan = loans + BufferPool.idleLoans
  }

  /// Frees every buffer that is not lent.
  func trim() {
    free { _ in true }
  }

  /// A kept buffer that is neither too small nor much too large.
  private func index(
    _ size: Int, _ direction: GLBuffer.Direction, where suits: (Idle) -> Bool
  ) -> Int? {
    idle.firstIndex {
      $0.buffer.direction == direction && $0.buffer.bytes >= size
        && $0.buffer.bytes <= 2 * size && suits($0)
    }
  }

  private func free(where isUnwanted: (Idle) -> Bool) {
    for kept in idle where isUnwanted(kept) {
      heldBytes -= kept.buffer.bytes
      ledger.release(kept.buffer.bytes)
    }
    idle.removeAll(where: isUnwanted)
  }
}
