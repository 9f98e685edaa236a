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
