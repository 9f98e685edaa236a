internal import FrostglassCore

/// A result that is read back into memory.
final class HostResult: ResultSink {
  private let format: WorkFormat
  private let passes: PassRunner
  private let pool: TexturePool
  private let transfer: GLTransfer
  private(set) var result: ResultImage

  init(_ result: Plan.Result, passes: PassRunner, pool: TexturePool, transfer: GLTransfer) {
    self.result = ResultImage(rect: result.rect, format: result.format)
    format = WorkFormat(result: result.format.depth)
    self.passes = passes
    self.pool = pool
    self.transfer = transfer
  }

  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    let texture = try pool.lend(part.size, format.texture)
    defer { pool.takeBack(texture) }
    try draw(texture)
    try passes.attach(texture, "read-back")
    try transfer.readBack(part, into: &result)
  }
}
