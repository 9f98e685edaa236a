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

extension SharedImages {
  private typealias Query =
    @convention(c) (
      EGLDisplay?, EGLImageKHR?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?,
      UnsafeMutablePointer<EGLuint64KHR>?
    ) -> EGLBoolean
  private typealias Export =
    @convention(c) (
      EGLDisplay?, EGLImageKHR?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<EGLint>?,
      UnsafeMutablePointer<EGLint>?
    ) -> EGLBoolean

  /// A texture on shared memory. Drivers keep the memory by themselves: the buffer may go.
  func texture(on buffer: DMABuffer) throws(GLFailure) -> GLTexture {
    guard (1...4).contains(buffer.planes.count) else {
      throw .unsupported("shared memory of \(buffer.planes.count) planes; 1 to 4 are possible")
    }
    // EGL's numbers have 32 bits.
    for plane in buffer.planes {
      for (name, value) in [("an offset", plane.offset), ("a stride", plane.stride)]
      where !(0...Int(EGLint.max)).contains(value) {
        throw .unsupported(
          "shared memory with \(name) of \(value) bytes; 0 to \(EGLint.max) are possible")
      }
    }
    try require(
      ["EGL_EXT_image_dma_buf_import"]
        + (buffer.modifier == nil ? [] : ["EGL_EXT_image_dma_buf_import_modifiers"]))
    let texels = TextureFormat.rgba8
    return try withImage(of: EGL_LINUX_DMA_BUF_EXT, nil, buffer.attributes) {
      image throws(GLFailure) in try texture(showing: image, buffer.size, texels)
    }
  }

  /// The memory of a texture.
  func buffer(of texture: GLTexture) throws(GLFailure) -> DMABuffer {
    try require(["EGL_KHR_gl_texture_2D_image", "EGL_MESA_image_dma_buf_export"])
    guard let query = EGLClient.function("eglExportDMABUFImageQueryMESA", as: Query.self),
      let export = EGLClient.function("eglExportDMABUFImageMESA", as: Export.self)
    else { throw .unsupported("sharing picture memory: eglExportDMABUFImageMESA cannot be found") }
    let display = context.display.handle
    let source = EGLClientBuffer(bitPattern: UInt(texture.name))
    return try withImage(of: EGL_GL_TEXTURE_2D_KHR, source, []) { image throws(GLFailure) in
      var (code, count): (Int32, Int32) = (0, 0)
      guard query(display, image, &code, &count, nil) == EGL_TRUE, (1...4).contains(count) else {
        throw .unsupported("sharing the memory of a texture that the driver keeps to itself")
      }
      guard let format = DMAFormat(code: UInt32(bitPattern: code)) else {
        throw .unsupported("sharing memory in the driver's format 0x\(String(code, radix: 16))")
      }
      var modifiers = [EGLuint64KHR](repeating: 0, count: Int(count))
      var descriptors = [Int32](repeating: -1, count: Int(count))
      var strides = [EGLint](repeating: 0, count: Int(count))
      var offsets = strides
      guard query(display, image, &code, &count, &modifiers) == EGL_TRUE,
        export(display, image, &descriptors, &strides, &offsets) == EGL_TRUE
      else { throw .unsupported("sharing the memory of a texture: the driver refuses") }
      return DMABuffer(
        taking: DMABuffer.planes(descriptors, offsets, strides), size: texture.size,
        format: format, modifier: modifiers[0])
    }
  }
}
