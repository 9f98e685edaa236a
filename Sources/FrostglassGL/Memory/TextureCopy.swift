internal import CGLES
internal import FrostglassCore

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
