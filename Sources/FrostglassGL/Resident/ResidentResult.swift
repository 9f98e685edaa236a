internal import CGLES
internal import FrostglassCore

/// A result that stays on the device.
final class ResidentResult: ResultSink {
  /// The whole result; lent by the pool.
  let texture: GLTexture
  private let rect: Rect
  private let passes: PassRunner
  private let pool: TexturePool

  init(_ result: Plan.Result, passes: PassRunner, pool: TexturePool) throws(GLFailure) {
    rect = result.rect
    texture = try pool.lend(rect.size, WorkFormat(result: result.format.depth).texture)
    self.passes = passes
    self.pool = pool
  }

  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    guard part != rect else { return try draw(texture) }
    let tile = try pool.lend(part.size, texture.format)
    defer { pool.takeBack(tile) }
    try draw(tile)
    try passes.attach(tile, "copy of a tile")
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    glCopyTexSubImage2D(
      GLenum(GL_TEXTURE_2D), 0, GLint(part.x - rect.x), GLint(part.y - rect.y), 0, 0,
      GLsizei(part.width), GLsizei(part.height))
    try passes.context.check("copy of the tile \(part)")
  }
}
