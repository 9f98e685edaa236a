internal import CGLES
public import FrostglassCore
internal import Glibc
internal import Synchronization

/// Memory for an image's samples that the caller fills on a thread of its own, and that the device
/// fetches from: what `GLBackend.uploadMemory(for:)` gives.
///
/// Where the driver has `GL_EXT_buffer_storage` it is the driver's own memory, mapped for as long as
/// it lives, and no thread copies samples on their way. Else, and on software renderers, it is the
/// process's memory; what it is filled with is the same. With two or three in turn, one is filled
/// while the device reads another. It keeps its backend alive.
public final class GLUploadMemory: Sendable {
  /// The format of the samples, and the input that plans have to be made for to take them.
  public let input: Plan.Input
  /// Bytes of a row; the next one follows without a gap.
  public var bytesPerRow: Int { input.size.width * input.format.bytesPerPixel }
  /// True if it is the driver's memory, which the device fetches from directly.
  public let isMapped: Bool
  let backend: GLBackend
  let id: Int
  private let samples: SampleMemory
  private let released: ReleasedImages

  init(
    _ input: Plan.Input, isMapped: Bool, _ samples: SampleMemory, id: Int,
    of released: ReleasedImages, on backend: GLBackend
  ) {
    self.input = input
    self.isMapped = isMapped
    self.samples = samples
    self.id = id
    self.released = released
    self.backend = backend
  }

  deinit {
    guard released.add(id) else { return }
    // The next call frees it anyway; there may be none.
    Task.detached { [backend] in await backend.freeReleasedImages() }
  }

  /// Gives `body` the samples to write, row 0 first; the first time they may be anything.
  ///
  /// Works in any thread, without waiting for the backend's. What is there counts when it is
  /// uploaded, which waits for `body`. Write whole rows in order, and read nothing: the driver's
  /// memory may be slow to read.
  ///
  /// - Throws: `BackendError.unsupported` as long as the device may read what was uploaded last, see
  ///   `GLBackend.waitUntilRead(_:)`; where `body` calls it for the memory that it is filling; and
  ///   where the memory went with a context that was lost.
  public func fill(
    _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(BackendError) {
    switch samples.fill(body) {
    case .filled: break
    case .isRead:
      throw .unsupported(
        backend: backend.name, what: "the device still reads the memory; wait until it has")
    case .isFilled:
      throw .unsupported(
        backend: backend.name, what: "the memory is being filled by the call that this one is in")
    case .isGone: throw GLUploadMemory.lost(backend.name)
    }
  }

  static func lost(_ backend: String) -> BackendError {
    .unsupported(
      backend: backend, what: "the memory was lost with its context; ask for it again")
  }

  func belongs(to pictures: ResidentImages) -> Bool { released === pictures.released }
}

/// Frames that callers write to the memory that the device reads.
extension GLBackend {
  /// Memory for images of one size and format.
  ///
  /// - Throws: `BackendError.unsupported` where such an image exceeds the texture size or the byte
  ///   limit, and `.broken` where the driver has no memory.
  public func uploadMemory(for input: Plan.Input) throws(BackendError) -> GLUploadMemory {
    try revive()
    guard let pictures = session?.pictures else { throw hopeless }
    pictures.freeReleased()
    let (id, memory) = try mapped(replaceSession, pictures.addUploadMemory(input))
    return GLUploadMemory(
      input, isMapped: memory.isMapped, memory.samples, id: id, of: pictures.released, on: self)
  }

  /// Brings what the memory was filled with to the device and keeps it there.
  ///
  /// Returns once the device has been asked; until it has read them, the samples are not to be
  /// written, see `waitUntilRead(_:)`.
  ///
  /// - Throws: as `upload(_:)` of an image; `BackendError.unsupported` also for memory of another
  ///   backend, or of a context that was lost.
  public func upload(_ memory: GLUploadMemory) throws(BackendError) -> GLImage {
    let source = try source(memory)
    return try keep { pictures throws(GLFailure) in
      [try pictures.upload(memory.input, from: source)]
    }[0]
  }

  /// Returns when the device has read what was uploaded last, so that the memory may be filled again.
  ///
  /// - Throws: `BackendError.unsupported` as `upload(_:)`; `.broken` where the device was lost.
  public func waitUntilRead(_ memory: GLUploadMemory) throws(BackendError) {
    let source = try source(memory)
    try mapped(replaceSession, source.wait())
  }

