internal import CGLES
internal import FrostglassCore

/// A sized texture format with the client format and type it is transferred in.
struct TextureFormat: Hashable {
  var sized: GLenum
  var client: GLenum
  var type: GLenum
  /// What a texel takes on a device: hardly one stores three channels without a fourth.
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
  static let rgba8 = TextureFormat(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, bytes: 4)

  /// Whether texels are float, which not every device draws to.
  var isFloat: Bool { type == GLenum(GL_FLOAT) || type == GLenum(GL_HALF_FLOAT) }

  /// The format an input picture is uploaded in, exactly as it lies in memory.
  ///
  /// Integers stay integers: shaders divide them, so that no driver's conversion is involved.
  init(input format: PixelFormat) {
    switch (format.layout, format.depth) {
    case (.gray, .uint8): self.init(GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, bytes: 1)
    case (.rgb, .uint8): self.init(GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE, bytes: 4)
    case (.rgba, .uint8): self.init(GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, bytes: 4)
    case (.gray, .uint16): self.init(GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, bytes: 2)
    case (.rgb, .uint16): self.init(GL_RGB16UI, GL_RGB_INTEGER, GL_UNSIGNED_SHORT, bytes: 8)
    case (.rgba, .uint16): self.init(GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, bytes: 8)
    case (.gray, .float32): self.init(GL_R32F, GL_RED, GL_FLOAT, bytes: 4)
    case (.rgb, .float32): self.init(GL_RGB32F, GL_RGB, GL_FLOAT, bytes: 16)
    case (.rgba, .float32): self.init(GL_RGBA32F, GL_RGBA, GL_FLOAT, bytes: 16)
    }
  }
}
