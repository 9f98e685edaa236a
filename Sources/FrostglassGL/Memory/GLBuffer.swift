internal import CGLES

/// Memory of the driver's that pixels go through on their way to or from a texture, so that nobody
/// waits for the copy.
final class GLBuffer {
  /// The direction of a transfer.
  enum Direction: Hashable {
    case upload, readBack

    /// The GL target of a transfer's buffer.
    var target: GLenum {
      switch self {
      case .upload: GLenum(GL_PIXEL_UNPACK_BUFFER)
      case .readBack: GLenum(GL_PIXEL_PACK_BUFFER)
      }
    }

    fileprivate var usage: GLenum {
      switch self {
      case .upload: GLenum(GL_STREAM_DRAW)
      case .readBack: GLenum(GL_STREAM_READ)
      }
    }

    // Contents are replaced whole, and only once the last transfer is done.
    fileprivate var access: GLbitfield {
      switch self {
      case .upload:
        GLbitfield(GL_MAP_WRITE_BIT) | GLbitfield(GL_MAP_INVALIDATE_BUFFER_BIT)
          | GLbitfield(GL_MAP_UNSYNCHRONIZED_BIT)
      case .readBack: GLbitfield(GL_MAP_READ_BIT)
      }
    }

    // What is written is there for what is asked after it, and what was read once a fence has passed.
    fileprivate var lastingAccess: GLbitfield {
      GLbitfield(self == .upload ? GL_MAP_WRITE_BIT : GL_MAP_READ_BIT)
        | GLbitfield(GL_MAP_PERSISTENT_BIT_EXT) | GLbitfield(GL_MAP_COHERENT_BIT_EXT)
    }
  }

  private let name: GLuint
  let direction: Direction
  let bytes: Int
  private let context: GLContext
  /// The contents as long as the buffer lives; `nil` where each access asks for them.
  private(set) var memory: UnsafeMutableRawPointer?
  /// The same for other threads, who may find them gone.
  private(set) var shared: SampleMemory?

  /// - Parameter staysMapped: whether it is asked for its contents once and for all, which takes
  ///   `GL_EXT_buffer_storage`.
  init(
    _ bytes: Int, _ direction: Direction, staysMapped: Bool, in context: GLContext
  ) throws(GLFailure) {
    var name: GLuint = 0
    glGenBuffers(1, &name)
    self.name = name
    self.direction = direction
    self.bytes = bytes
    self.context = context
    glBindBuffer(direction.target, name)
    defer { glBindBuffer(direction.target, 0) }
    try context.allocate(.buffer(bytes)) {
      if staysMapped, let store = GLBuffer.store {
        store(direction.target, GLsizeiptr(bytes), nil, direction.lastingAccess)
        memory = glMapBufferRange(
          direction.target, 0, GLsizeiptr(bytes), direction.lastingAccess)
        shared = memory.map {
          SampleMemory(UnsafeMutableRawBufferPointer(start: $0, count: bytes))
        }
      } else {
        glBufferData(direction.target, GLsizeiptr(bytes), nil, direction.usage)
      }
    }
  }

  private typealias Store =
    @convention(c) (GLenum, GLsizeiptr, UnsafeRawPointer?, GLbitfield) -> Void
  private static let store = EGLClient.function("glBufferStorageEXT", as: Store.self)

  deinit {
    // Waits for copying threads.
    shared?.end()
    context.delete {
      var name = name
      glDeleteBuffers(1, &name)
    }
  }

  /// Lets transfers go through this buffer while `body` runs, from or to its start.
  func bound(_ body: () -> Void) {
    glBindBuffer(direction.target, name)
    body()
    glBindBuffer(direction.target, 0)
  }

  /// Gives `body` the first bytes of the buffer. The device must be done with the last transfer.
  ///
  /// - Throws: `GLFailure` where the driver does not give access to them, or has lost them since.
  func mapped(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(GLFailure) {
    let fails = context.isToFail(.access)
    if let memory, !fails {
      return body(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }
    glBindBuffer(direction.target, name)
    defer { glBindBuffer(direction.target, 0) }
    let pointer =
      fails
      ? nil : glMapBufferRange(direction.target, 0, GLsizeiptr(count), direction.access)
    guard let pointer else {
      try context.check("access to a buffer")
      // Room in the process's memory is what mapping takes.
      throw .outOfMemory(during: "access to a buffer of \(bytes) bytes")
    }
    body(UnsafeMutableRawBufferPointer(start: pointer, count: count))
    guard glUnmapBuffer(direction.target) == GL_TRUE else {
      try context.check("access to a buffer")
      throw .gl(
        during: "access to a buffer, whose contents were lost", code: GLenum(GL_NO_ERROR))
    }
  }
}

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
  /// The most bytes of buffers: a quarter of all that images may take.
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

/// A point in the device's work: all that was asked for before it.
final class GLFence {
  /// Nanoseconds that one call waits: one second.
  private static let turn: GLuint64 = 1_000_000_000
  /// After so long it is asked whether the GPU was reset: kernels do that to one that hangs within
  /// some ten seconds, and not every driver ends the waits for it.
  private static let suspicion = Duration.seconds(10)
  /// After so long the device is taken for stuck. What is waited for is one frame: one that takes a
  /// minute is better made anew elsewhere than waited for without end.
  private static let patience = Duration.seconds(60)

  // `nil` where the driver has none, as after the loss of its context: nothing to wait for.
  private let sync: GLsync?
  private let context: GLContext
  private var isPassed = false

  /// Marks what the device has been asked for so far.
  init(in context: GLContext) {
    self.context = context
    sync = glFenceSync(GLenum(GL_SYNC_GPU_COMMANDS_COMPLETE), 0)
  }

  deinit {
    if let sync { context.delete { glDeleteSync(sync) } }
  }

  /// True if the device has reached the fence.
  var isDone: Bool {
    if !isPassed, let sync {
      let state = glClientWaitSync(sync, 0, 0)
      isPassed = state != GLenum(GL_TIMEOUT_EXPIRED)
      return isPassed
    }
    return true
  }

  /// Waits until the device gets there.
  ///
  /// - Throws: `GLFailure.lost` also where it does not get there in a minute.
  func wait(for activity: String = "the device") throws(GLFailure) {
    guard !isPassed, let sync else { return }
    let start = ContinuousClock.now
    // What tests let pass.
    var played = Duration.zero
    while true {
      if context.isToFail(.wait) {
        played += .seconds(1)
      } else {
        let state = glClientWaitSync(sync, GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT), GLFence.turn)
        guard state == GLenum(GL_TIMEOUT_EXPIRED) else {
          isPassed = true
          if state == GLenum(GL_WAIT_FAILED) { try context.check("waiting for \(activity)") }
          return
        }
      }
      let waited = start.duration(to: .now) + played
      if waited >= GLFence.suspicion { try context.confirm("waiting for \(activity)") }
      if waited >= GLFence.patience {
        throw context.markLost("waiting for \(activity), which does not answer")
      }
    }
  }
}

extension GLContext {
  /// Waits until the device has done all that it was asked for. Unlike `glFinish` it ends on a GPU that hangs.
  func finish(_ activity: String) throws(GLFailure) {
    try GLFence(in: self).wait(for: activity)
  }
}
