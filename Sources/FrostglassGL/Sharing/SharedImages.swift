internal import CGLES
internal import FrostglassCore

/// Textures as images of EGL, which contexts, devices and processes share.
struct SharedImages {
  private typealias Create =
    @convention(c) (EGLDisplay?, EGLContext?, EGLenum, EGLClientBuffer?, UnsafePointer<EGLint>?)
    -> EGLImageKHR?
  private typealias Destroy = @convention(c) (EGLDisplay?, EGLImageKHR?) -> EGLBoolean
  private typealias Target = @convention(c) (GLenum, EGLImageKHR?) -> Void

  let context: GLContext
  private let glExtensions: Set<String>

  init(_ context: GLContext, _ capabilities: GLCapabilities) {
    self.context = context
    glExtensions = capabilities.extensions
  }

  /// Makes sure that the driver offers what sharing needs.
  ///
  /// - Throws: `GLFailure.unsupported` with the names of what is missing.
  func require(_ extensions: [String]) throws(GLFailure) {
    let offered = context.display.extensions.union(glExtensions)
    let missing = (["EGL_KHR_image_base", "GL_OES_EGL_image"] + extensions).filter {
      !offered.contains($0)
    }
    guard missing.isEmpty else {
      throw .unsupported(
        "sharing picture memory needs \(missing.joined(separator: ", ")), which the driver on "
          + "\(context.display.platform) does not offer; upload and download copies instead")
    }
  }

  /// Does something with an image, which ends after that; textures that show it stay.
  ///
  /// - Parameters:
  ///   - kind: what it is made of.
  ///   - source: the texture's name, or `nil` where attributes say it all.
  func withImage<Value>(
    of kind: Int32, _ source: EGLClientBuffer?, _ attributes: [EGLint],
    _ body: (EGLImageKHR) throws(GLFailure) -> Value
  ) throws(GLFailure) -> Value {
    guard let create = EGLClient.function("eglCreateImageKHR", as: Create.self),
      let destroy = EGLClient.function("eglDestroyImageKHR", as: Destroy.self)
    else { throw .unsupported("sharing picture memory: eglCreateImageKHR cannot be found") }
    // Only images of textures belong to a context.
    let owner = kind == EGL_GL_TEXTURE_2D_KHR ? context.handle : nil
    let display = context.display.handle
    guard let image = create(display, owner, EGLenum(kind), source, attributes + [EGL_NONE]) else {
      throw .unsupported(
        "sharing this picture memory: eglCreateImageKHR: \(EGLFailure.name(of: eglGetError()))")
    }
    defer { _ = destroy(display, image) }
    return try body(image)
  }

  /// A texture that shows an image.
  func texture(
    showing image: EGLImageKHR, _ size: Size, _ format: TextureFormat
  ) throws(GLFailure) -> GLTexture {
    guard
      let target = EGLClient.function("glEGLImageTargetTexture2DOES", as: Target.self)
    else {
      throw .unsupported("sharing picture memory: glEGLImageTargetTexture2DOES cannot be found")
    }
    var name: GLuint = 0
    glGenTextures(1, &name)
    let texture = GLTexture(taking: name, size, format, in: context)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    target(GLenum(GL_TEXTURE_2D), image)
    for parameter in [GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER] {
      glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(parameter), GL_NEAREST)
    }
    try context.check("a texture on shared memory of \(size)")
    return texture
  }
}