  private func source(_ memory: GLUploadMemory) throws(BackendError) -> UploadSource {
    guard memory.backend === self else {
      throw .unsupported(backend: name, what: "the memory is of another backend")
    }
    guard let pictures = session?.pictures else { throw hopeless }
    guard memory.belongs(to: pictures), let source = pictures.uploadMemory(memory.id) else {
      throw GLUploadMemory.lost(name)
    }
    return source
  }
}

/// The memory of samples, for as long as it exists: the driver's memory is freed with its context.
final class SampleMemory: Sendable {
  enum Outcome {
    case filled, isFilled, isRead, isGone
  }

  private enum State {
    case open, isRead, isGone
  }

  // Touched by nobody who has not found it open.
  private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
  private let state = Mutex(State.open)
  /// The thread that fills it: it would wait for itself.
  private let filler = Mutex<pthread_t?>(nil)

  init(_ bytes: UnsafeMutableRawBufferPointer) {
    self.bytes = bytes
  }

  func fill(_ body: (UnsafeMutableRawBufferPointer) -> Void) -> Outcome {
    let thread = pthread_self()
    guard filler.withLock({ $0 != thread }) else { return .isFilled }
    return state.withLock { state in
      switch state {
      case .open:
        filler.withLock { $0 = thread }
        body(bytes)
        filler.withLock { $0 = nil }
        return .filled
      case .isRead: return .isRead
      case .isGone: return .isGone
      }
    }
  }

  /// Gives `body` the samples, whoever else looks at them.
  ///
  /// - Returns: false where they are gone.
  func read(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
    state.withLock { state in
      guard state != .isGone else { return false }
      body(UnsafeRawBufferPointer(bytes))
      return true
    }
  }

  /// Lets nobody write until `open`; waits for who does.
  func close() { state.withLock { $0 = .isRead } }

  func open() { state.withLock { $0 = .open } }

  /// Lets nobody write any more; waits for who does.
  func end() { state.withLock { $0 = .isGone } }
}

/// Upload memory where its context is current: the driver's, or the process's.
final class UploadSource {
  let samples: SampleMemory
  var isMapped: Bool { buffer != nil }
  private let bytes: UnsafeMutableRawBufferPointer
  private let buffer: GLBuffer?
  private let reserved: Int
  private let ledger: MemoryLedger
  private let context: GLContext
  /// Until then the device may read.
  private var fence: GLFence?

  init(
    _ count: Int, staysMapped: Bool, in context: GLContext, _ ledger: MemoryLedger
  ) throws(GLFailure) {
    var mapped: (GLBuffer, UnsafeMutableRawPointer)?
    if staysMapped {
      try ledger.reserve(count, for: "memory to upload from")
      do throws(GLFailure) {
        let buffer = try GLBuffer(count, .upload, staysMapped: true, in: context)
        mapped = buffer.memory.map { (buffer, $0) }
      } catch {
        ledger.release(count)
        throw error
      }
      if mapped == nil { ledger.release(count) }
    }
    buffer = mapped?.0
    reserved = mapped == nil ? 0 : count
    if let mapped {
      bytes = UnsafeMutableRawBufferPointer(start: mapped.1, count: count)
    } else {
      bytes = .allocate(byteCount: count, alignment: 64)
    }
    self.ledger = ledger
    self.context = context
    samples = SampleMemory(bytes)
  }

  deinit {
    samples.end()
    if buffer == nil { bytes.deallocate() }
    ledger.release(reserved)
  }

  /// Copies all samples into a texture, by the device where the memory is the driver's.
  func load(_ texture: GLTexture) throws(GLFailure) {
    samples.close()
    defer { if fence == nil { samples.open() } }
    texture.bind()
    let rows = 0..<texture.size.height
    if let buffer {
      buffer.bound { texture.load(rows, from: nil) }
    } else {
      texture.load(rows, from: bytes.baseAddress)
    }
    try context.check("upload of \(texture.size)")
    if buffer != nil { fence = GLFence(in: context) }
  }

  /// Waits until the device has read the samples.
  func wait() throws(GLFailure) {
    try fence?.wait()
    fence = nil
    samples.open()
  }
}
