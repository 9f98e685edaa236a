internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// One texture of fixed size and format, read by `texelFetch` only; or a storage buffer in its place, as programs read
/// and write samples of 8 bits several times as fast as words of memory.
final class GLTexture {
  let name: GLuint
  let size: Size
  let format: TextureFormat
  private let context: GLContext

  var bytes: Int { size.area * format.bytesPerTexel }

  init(_ size: Size, _ format: TextureFormat, in context: GLContext) throws(GLFailure) {
    var name: GLuint = 0
    if format.isBuffer { glGenBuffers(1, &name) } else { glGenTextures(1, &name) }
    self.name = name
    self.size = size
    self.format = format
    self.context = context
    bind()
    if format.isBuffer {
      try allocateBuffer(in: context)
      return
    }
    try context.allocate(.texture(size, format)) {
      // Immutable storage, as image stores refuse any other.
      glTexStorage2D(
        GLenum(GL_TEXTURE_2D), 1, format.sized, GLsizei(size.width), GLsizei(size.height))
    }
    // An integer texture with the default linear filter is incomplete and reads as nothing.
    for parameter in [GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER] {
      glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(parameter), GL_NEAREST)
    }
  }

  deinit {
    context.delete {
      var name = name
      if format.isBuffer { glDeleteBuffers(1, &name) } else { glDeleteTextures(1, &name) }
    }
  }

  /// Makes it what calls that name none go to.
  func bind() {
    if format.isBuffer {
      glBindBuffer(GLenum(GL_SHADER_STORAGE_BUFFER), name)
    } else {
      glBindTexture(GLenum(GL_TEXTURE_2D), name)
    }
  }
}

/// A sized texture format with the client format and type it is transferred in.
struct TextureFormat: Hashable {
  var sized: GLenum
  var client: GLenum
  var type: GLenum
  /// The bytes of a texel on a device. Hardly any device stores three channels without a fourth.
  var bytesPerTexel: Int

  private init(_ sized: Int32, _ client: Int32, _ type: Int32, bytes: Int) {
    self.sized = GLenum(sized)
    self.client = GLenum(client)
    self.type = GLenum(type)
    self.bytesPerTexel = bytes
  }

  static let rgba32f = TextureFormat(GL_RGBA32F, GL_RGBA, GL_FLOAT, bytes: 16)
  static let rgba16f = TextureFormat(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, bytes: 8)
  static let rgba16ui = TextureFormat(GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, bytes: 8)
  static let rgba32ui = TextureFormat(GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, bytes: 16)
  static let rgba8ui = TextureFormat(GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, bytes: 4)
  static let rgba8 = TextureFormat(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, bytes: 4)

  /// A storage buffer with so many samples of 8 bits of each pixel, row after row without gaps.
  static func bytes(_ channels: Int) -> TextureFormat {
    TextureFormat(0, 0, GL_UNSIGNED_BYTE, bytes: channels)
  }

  /// True if it is no texture's, but a storage buffer's.
  var isBuffer: Bool { sized == 0 }

  /// True if texels are float, which not every device draws to.
  var isFloat: Bool { type == GLenum(GL_FLOAT) || type == GLenum(GL_HALF_FLOAT) }

  /// The format an input image is uploaded in, exactly as it lies in memory.
  ///
  /// Integers stay integers: shaders divide them, so that no driver's conversion is involved.
  init(input format: PixelFormat) {
    switch (format.layout, format.depth) {
    case (.gray, .uint8): self.init(GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, bytes: 1)
    case (.rgb, .uint8): self.init(GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE, bytes: 4)
    case (.rgba, .uint8): self = .rgba8ui
    case (.gray, .uint16): self.init(GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, bytes: 2)
    case (.rgb, .uint16): self.init(GL_RGB16UI, GL_RGB_INTEGER, GL_UNSIGNED_SHORT, bytes: 8)
    case (.rgba, .uint16): self.init(GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, bytes: 8)
    case (.gray, .float32): self.init(GL_R32F, GL_RED, GL_FLOAT, bytes: 4)
    case (.rgb, .float32): self.init(GL_RGB32F, GL_RGB, GL_FLOAT, bytes: 16)
    case (.rgba, .float32): self.init(GL_RGBA32F, GL_RGBA, GL_FLOAT, bytes: 16)
    }
  }
}

/// The formats of an image that passes write and read in a texture. It always has four channels: image stores support
/// no three, and few devices draw to them.
struct WorkFormat: Hashable {
  var texture: TextureFormat
  var sample: SampleKind
  var target: TargetKind

  static let float32 = WorkFormat(texture: .rgba32f, sample: .float, target: .float32)
  static let half = WorkFormat(texture: .rgba16f, sample: .float, target: .half)
  static let fixed16 = WorkFormat(texture: .rgba16ui, sample: .fixed16, target: .fixed16)
  static let floatBits = WorkFormat(texture: .rgba32ui, sample: .floatBits, target: .floatBits)
  /// Four samples of 8 bits to a word of a storage buffer.
  static let words = WorkFormat(texture: .bytes(4), sample: .words, target: .words)

  /// True if stored values differ from computed ones.
  var rounds: Bool { self != .float32 && self != .floatBits }

  /// The format of an intermediate image.
  ///
  /// Image stores of float are part of OpenGL ES 3.1; drawing to float is not. Where it is
  /// missing, fixed point goes into integers and everything else into integers that hold the
  /// bits of floats, which can always be drawn to and lose nothing.
  init(precision: Precision, stage: ShaderStage, capabilities: GLCapabilities) {
    let isCompute = stage != .fragment
    switch precision {
    case .half:
      self = isCompute || capabilities.rendersHalf ? .half : .floatBits
    case .fixed16:
      self = isCompute || capabilities.rendersFloat32 ? .float32 : .fixed16
    case .float32:
      self = isCompute || capabilities.rendersFloat32 ? .float32 : .floatBits
    }
  }

  /// The format of a result, which is read back: one whose read-back every device promises.
  ///
  /// - Parameter texture: where it is held in another way than that.
  init(result depth: PixelFormat.Depth, in texture: GLTexture? = nil) {
    switch depth {
    case .uint8 where texture?.format.isBuffer == true: self = .words
    case .uint8: self.init(texture: .rgba8, sample: .unorm8, target: .unorm8)
    case .uint16: self.init(texture: .rgba16ui, sample: .unsigned16, target: .unsigned16)
    case .float32: self = .floatBits
    }
  }

  /// Creates the format that reads and writes texels unchanged, floats as far as programs preserve them; `nil` if no
  /// dispatch can write the texture.
  init?(copying texture: TextureFormat) {
    switch texture {
    case .rgba8: self.init(result: .uint8)
    case .rgba16ui: self.init(result: .uint16)
    case .rgba16f: self = .half
    case .rgba32f: self = .float32
    case .rgba32ui: self = .floatBits
    case .bytes(4): self = .words
    default: return nil
    }
  }

  private init(texture: TextureFormat, sample: SampleKind, target: TargetKind) {
    self.texture = texture
    self.sample = sample
    self.target = target
  }
}

extension SampleKind {
  /// Creates the sample kind of an uploaded input.
  init(input format: PixelFormat, in texture: GLTexture) {
    switch format.depth {
    case .uint8 where texture.format.isBuffer:
      self =
        switch format.layout {
        case .rgba: .words
        case .rgb: .rgbBytes
        case .gray: .grayBytes
        }
    case .uint8: self = .unsigned8
    case .uint16: self = .unsigned16
    case .float32: self = .float
    }
  }
}

extension TextureFormat {
  /// The barriers after a dispatch that stores to the texture, for all that may come next: a fetch, another store, a
  /// read-back or an upload. Each needs a barrier of its own, and textures need others than buffers.
  var barriers: GLbitfield {
    let bits =
      isBuffer
      ? [GL_SHADER_STORAGE_BARRIER_BIT, GL_BUFFER_UPDATE_BARRIER_BIT]
      : [
        GL_TEXTURE_FETCH_BARRIER_BIT, GL_SHADER_IMAGE_ACCESS_BARRIER_BIT,
        GL_FRAMEBUFFER_BARRIER_BIT, GL_TEXTURE_UPDATE_BARRIER_BIT,
      ]
    return bits.reduce(0) { $0 | GLbitfield($1) }
  }
}

/// Bytes of textures and of the storage buffers in their place.
extension GLTexture {
  /// Bytes of a row as it is transferred to a storage buffer.
  private var rowBytes: Int { size.width * format.bytesPerTexel }
  private static let storage = GLenum(GL_SHADER_STORAGE_BUFFER)

  /// Has the device keep bytes for the buffer that is bound. Programs read whole words.
  func allocateBuffer(in context: GLContext) throws(GLFailure) {
    try context.allocate(.texture(size, format)) {
      glBufferData(
        GLTexture.storage, GLsizeiptr((bytes + 3) / 4 * 4), nil, GLenum(GL_DYNAMIC_COPY))
    }
  }

  /// Replaces rows of what is bound by pixels that lie one after another.
  ///
  /// - Parameter pixels: `nil` for the start of the buffer that is bound for uploads.
  func load(_ rows: Range<Int>, from pixels: UnsafeRawPointer?) {
    guard format.isBuffer else {
      return glTexSubImage2D(
        GLenum(GL_TEXTURE_2D), 0, 0, GLint(rows.lowerBound), GLsizei(size.width),
        GLsizei(rows.count), format.client, format.type, pixels)
    }
    let (place, count) = (rows.lowerBound * rowBytes, GLsizeiptr(rows.count * rowBytes))
    if let pixels {
      glBufferSubData(GLTexture.storage, place, count, pixels)
    } else {
      glCopyBufferSubData(GLenum(GL_PIXEL_UNPACK_BUFFER), GLTexture.storage, 0, place, count)
    }
  }

  /// Copies the storage buffer that is bound to the start of the buffer that is bound for read-backs.
  func copyToBuffer() {
    glCopyBufferSubData(
      GLTexture.storage, GLenum(GL_PIXEL_PACK_BUFFER), 0, 0, GLsizeiptr(bytes))
  }

  /// Gives `body` the bytes of the storage buffer that is bound.
  func withBytes(
    in context: GLContext, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(GLFailure) {
    let start =
      context.isToFail(.access)
      ? nil : glMapBufferRange(GLTexture.storage, 0, GLsizeiptr(bytes), GLbitfield(GL_MAP_READ_BIT))
    guard let start else {
      try context.check("access to a result")
      throw .outOfMemory(during: "access to a result of \(bytes) bytes")
    }
    body(UnsafeRawBufferPointer(start: start, count: bytes))
    glUnmapBuffer(GLTexture.storage)
  }
}

/// Copies of parts of textures on the device.
extension PlanRunner {
  /// Returns true if textures of a format can be copied. Without a copy function or a dispatch for the format, it must
  /// be one that can be drawn to.
  func canCopy(_ format: TextureFormat) -> Bool {
    copiesImages || passes.canCopy(format) || !format.isFloat || capabilities.rendersFloat32
  }

  private var copiesImages: Bool {
    capabilities.extensions.contains("GL_EXT_copy_image") && PlanRunner.copyImage != nil
  }

  /// Copies a part of a texture into another of the same format, from column `x` and row `y` on.
  func copy(
    _ part: Rect, of source: GLTexture, to target: GLTexture, x: Int, y: Int
  ) throws(GLFailure) {
    // GPUs' drivers may take long for it: an H200's (580.159.04) took thirteen times as long as a dispatch
    // does. For software renderers it is a few calls of `memcpy`.
    let isDispatched = source.format.isBuffer || !(copiesImages && capabilities.isSoftware)
    let pass = isDispatched ? try passes.copy(part, of: source, to: target, x: x, y: y) : nil
    if pass == nil { try copyByDriver(part, of: source, to: target, x: x, y: y) }
    recorder?.copied(part, of: source, to: target, x: x, y: y, by: pass)
    try context.check("copy of \(part)")
  }

  private func copyByDriver(
    _ part: Rect, of source: GLTexture, to target: GLTexture, x: Int, y: Int
  ) throws(GLFailure) {
    let kind = GLenum(GL_TEXTURE_2D)
    let (width, height) = (GLsizei(part.width), GLsizei(part.height))
    if copiesImages, let copy = PlanRunner.copyImage {
      copy(
        source.name, kind, 0, GLint(part.x), GLint(part.y), 0, target.name, kind, 0, GLint(x),
        GLint(y), 0, width, height, 1)
    } else {
      try passes.attach(source, "copy")
      glBindTexture(kind, target.name)
      glCopyTexSubImage2D(
        kind, 0, GLint(x), GLint(y), GLint(part.x), GLint(part.y), width, height)
    }
  }

  private typealias CopyImage =
    @convention(c) (
      GLuint, GLenum, GLint, GLint, GLint, GLint, GLuint, GLenum, GLint, GLint, GLint, GLint,
      GLsizei, GLsizei, GLsizei
    ) -> Void
  private static let copyImage = EGLClient.function(
    "glCopyImageSubDataEXT", as: CopyImage.self)
}
